package datetime

import "strings"

// clock reads a time of day that begins at piece i: 14:30, 14:30:00.123, 2:30 PM,
// 2:30:AM, 2 p.m., 7.30pm, 14h30, noon, after a T also 143000, and where a time of
// day is expected 18.30, 18.30.00, 1930, 21h and 7p.
func (m *Moment) clock(p *pieces, i int) (int, Fault) {
	a := p.at(i)
	if a.kind == 'w' {
		return m.clockName(p, i)
	}
	if a.kind != 'd' {
		return 0, OK
	}
	m.Hour, m.Minute, m.Second, m.Milli = a.value, 0, 0, 0
	if n, fault := m.digits(p, i); n > 0 || fault != OK {
		return n, fault
	}
	if len(a.text) > 2 {
		return 0, OK
	}
	expected := p.where >= ClockCell || m.HasDate
	at := i + 1
	minutes := false
	switch t := p.at(at); {
	case t.kind == ':' || t.isH() && p.at(at+1).kind == 'd':
		minute := p.at(at + 1)
		if minute.kind != 'd' || len(minute.text) != 2 {
			return 0, OK
		}
		m.Minute, minutes = minute.value, true
		at += 2
		if t.kind != ':' {
			break
		}
		n, ok := m.seconds(p, at)
		if !ok {
			return 0, OK
		}
		if at += n; expected && (p.at(at).isH() && p.at(at+1).kind != 'd' || p.at(at).isHours()) {
			at++ // 19:30h
		}
	case p.dotted(i):
		seconds := p.dottedClock(i)
		_, _, pm := halfOfDay(p, at+2, expected)
		switch {
		case p.where >= ClockCell || pm || seconds && m.HasDate:
		case seconds:
			return 0, BareNumber
		default:
			return 0, OK
		}
		m.Minute, minutes = p.at(at+1).value, true
		if at += 2; seconds {
			at += 2
		}
	case t.isH() && expected, t.isHours() && expected && m.Hour > 12:
		minutes = true
		at++
	}
	n, pm, found := halfOfDay(p, at, expected)
	if !found {
		if word := p.at(at); m.Hour == 12 && m.Minute == 0 && m.Second == 0 && word.kind == 'w' {
			if n, fault := m.clockName(p, at); n > 0 || fault != OK {
				return at + n - i, fault
			}
		}
		if !minutes {
			return 0, OK
		}
		return at - i, m.validClock(p)
	}
	switch {
	case m.Hour > 12 || m.Hour == 0 && pm:
		return 0, NoSuchTime
	case pm && m.Hour < 12:
		m.Hour += 12
	case !pm && m.Hour == 12:
		m.Hour = 0
	}
	return at + n - i, m.validTime()
}

// seconds reads the :15.250 that may follow hours and minutes.
func (m *Moment) seconds(p *pieces, at int) (n int, ok bool) {
	second := p.at(at + 1)
	if p.at(at).kind != ':' || second.kind != 'd' {
		return 0, true
	}
	m.Second = second.value
	point, fraction := p.at(at+2), p.at(at+3)
	if (point.kind == '.' || point.kind == ',') && !point.space && fraction.kind == 'd' && !fraction.space {
		m.Milli = millis(fraction.text)
		return 4, len(second.text) == 2
	}
	return 2, len(second.text) == 2
}

// isHours reports whether the piece is the hrs of 19:30 hrs.
func (t piece) isHours() bool { return strings.EqualFold(t.text, "hrs") }

// isH reports whether the piece is the h of 21h and 19h30.
func (t piece) isH() bool { return t.kind == 'w' && !t.space && (t.text == "h" || t.text == "H") }

// digits reads a time that is one run of digits: 143000 and 1430 after a T, 1430 and
// 930 where a time of day is expected.
func (m *Moment) digits(p *pieces, i int) (int, Fault) {
	a, before := p.at(i), p.at(i-1)
	afterT := before.kind == 'w' && (before.text == "T" || before.text == "t")
	switch {
	case len(a.text) == 6 && afterT:
		m.Hour, m.Minute, m.Second = a.value/10000, a.value/100%100, a.value%100
	case len(a.text) == 4 && afterT, p.where >= ClockCell && (len(a.text) == 4 || len(a.text) == 3):
		m.Hour, m.Minute = a.value/100, a.value%100
	default:
		return 0, OK
	}
	n := 1
	if p.at(i+1).isH() || p.at(i+1).isHours() { // 1930h
		n++
	}
	return n, m.validClock(p)
}

