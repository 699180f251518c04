package datetime

import (
	"strings"
	"time"

	"eventbatch/mapping/spelling"
)

// Scan reads a date, a time of day or both, with or without an offset. order
// decides dates of numbers, such as 03/04/2026; where it is Unknown they fail
// with NeedsOrder, what they prove being in Moment.Proof. Nothing is guessed: a
// date that only one order allows needs one too, since the column that it
// stands in decides, not the cell.
//
// Months and days of the week are read in English and the languages of languages.txt, with
// the words that those put around a time.
func Scan(text string, order Order) (m Moment, _ Fault) {
	fault := m.Scan(text, order)
	return m, fault
}

// Scan is the function Scan for a moment that is used again and again.
func (m *Moment) Scan(text string, order Order) Fault { return m.ScanIn(AnyCell, text, order) }

// ScanIn is Scan for a text of which it is known where it stands.
func (m *Moment) ScanIn(where Where, text string, order Order) Fault {
	fault := m.scanIn(where, text, order)
	if (fault == NoSuchOffset && !beginsISO(text) || fault == OK && m.HasOffset && m.Offset < 0) && toLater(text) {
		*m, fault = Moment{}, NotATime // 8 March 2027, 10:00-12:00
	}
	return fault
}

func (m *Moment) scanIn(where Where, text string, order Order) (fault Fault) {
	if m.scanISO(text) {
		return OK
	}
	*m = Moment{}
	if fault, done := m.scanNumbers(text, order); done {
		return fault
	}
	if fault = m.scanAny(text, order, where); fault == NotATime {
		*m, fault = scanUnusual(text)
	}
	if fault == NotATime || fault == InexactZone { // 19:30 UHR looks like 19:30 EST
		if abroad := m.scanTranslated(text, order, where); abroad != NotATime {
			return abroad
		}
	}
	if fault == NotATime {
		if japan := m.scanJapanese(text, order, where); japan != NotATime {
			return japan
		}
	}
	if narrow := spelling.Narrow(text); narrow != text {
		return m.ScanIn(where, narrow, order)
	}
	if fault == NotATime {
		if plain, ok := unbracketed(text); ok {
			return m.ScanIn(where, plain, order)
		}
	}
	return fault
}

// unbracketed returns a text without the brackets around what says its time zone: 6:00 PM (GMT+2).
func unbracketed(text string) (plain string, ok bool) {
	before, inside, found := strings.Cut(strings.TrimSpace(text), " (")
	zone, closed := strings.CutSuffix(inside, ")")
	if _, isOffset := parseOffset(zone); !found || !closed || !isOffset && !isLetters(zone) {
		return "", false
	}
	return before + " " + zone, true
}

