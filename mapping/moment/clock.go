package moment

import "strings"

// clock reads a time of day that begins at piece i: 14:30, 14:30:00.123, 2:30 PM,
// 2:30:AM, 2 p.m., 14h30, and after a T also 143000.
func (m *Moment) clock(p *pieces, i int) (int, Fault) {
	a := p.at(i)
	if a.kind != 'd' {
		return 0, OK
	}
	before := p.at(i - 1)
	if (len(a.text) == 6 || len(a.text) == 4) && before.kind == 'w' && (before.text == "T" || before.text == "t") {
		m.Hour, m.Minute, m.Second = a.value/100, a.value%100, 0
		if len(a.text) == 6 {
			m.Hour, m.Minute, m.Second = a.value/10000, a.value/100%100, a.value%100
		}
		return 1, m.validTime()
	}
	if len(a.text) > 2 {
		return 0, OK
	}
	m.Hour, m.Minute, m.Second, m.Milli = a.value, 0, 0, 0
	at := i + 1
	minutes := false
	t := p.at(at)
	if t.kind == ':' || t.kind == 'w' && (t.text == "h" || t.text == "H") && !t.space && p.at(at+1).kind == 'd' {
		minute := p.at(at + 1)
		if minute.kind != 'd' || len(minute.text) != 2 {
			return 0, OK
		}
		m.Minute, minutes = minute.value, true
		at += 2
		if second := p.at(at + 1); p.at(at).kind == ':' && second.kind == 'd' {
			if len(second.text) != 2 {
				return 0, OK
			}
			m.Second = second.value
			at += 2
			if fraction := p.at(at + 1); (p.at(at).kind == '.' || p.at(at).kind == ',') && fraction.kind == 'd' && !fraction.space {
				m.Milli = millis(fraction.text)
				at += 2
			}
		}
	}
	n, pm, found := halfOfDay(p, at)
	if !found {
		if !minutes {
			return 0, OK
		}
		return at - i, m.validTime()
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

// halfOfDay reads AM, p.m. and the :AM that a calendar plugin writes.
func halfOfDay(p *pieces, i int) (n int, pm, found bool) {
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
	if hours > 23 || minutes > 59 {
		return 0, NoSuchTime
	}
	m.Offset = hours*3600 + minutes*60
	if p.at(i).kind == '-' {
		m.Offset = -m.Offset
	}
	return n, OK
}
