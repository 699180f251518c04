package datetime

import "strings"

// A text is cut into at most this many pieces: the longest form understood,
// "Sunday, 8th March 2026 at 10:00:00.000 p.m. GMT+02:00", has fewer.
const maxPieces = 32

// piece is a run of digits, a run of letters, or one other character.
type piece struct {
	kind  byte // 'd' digits, 'w' letters, else the character itself
	value int  // of digits
	text  string
	space bool // white space stands before it
}

type pieces struct {
	list  [maxPieces]piece
	n     int
	where Where
	// midnight: the time is called so, which leaves open whether it begins or ends a day.
	midnight bool
}

// at returns the piece at i, one of kind 0 past the end.
func (p *pieces) at(i int) piece {
	if i < 0 || i >= p.n {
		return piece{}
	}
	return p.list[i]
}

// cut takes a text apart. White space is whatever people's programs put between
// a time and its AM: also the no-break and narrow no-break spaces.
func (p *pieces) cut(s string) bool {
	space := false
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			space, i = true, i+1
			continue
		case c == 0xC2 && strings.HasPrefix(s[i:], "\u00a0"):
			space, i = true, i+2
			continue
		case c == 0xE2 && (strings.HasPrefix(s[i:], "\u202f") || strings.HasPrefix(s[i:], "\u2009")):
			space, i = true, i+3
			continue
		}
		if p.n == maxPieces {
			return false
		}
		from := i
		t := piece{kind: c, space: space}
		switch {
		case isDigit(c):
			for t.kind = 'd'; i < len(s) && isDigit(s[i]); i++ {
				if i-from < 9 {
					t.value = t.value*10 + int(s[i]-'0')
				}
			}
		case isLetter(c):
			for t.kind = 'w'; i < len(s) && isLetter(s[i]); i++ {
			}
		default:
			i++
		}
		t.text = s[from:i]
		p.list[p.n] = t
		p.n++
		space = false
	}
	return p.n > 0
}

// scanner is the pieces of a text with the moment that is read of them.
type scanner struct {
	Moment
	pieces
}

// scanAny reads the forms that people and their programs write.
func (m *Moment) scanAny(text string, order Order, where Where) Fault {
	*m = Moment{}
	s := scanner{pieces: pieces{where: where}}
	if len(text) > 100 || !s.cut(text) {
		return NotATime
	}
	if bareNumber(&s.pieces) {
		return BareNumber
	}
	fault := s.scan(order)
	*m = s.Moment
	return fault
}

// scan reads all pieces.
func (s *scanner) scan(order Order) Fault {
	stated := -1 // weekday
	for i := 0; i < s.n; {
		if n, day := weekdayAt(&s.pieces, i); n > 0 && stated < 0 {
			stated = day
			i += n
			continue
		}
		if i == 0 && s.where >= ClockCell && strings.EqualFold(s.at(i).text, "at") {
			i++
			continue
		}
		n, fault := s.part(i, order, stated)
		switch {
		case fault != OK:
			return fault
		case n == 0:
			return NotATime
		}
		i = joint(&s.pieces, i+n)
	}
	switch {
	case !s.HasDate && (stated >= 0 || !s.HasTime):
		return NotATime
	case stated >= 0 && stated != weekday(s.Year, s.Month, s.Day):
		return WrongWeekday
	case s.midnight && s.HasDate:
		return Midnight
	}
	s.Bare = s.HasOffset && !s.HasDate
	if s.Milli == 1000 {
		return s.roundUp()
	}
	return OK
}

// part reads the date, or the time of day with its offset, that begins at piece i and tells how many pieces it
// takes; 0 where none begins there that the moment does not have. Stated is the day of the week, -1 for none.
func (s *scanner) part(i int, order Order, stated int) (int, Fault) {
	if !s.HasDate {
		n, fault := s.date(i, order)
		if fault == NeedsOrder && stated >= 0 {
			fault = s.byWeekday(i, stated)
		}
		if fault != OK {
			return 0, fault
		}
		if n > 0 {
			if s.HasDate = true; s.Year < 1000 {
				return 0, OutOfRangeYear
			}
			return n, OK
		}
	}
	if s.HasTime {
		return 0, OK
	}
	n, fault := s.clock(i)
	if n == 0 || fault != OK {
		return 0, fault
	}
	s.HasTime = true
	more, fault := s.offset(i + n)
	return n + more, fault
}