// isLetters reports whether a word looks like the abbreviation of a time zone.
func isLetters(word string) bool {
	return len(word) >= 3 && len(word) <= 5 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Lettered scans a text or, where that is no time, what stands in it before the letters of a time zone, which the moment
// then has: those of 9:00 am AEST, 8 pm Eastern and 18:00 (Singapore). What they mean is up to [ZoneOf] and [Zone.Called].
func (m *Moment) Lettered(text string, scan func(text string) Fault) Fault {
	fault := scan(text)
	if fault != InexactZone && fault != NotATime {
		return fault
	}
	if first, two := firstOfTwo(text); two {
		text = first
	}
	rest, letters, found := cutLetters(text)
	if !found {
		return fault
	}
	switch inner := scan(rest); {
	case inner == OK && (!m.HasTime || m.HasOffset), inner != OK && fault == NotATime:
		return fault
	case inner != OK:
		return inner
	}
	m.Letters = letters
	return OK
}

// cutLetters cuts the letters of a time zone off the end of a time. CT is one behind am and pm: behind any other hour it may
// be a quarter past it.
func cutLetters(text string) (rest, letters string, found bool) {
	text = strings.TrimSpace(text)
	if before, inside, bracket := strings.Cut(text, "("); bracket {
		letters, closed := strings.CutSuffix(inside, ")")
		_, one := ZoneOf(letters)
		return strings.TrimSpace(before), letters, closed && before != "" && (one || isLetters(letters))
	}
	rest, word, more := cutLast(text)
	if letters = word; more && isLetters(word) {
		return rest, letters, true
	}
	for range 4 { // Central European Summer Time
		if !more {
			break
		}
		if letters != word {
			letters = word + " " + letters
		}
		short := len(letters) == 2 && letters == strings.ToUpper(letters) && (letters != "CT" || SaysHalf(rest))
		if (short || len(letters) > 5) && Abbreviated(letters) != nil {
			return rest, letters, true
		}
		rest, word, more = cutLast(rest)
	}
	return "", "", false
}

// cutLast cuts off the last word of a text.
func cutLast(text string) (rest, word string, found bool) {
	at := strings.LastIndexByte(text, ' ')
	if at < 0 {
		return "", text, false
	}
	return strings.TrimSpace(text[:at]), text[at+1:], true
}

// ScanTimestamp reads a timestamp in the service's form: an ISO 8601 date-time whose offset is
// mandatory, seconds and their fraction optional. A fraction finer than a millisecond is rounded.
func (m *Moment) ScanTimestamp(text string) bool {
	return m.scanISO(text) && m.HasOffset && text[10] == 'T'
}

// ParseTimestamp returns the time of a timestamp in the service's form, by the clock that it was written with.
func ParseTimestamp(text string) (time.Time, bool) {
	var m Moment
	if !m.ScanTimestamp(text) {
		return time.Time{}, false
	}
	zone := time.UTC
	if m.Offset != 0 {
		zone = time.FixedZone("", m.Offset)
	}
	return time.UnixMilli(m.Instant()).In(zone), true
}

// scanISO reads the forms that nearly all cells of nearly all files have, in
// one pass without looking back: 2026-03-08, then T or a space, 14:30, :00,
// .000, Z or +01:00. It reports whether that was all and everything was valid.
func (m *Moment) scanISO(s string) bool {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, ok1 := digits4(s)
	month, ok2 := digits2(s[5:])
	day, ok3 := digits2(s[8:])
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	*m = Moment{Year: year, Month: month, Day: day, HasDate: true}
	if m.validDate() != OK {
		return false
	}
	if len(s) == 10 {
		return true
	}
	if len(s) < 16 || s[10] != 'T' && s[10] != ' ' || s[13] != ':' {
		return false
	}
	hour, ok1 := digits2(s[11:])
	minute, ok2 := digits2(s[14:])
	if !ok1 || !ok2 {
		return false
	}
	m.Hour, m.Minute, m.HasTime = hour, minute, true
	rest, rounded := s[16:], false
	if len(rest) >= 3 && rest[0] == ':' {
		var ok bool
		if rest, rounded, ok = m.scanISOSecond(rest); !ok {
			return false
		}
	}
	if m.validTime() != OK || m.Milli == 1000 && m.roundUp() != OK {
		return false
	}
	exact := s[10] == 'T' && len(s)-len(rest) >= len("2006-01-02T15:04:05") && !rounded
	switch {
	case rest == "":
		return true
	case rest == "Z":
		m.HasOffset, m.Exact = true, exact
		return true
	case m.scanISOOffset(rest):
		m.HasOffset, m.Exact = true, exact
		return true
	}
	return false
}

// scanISOSecond reads the :00.000 that may follow hours and minutes, and returns the rest. It reports whether the
// fraction was rounded.
func (m *Moment) scanISOSecond(s string) (rest string, rounded, ok bool) {
	second, ok := digits2(s[1:])
	if !ok {
		return s, false, false
	}
	if m.Second, s = second, s[3:]; len(s) < 2 || s[0] != '.' {
		return s, false, true
	}
	n := 1
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 1 {
		return s, false, false
	}
	m.Milli = millis(s[1:n])
	return s[n:], n > 4, true
}

// scanISOOffset reads +01:00.
func (m *Moment) scanISOOffset(s string) bool {
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return false
	}
	hours, ok1 := digits2(s[1:])
	minutes, ok2 := digits2(s[4:])
	if !ok1 || !ok2 || minutes > 59 || hours*60+minutes > maxOffset {
		return false
	}
	m.Offset = hours*3600 + minutes*60
	if s[0] == '-' {
		m.Offset = -m.Offset
	}
	return true
}

