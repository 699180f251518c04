package datetime

import "strings"

// clock reads a time of day that begins at piece i: 14:30, 14:30:00.123, 2:30 PM,
// 2:30:AM, 2 p.m., 7.30pm, 14h30, noon, after a T also 143000, and where a time of
// day is expected 18.30, 18.30.00, 1930, 21h and 7p; 18.30 behind a date too, where it is no day of a month.
func (s *scanner) clock(i int) (int, Fault) {
	a := s.at(i)
	if a.kind == 'w' {
		return s.clockName(i)
	}
	if a.kind != 'd' {
		return 0, OK
	}
	s.Hour, s.Minute, s.Second, s.Milli = a.value, 0, 0, 0
	if n, fault := s.digits(i); n > 0 || fault != OK {
		return n, fault
	}
	if len(a.text) > 2 {
		return 0, OK
	}
	expected := s.where >= ClockCell || s.HasDate
	at, fault := s.minutes(i, expected)
	if at == 0 {
		return 0, fault
	}
	minutes := at > i+1
	n, pm, found := halfOfDay(&s.pieces, at, expected)
	if !found {
		if word := s.at(at); s.Hour == 12 && s.Minute == 0 && s.Second == 0 && word.kind == 'w' {
			if n, fault := s.clockName(at); n > 0 || fault != OK {
				return at + n - i, fault
			}
		}
		if !minutes {
			return 0, OK
		}
		return at - i, s.validClock()
	}
	switch {
	case s.Hour > 12 || s.Hour == 0 && pm:
		return 0, NoSuchTime
	case pm && s.Hour < 12:
		s.Hour += 12
	case !pm && s.Hour == 12:
		s.Hour = 0
	}
	return at + n - i, s.validTime()
}

// minutes reads what stands behind the hour at piece i and before am or pm, and returns the piece behind it: the next
// one where the hour is alone, 0 where there is no time of day.
func (s *scanner) minutes(i int, expected bool) (at int, _ Fault) {
	at = i + 1
	switch t := s.at(at); {
	case t.kind == ':' || t.isH() && s.at(at+1).kind == 'd':
		minute := s.at(at + 1)
		if minute.kind != 'd' || len(minute.text) != 2 {
			return 0, OK
		}
		s.Minute = minute.value
		at += 2
		if t.kind != ':' {
			break
		}
		n, ok := s.seconds(at)
		if !ok {
			return 0, OK
		}
		if at += n; expected && (s.at(at).isH() && s.at(at+1).kind != 'd' || s.at(at).isHours()) {
			at++ // 19:30h
		}
	case s.dotted(i):
		seconds := s.dottedClock(i)
		_, _, pm := halfOfDay(&s.pieces, at+2, expected)
		switch {
		case s.where >= ClockCell || pm || seconds && s.HasDate:
		case s.HasDate && (s.at(i+2).value == 0 || s.at(i+2).value > 12): // else it may be a day and a month
		case seconds:
			return 0, BareNumber
		default:
			return 0, OK
		}
		s.Minute = s.at(at + 1).value
		if at += 2; seconds {
			at += 2
		}
	case t.isH() && expected, t.isHours() && expected && s.Hour > 12:
		at++
	}
	return at, OK
}