// weekdayAt reads Sat, Sa., (Sat) and Saturday the, and tells how many pieces that takes; 0
// where there is no day of the week.
func weekdayAt(p *pieces, i int) (n, day int) {
	at := i
	if k := p.at(at).kind; k == '(' || k == ',' && i > 0 {
		at++
	}
	if day = weekdayOf(p.at(at).text); day < 0 {
		return 0, -1
	}
	for at++; p.at(at).kind == '.' || p.at(at).kind == ','; {
		at++
	}
	switch {
	case p.at(i).kind == '(' && p.at(at).kind != ')':
		return 0, -1
	case p.at(i).kind == '(':
		at++
	case strings.EqualFold(p.at(at).text, "the") && p.at(at+1).kind == 'd':
		at++
	}
	return at - i, day
}

// byWeekday finds the order that a day of the week proves of a date of numbers.
func (s *scanner) byWeekday(i, stated int) Fault {
	fits := Unknown
	for _, order := range []Order{MonthFirst, DayFirst} {
		read := scanner{pieces: s.pieces}
		if _, fault := read.date(i, order); fault != OK || weekday(read.Year, read.Month, read.Day) != stated {
			continue
		}
		if fits != Unknown {
			return NeedsOrder
		}
		fits = order
	}
	if fits == Unknown {
		return WrongWeekday
	}
	s.Proof = fits
	return NeedsOrder
}

// joint steps over what may stand between a date and a time: a comma, a T, "at",
// @. A dash is not among them: 2026-03-08 -05:00 is a date with an offset.
func joint(p *pieces, i int) int {
	if k := p.at(i).kind; (k == ',' || k == '@') && i+1 < p.n {
		i++
	}
	if t := p.at(i); t.kind == 'w' && i+1 < p.n && (t.text == "T" || t.text == "t" || strings.EqualFold(t.text, "at")) {
		i++
	}
	return i
}

// bareNumber reports whether the text is a number that nothing is written as where it stands.
func bareNumber(p *pieces) bool {
	a := p.at(0)
	switch {
	case p.n == 1 && p.where >= ClockCell:
		return a.kind == 'd' && len(a.text) != 8 && len(a.text) != 4 && len(a.text) != 3
	case p.n == 1:
		return a.kind == 'd' && len(a.text) != 8
	case p.n == 3 && p.where >= ClockCell && p.dotted(0):
		return false
	}
	return p.n == 3 && a.kind == 'd' && (p.at(1).kind == '.' || p.at(1).kind == ',') && p.at(2).kind == 'd'
}

// dotted reports whether 18.30 stands at piece i.
func (p *pieces) dotted(i int) bool {
	hour, dot, minute := p.at(i), p.at(i+1), p.at(i+2)
	return hour.kind == 'd' && len(hour.text) <= 2 && dot.kind == '.' && !dot.space &&
		minute.kind == 'd' && len(minute.text) == 2 && !minute.space
}

// dottedClock reports whether 18.30.00 stands at piece i, which spreadsheets write in Italian and
// which is no day of the year 2000.
func (p *pieces) dottedClock(i int) bool {
	dot, second := p.at(i+3), p.at(i+4)
	return p.dotted(i) && dot.kind == '.' && !dot.space && second.text == "00" && !second.space
}

// date reads a date that begins at piece i and tells how many pieces it takes;
// 0 where none begins there.
func (s *scanner) date(i int, order Order) (int, Fault) {
	a, b, c := s.at(i), s.at(i+1), s.at(i+2)
	switch {
	case s.dottedClock(i):
		return 0, OK
	case a.kind == 'd' && len(a.text) == 8 && b.kind != ':':
		s.Year, s.Month, s.Day = a.value/10000, a.value/100%100, a.value%100
		return 1, s.validDate()
	case a.kind == 'd' && c.kind == 'd' && isSeparator(b.kind) && s.at(i+3).kind == b.kind && s.at(i+4).kind == 'd':
		if b.kind == '-' && len(a.text) == 2 && len(s.at(i+4).text) == 2 && a.value >= 20 && order == Unknown {
			return 5, NeedsOrder // 27-05-01 may begin with its year
		}
		return 5, s.numbers(a, c, s.at(i+4), order)
	case a.kind == 'd' && len(a.text) <= 2:
		return s.dayMonthName(i)
	case a.kind == 'w':
		return s.monthNameDay(i)
	}
	return 0, OK
}