// scanNumbers reads the next most frequent forms in one pass: 3/8/2026 or
// 8.3.2026, then perhaps a space and 14:30, 14:30:00 or 2:30 PM. It reports whether
// that was all; scanAny would find the same.
func (m *Moment) scanNumbers(s string, order Order) (Fault, bool) {
	a, i := upTo2(s, 0)
	if i == 0 || i >= len(s) || !isSeparator(s[i]) {
		return OK, false
	}
	b, j := upTo2(s, i+1)
	if j == i+1 || j+5 > len(s) || s[j] != s[i] {
		return OK, false
	}
	year, ok := digits4(s[j+1:])
	if !ok || year < 1000 || j+5 < len(s) && s[j+5] != ' ' {
		return OK, false
	}
	if j+5 < len(s) {
		if !m.scanClock(s[j+6:]) {
			return OK, false
		}
	}
	fault := m.numeric(a, b, year, order)
	m.HasDate = fault == OK
	return fault, true
}

// scanClock reads a whole text as 14:30, 14:30:00, 2:30 PM or 2:30:00 PM.
func (m *Moment) scanClock(s string) bool {
	hour, i := upTo2(s, 0)
	if i == 0 || len(s) < i+3 || s[i] != ':' {
		return false
	}
	minute, ok := digits2(s[i+1:])
	if !ok {
		return false
	}
	s = s[i+3:]
	second := 0
	if len(s) >= 3 && s[0] == ':' {
		if second, ok = digits2(s[1:]); !ok {
			return false
		}
		s = s[3:]
	}
	switch {
	case s == "":
	case len(s) == 3 && s[0] == ' ' && s[2]|0x20 == 'm' && (s[1]|0x20 == 'a' || s[1]|0x20 == 'p'):
		if hour == 0 || hour > 12 {
			return false // the other scanner tells 0:30 AM from 0:30 PM
		}
		if hour %= 12; s[1]|0x20 == 'p' {
			hour += 12
		}
	default:
		return false
	}
	if hour > 23 || minute > 59 || second > 59 {
		return false
	}
	m.Hour, m.Minute, m.Second, m.HasTime = hour, minute, second, true
	return true
}

// upTo2 reads one or two digits from a position on, and gives the position after them.
func upTo2(s string, at int) (n, end int) {
	end = at
	for end < len(s) && end < at+2 && isDigit(s[end]) {
		n = n*10 + int(s[end]-'0')
		end++
	}
	return n, end
}

// unusual are forms that are read too seldom to deserve a scanner.
var unusual = [...]struct {
	layout string
	offset bool
}{
	{time.ANSIC, false},
	{time.RubyDate, true},
}

func scanUnusual(text string) (Moment, Fault) {
	text = strings.TrimSpace(text)
	if len(text) < 20 || len(text) > 40 {
		return Moment{}, NotATime
	}
	for _, u := range unusual {
		t, err := time.Parse(u.layout, text)
		if err != nil {
			continue
		}
		m := of(t, u.offset)
		if !strings.EqualFold(t.Weekday().String()[:3], text[:3]) {
			return m, WrongWeekday
		}
		return m, m.validDate()
	}
	return Moment{}, NotATime
}

// maxOffset is as far from UTC as any place is, in minutes.
const maxOffset = 14 * 60

// millis reads the digits after the decimal point, rounded to thousandths: 1000 where
// that makes a whole second.
func millis(s string) int {
	n := 0
	for i := range 3 {
		n *= 10
		if i < len(s) {
			n += int(s[i] - '0')
		}
	}
	if len(s) > 3 && s[3] >= '5' {
		n++
	}
	return n
}