// clockName reads noon, midday and midnight.
func (m *Moment) clockName(p *pieces, i int) (int, Fault) {
	switch word := p.at(i).text; {
	case strings.EqualFold(word, "noon") || strings.EqualFold(word, "midday"):
		m.Hour, m.Minute, m.Second, m.Milli = 12, 0, 0, 0
		return 1, OK
	case strings.EqualFold(word, "midnight") && p.where == RangeEnd:
		m.Hour, m.Minute, m.Second, m.Milli = 24, 0, 0, 0
		p.midnight = true
		return 1, OK
	case strings.EqualFold(word, "midnight"):
		return 0, Midnight
	}
	return 0, OK
}

// validClock is validTime that lets a range end at 24:00.
func (m *Moment) validClock(p *pieces) Fault {
	if p.where == RangeEnd && m.Hour == 24 && m.Minute == 0 && m.Second == 0 && m.Milli == 0 {
		return OK
	}
	return m.validTime()
}

// halfOfDay reads AM, p.m. and the :AM that a calendar plugin writes, and the p of 7p where
// nothing but a time of day is expected.
func halfOfDay(p *pieces, i int, expected bool) (n int, pm, found bool) {
	at := i
	if p.at(at).kind == ':' {
		at++
	}
	t := p.at(at)
	if t.kind != 'w' {
		return 0, false, false
	}
	letter := t.text[0] | 0x20
	if letter != 'a' && letter != 'p' {
		return 0, false, false
	}
	switch {
	case len(t.text) == 2 && t.text[1]|0x20 == 'm':
		at++
	case len(t.text) == 1 && p.at(at+1).kind == '.' && p.at(at+2).kind == 'w' && strings.EqualFold(p.at(at+2).text, "m"):
		at += 3
	case len(t.text) == 1 && !t.space && at == i && expected && p.at(at+1).kind != '.':
		return 1, letter == 'p', true
	default:
		return 0, false, false
	}
	if p.at(at).kind == '.' && p.at(at-2).kind == '.' {
		at++
	}
	return at - i, letter == 'p', true
}

// offset reads what may follow a time: Z, UTC, GMT, +01:00, -0500, +02, and
// behind any of them a remark in parentheses.
func (m *Moment) offset(p *pieces, i int) (int, Fault) {
	at := i
	if t := p.at(at); t.kind == 'w' {
		switch strings.ToUpper(t.text) {
		case "Z", "UTC", "GMT":
			m.HasOffset = true
			at++
			if t.text == "UTC" && !m.HasDate && at == p.n {
				m.Letters = t.text
			}
		case "AT", "T", "ON":
			return 0, OK
		default:
			if at+1 == p.n && len(t.text) >= 2 && len(t.text) <= 5 && t.text == strings.ToUpper(t.text) {
				return 0, InexactZone
			}
			return 0, OK
		}
	}
	if sign := p.at(at); sign.kind == '+' || sign.kind == '-' {
		if sign.kind == '-' && at == i && !m.HasDate || strings.EqualFold(p.at(at-1).text, "z") {
			return 0, NotATime // 19:00-21:00 is a range, and Z an offset by itself
		}
		n, fault := m.signed(p, at)
		if n == 0 || fault != OK {
			return 0, fault
		}
		at += n
		m.HasOffset = true
		if t := p.at(at); t.kind == 'w' && (t.text == "UTC" || t.text == "GMT") && m.Offset == 0 {
			at++ // 2026-03-08 14:30:00 +0000 UTC
		}
	}
	if m.HasOffset && p.at(at).kind == '(' {
		for at < p.n && p.at(at).kind != ')' {
			at++
		}
		if at++; at > p.n {
			return 0, NotATime
		}
	}
	return at - i, OK
}

func (m *Moment) signed(p *pieces, i int) (int, Fault) {
	d := p.at(i + 1)
	if d.kind != 'd' || d.space {
		return 0, NotATime
	}
	var hours, minutes, n int
	switch {
	case len(d.text) <= 2:
		hours, n = d.value, 2
		if m := p.at(i + 3); p.at(i+2).kind == ':' && m.kind == 'd' && len(m.text) == 2 {
			minutes, n = m.value, 4
		}
	case len(d.text) == 4:
		hours, minutes, n = d.value/100, d.value%100, 2
	default:
		return 0, NotATime
	}
	if minutes > 59 || hours*60+minutes > maxOffset {
		return 0, NoSuchOffset
	}
	m.Offset = hours*3600 + minutes*60
	if p.at(i).kind == '-' {
		m.Offset = -m.Offset
	}
	return n, OK
}