func isSeparator(kind byte) bool { return kind == '/' || kind == '-' || kind == '.' }

// numbers reads 2026-3-8, 3/8/2026, 8.3.2026 and 3/8/26. A year of two digits is
// of this century: nobody imports events of another.
func (s *scanner) numbers(a, b, c piece, order Order) Fault {
	if len(b.text) > 2 {
		return NotATime
	}
	if len(a.text) == 4 && len(c.text) <= 2 {
		s.Year, s.Month, s.Day = a.value, b.value, c.value
		return s.validDate()
	}
	if len(a.text) > 2 || len(c.text) != 4 && len(c.text) != 2 {
		return NotATime
	}
	if order == YearFirst && len(a.text) == 2 && len(c.text) == 2 {
		s.Year, s.Month, s.Day = 2000+a.value, b.value, c.value
		return s.validDate()
	}
	year := c.value
	if len(c.text) == 2 {
		year += 2000
	}
	return s.numeric(a.value, b.value, year, order)
}

// numeric takes a day and a month in the order that is asked for.
func (m *Moment) numeric(a, b, year int, order Order) Fault {
	m.Year = year
	switch {
	case a == b:
		m.Month, m.Day = a, b
		return m.validDate()
	case a > 12 && b > 12 || a == 0 || b == 0:
		return NoSuchDay
	case a > 12:
		m.Proof = DayFirst
	case b > 12:
		m.Proof = MonthFirst
	}
	switch {
	case order == MonthFirst:
		m.Month, m.Day = a, b
	case order == DayFirst:
		m.Month, m.Day = b, a
	default:
		return NeedsOrder
	}
	if m.Proof != Unknown && m.Proof != order {
		return WrongOrder
	}
	return m.validDate()
}

// dayMonthName reads 8 March 2026, 8-Mar-26 and 8th of March, 2026.
func (s *scanner) dayMonthName(i int) (int, Fault) {
	at := i + 1
	if t := s.at(at); t.kind == 'w' && !t.space && isOrdinal(t.text) {
		at++
	}
	mark := s.at(at).kind
	if t := s.at(at); t.kind == 'w' && strings.EqualFold(t.text, "of") || isSeparator(t.kind) {
		at++
	}
	month := monthOf(s.at(at).text)
	if s.at(at).kind != 'w' || month == 0 {
		return 0, OK
	}
	if at++; isSeparator(s.at(at).kind) || s.at(at).kind == ',' {
		at++
	}
	return s.named(s.at(i), month, mark, at, at+1-i)
}

// monthNameDay reads March 8, 2026 and Mar. 8th 2026.
func (s *scanner) monthNameDay(i int) (int, Fault) {
	month := monthOf(s.at(i).text)
	if month == 0 {
		return 0, OK
	}
	at := i + 1
	mark := s.at(at).kind
	if isSeparator(mark) {
		at++
	}
	day := s.at(at)
	at++
	if t := s.at(at); t.kind == 'w' && !t.space && isOrdinal(t.text) {
		at++
	}
	if k := s.at(at).kind; k == ',' || isSeparator(k) {
		at++
	}
	return s.named(day, month, mark, at, at+1-i)
}

// named takes the year at a piece. A year of two digits counts only after a mark that
// stands between day and month as well, 8-Mar-26: in "8 Mar 10:00" the 10 is no year, and
// May 19-21 is three days.
func (s *scanner) named(day piece, month int, mark byte, at, n int) (int, Fault) {
	year := s.at(at)
	if day.kind != 'd' || len(day.text) > 2 || year.kind != 'd' {
		return 0, OK
	}
	if len(year.text) != 4 && (len(year.text) != 2 || !isSeparator(mark) || s.at(at-1).kind != mark) {
		return 0, OK
	}
	s.Year, s.Month, s.Day = year.value, month, day.value
	if len(year.text) == 2 {
		s.Year += 2000
	}
	return n, s.validDate()
}

func isOrdinal(s string) bool {
	return strings.EqualFold(s, "th") || strings.EqualFold(s, "st") || strings.EqualFold(s, "nd") || strings.EqualFold(s, "rd")
}