// seconds reads the :15.250 that may follow hours and minutes.
func (s *scanner) seconds(at int) (n int, ok bool) {
	second := s.at(at + 1)
	if s.at(at).kind != ':' || second.kind != 'd' {
		return 0, true
	}
	s.Second = second.value
	point, fraction := s.at(at+2), s.at(at+3)
	if (point.kind == '.' || point.kind == ',') && !point.space && fraction.kind == 'd' && !fraction.space {
		s.Milli = millis(fraction.text)
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
func (s *scanner) digits(i int) (int, Fault) {
	a, before := s.at(i), s.at(i-1)
	afterT := before.kind == 'w' && (before.text == "T" || before.text == "t")
	switch {
	case len(a.text) == 6 && afterT:
		s.Hour, s.Minute, s.Second = a.value/10000, a.value/100%100, a.value%100
	case len(a.text) == 4 && afterT, s.where >= ClockCell && (len(a.text) == 4 || len(a.text) == 3):
		s.Hour, s.Minute = a.value/100, a.value%100
	default:
		return 0, OK
	}
	n := 1
	if s.at(i+1).isH() || s.at(i+1).isHours() { // 1930h
		n++
	}
	return n, s.validClock()
}

// clockName reads noon, midday and midnight.
func (s *scanner) clockName(i int) (int, Fault) {
	switch word := s.at(i).text; {
	case strings.EqualFold(word, "noon") || strings.EqualFold(word, "midday"):
		s.Hour, s.Minute, s.Second, s.Milli = 12, 0, 0, 0
		return 1, OK
	case strings.EqualFold(word, "midnight") && s.where == RangeEnd:
		s.Hour, s.Minute, s.Second, s.Milli = 24, 0, 0, 0
		s.midnight = true
		return 1, OK
	case strings.EqualFold(word, "midnight"):
		return 0, Midnight
	}
	return 0, OK
}

// validClock is validTime that lets a range end at 24:00.
func (s *scanner) validClock() Fault {
	if s.where == RangeEnd && s.Hour == 24 && s.Minute == 0 && s.Second == 0 && s.Milli == 0 {
		return OK
	}
	return s.validTime()
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
func (s *scanner) offset(i int) (int, Fault) {
	at := i
	if t := s.at(at); t.kind == 'w' {
		switch strings.ToUpper(t.text) {
		case "Z", "UTC", "GMT":
			s.HasOffset = true
			at++
			if t.text == "UTC" && !s.HasDate && at == s.n {
				s.Letters = t.text
			}
		case "AT", "T", "ON":
			return 0, OK
		default:
			if at+1 == s.n && len(t.text) >= 2 && len(t.text) <= 5 && t.text == strings.ToUpper(t.text) {
				return 0, InexactZone
			}
			return 0, OK
		}
	}
	if sign := s.at(at); sign.kind == '+' || sign.kind == '-' {
		if sign.kind == '-' && at == i && !s.HasDate || strings.EqualFold(s.at(at-1).text, "z") {
			return 0, NotATime // 19:00-21:00 is a range, and Z an offset by itself
		}
		n, fault := s.signed(at)
		if n == 0 || fault != OK {
			return 0, fault
		}
		at += n
		s.HasOffset = true
		if t := s.at(at); t.kind == 'w' && (t.text == "UTC" || t.text == "GMT") && s.Offset == 0 {
			at++ // 2026-03-08 14:30:00 +0000 UTC
		}
	}
	if s.HasOffset && s.at(at).kind == '(' {
		for at < s.n && s.at(at).kind != ')' {
			at++
		}
		if at++; at > s.n {
			return 0, NotATime
		}
	}
	return at - i, OK
}

func (s *scanner) signed(i int) (int, Fault) {
	d := s.at(i + 1)
	if d.kind != 'd' || d.space {
		return 0, NotATime
	}
	var hours, minutes, n int
	switch {
	case len(d.text) <= 2:
		hours, n = d.value, 2
		if minute := s.at(i + 3); s.at(i+2).kind == ':' && minute.kind == 'd' && len(minute.text) == 2 {
			minutes, n = minute.value, 4
		}
	case len(d.text) == 4:
		hours, minutes, n = d.value/100, d.value%100, 2
	default:
		return 0, NotATime
	}
	if minutes > 59 || hours*60+minutes > maxOffset {
		return 0, NoSuchOffset
	}
	s.Offset = hours*3600 + minutes*60
	if s.at(i).kind == '-' {
		s.Offset = -s.Offset
	}
	return n, OK
}
