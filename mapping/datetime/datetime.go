// Package datetime reads dates, times, zones and durations as people, spreadsheets and
// the service write them.
//
// A [Moment] is what a text says of when: a date, a time of day, an offset from UTC, or
// any of them together. [Scan] tries four readers in turn. Two of them read the forms
// that nearly all cells have in one pass, without looking back: ISO 8601, and dates of
// numbers. The third cuts the text into pieces, runs of digits or letters, and reads
// what people write in English. The last puts the words of other languages, which
// stand in languages.txt, into English and has the third read that. [CutRange] parts a
// text that holds a start and an end; [Serial] reads the number that a spreadsheet
// stores.
//
// Nothing is guessed. 03/04/2026 needs an [Order]; 13/04/2026 has only one and is the
// proof of it for the whole column ([Moment.Proof]), which is the caller's to decide.
// Some texts are times in some places only, such as 18.30 in a column of times of day:
// the caller says where a text stands ([Where]). A text that is no moment has a [Fault],
// a bare reason that the caller puts into words.
//
// A wall time becomes an instant by the [Zone] of a name. [Zone.Offsets] returns one
// offset nearly always, none in the gap of a clock change, and two where the clock is
// set back. [LoadZone] takes a name that is one zone's alone, and loads each once for
// the process: an IANA name, one of Windows, an offset. [FindZones] returns what else a
// person may mean, by a city, a country, an abbreviation, for somebody to choose from.
// The names stand in zones.txt, windows.txt and places.txt.
package datetime

import (
	"strings"
	"time"
	"unicode"
)

// Moment is what a cell says about when: a date, a time of day, an offset from
// UTC, or any of them together. It is a wall time unless HasOffset.
type Moment struct {
	Year, Month, Day            int
	Hour, Minute, Second, Milli int
	Offset                      int // seconds east of UTC
	HasDate, HasTime, HasOffset bool
	// Bare: the offset stands beside a time of day alone, so that it says no instant
	// by itself. A date that is added later leaves it so.
	Bare bool
	// Exact: the text is in the service's own form (service: Conventions), with
	// seconds, so that it can be sent as it stands.
	Exact bool
	// Proof is the order that the text alone proves: 13/04/2026 can only be day
	// first. It is Unknown for a date that needs no proof.
	Proof Order
	// Letters are those of a time zone that stood behind the time, such as AEST: see [Moment.Lettered].
	Letters string
}

// Order is the order in which a date of numbers is written.
type Order uint8

// The orders of --date-order.
const (
	Unknown Order = iota
	MonthFirst
	DayFirst
	YearFirst
)

// ParseOrder reads mdy, dmy or ymd; the empty word is Unknown.
func ParseOrder(word string) (Order, bool) {
	for o, w := range orderWords {
		if w == word {
			return Order(o), true
		}
	}
	return Unknown, false
}

var orderWords = [...]string{"", "mdy", "dmy", "ymd"}

// IsClockSign reports whether a sign shows that a number is one of a time: 18:30, 18.30, 18h, 6 pm.
func IsClockSign(r rune) bool { return unicode.IsLetter(r) || r == ':' || r == '.' }

// Separator returns the sign that stands behind the first number of a date: not that of "Sat., 6/3/2027".
func Separator(text string) string {
	for i := 1; i < len(text); i++ {
		if strings.IndexByte("/.-", text[i]) >= 0 && isDigit(text[i-1]) {
			return text[i : i+1]
		}
	}
	return ""
}

// OrderOf returns the order of dates that are written with the given separators and no others: those with dots have
// the day first wherever people write them.
func OrderOf(separators string) Order {
	if separators == "." {
		return DayFirst
	}
	return Unknown
}

// String returns the order's word, empty for Unknown.
func (o Order) String() string { return orderWords[o] }

// Where says what is known of the place of a text: some texts are times in some places only.
type Where uint8

// The places of a text.
const (
	AnyCell   Where = iota
	ClockCell       // a column of times of day, or the first part of a range: 18.30, 1930 and 21h are times
	RangeEnd        // the second part of a range: 24:00 and midnight are times too, of Hour 24
)

// Fault says why a text is no moment.
type Fault uint8

// The faults of a text.
const (
	OK             Fault = iota
	NotATime             // neither a date nor a time
	NoSuchDay            // April 31
	NoSuchTime           // 25:00, 13:00 PM
	NeedsOrder           // 03/04/2026, as long as the order is Unknown
	WrongOrder           // 13/04/2026 where months come first
	WrongWeekday         // Monday, March 8, 2026
	InexactZone          // 10:00 EST
	NoSuchOffset         // 10:00+21:00
	Midnight             // of which day?
	BareNumber           // 46089.5: perhaps a serial date that lost its format
	EarlySerial          // a serial date before 1 March 1900
	OutOfRangeYear       // year 0, or after 9999; 01.05.0027, which is a slip
	NeedsHalf            // halb acht, viertel nach 7: in the morning or in the evening?
)

// Wall returns the seconds from 1970-01-01 00:00:00 to the wall time, as a clock
// without a zone counts them.
func (m *Moment) Wall() int64 {
	return days(m.Year, m.Month, m.Day)*86400 + int64(m.Hour*3600+m.Minute*60+m.Second)
}

// Epoch reports whether the day is one that programs give to a time without a date:
// 30.12.1899 19:30.
func (m *Moment) Epoch() bool {
	switch m.Year {
	case 1899:
		return m.Month == 12 && m.Day >= 30
	case 1900, 1904:
		return m.Month == 1 && m.Day == 1
	}
	return false
}

// Unix returns the instant in milliseconds of a wall time at an offset in seconds.
func Unix(wall int64, offset, milli int) int64 {
	return (wall-int64(offset))*1000 + int64(milli)
}

// Instant returns the milliseconds since 1970 of a moment with an offset.
func (m *Moment) Instant() int64 { return Unix(m.Wall(), m.Offset, m.Milli) }

// days counts the days from 1970-01-01 in the Gregorian calendar.
func days(year, month, day int) int64 {
	// Years begin in March here, so that the leap day is the last of its year. The
	// year 0 of some era comes first, so that nothing is less than zero.
	const eras, perEra = 10, 146097
	y, m := uint(year+eras*400), uint(month)
	if m <= 2 {
		y--
		m += 12
	}
	return int64(y*365+y/4-y/100+y/400+(153*m-457)/5) + int64(day) - 719469 - eras*perEra
}

// civil is the date of a count of days.
func civil(n int64) (year, month, day int) {
	n += 719468
	era := n / 146097
	if n < 0 {
		era = (n - 146096) / 146097
	}
	doe := n - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	year = int(yoe + era*400)
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// weekday is 0 for Sunday.
func weekday(year, month, day int) int {
	return int(((days(year, month, day)+4)%7 + 7) % 7)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// validDate checks the calendar; the caller has made sure that month is at least 1.
func (m *Moment) validDate() Fault {
	if m.Year < 1 || m.Year > 9999 {
		return OutOfRangeYear
	}
	if m.Month < 1 || m.Month > 12 || m.Day < 1 || m.Day > daysIn(m.Year, m.Month) {
		return NoSuchDay
	}
	return OK
}

func (m *Moment) validTime() Fault {
	if m.Hour > 23 || m.Minute > 59 || m.Second > 59 {
		return NoSuchTime
	}
	return OK
}

// roundUp moves a moment on by the millisecond that its fraction of a second was
// rounded up to, where that is a whole second.
func (m *Moment) roundUp() Fault {
	m.Milli = 0
	if !m.HasDate && m.Hour == 23 && m.Minute == 59 && m.Second == 59 {
		return NoSuchTime // on the next day, of no date
	}
	if m.move(1); m.HasDate {
		return m.validDate()
	}
	return OK
}

// move puts the wall time some seconds later, over the ends of minutes, hours and days.
func (m *Moment) move(seconds int64) {
	if !m.HasDate {
		m.Year, m.Month, m.Day = 1970, 1, 1
	}
	wall := m.Wall() + seconds
	day := wall / 86400
	if wall%86400 < 0 {
		day--
	}
	second := int(wall - day*86400)
	m.Hour, m.Minute, m.Second = second/3600, second/60%60, second%60
	m.Year, m.Month, m.Day = civil(day)
	if !m.HasDate {
		m.Year, m.Month, m.Day = 0, 0, 0
	}
}

// AppendWall appends the wall time of seconds since 1970 as a clock without a
// zone counts them: 2026-03-08T14:30:00, with milliseconds only where there are some.
func AppendWall(dst []byte, wall int64, milli int) []byte {
	m := Moment{Year: 1970, Month: 1, Day: 1, Milli: milli, HasDate: true}
	m.move(wall)
	return m.appendWall(dst)
}

// AppendTimestamp appends a moment in the service's form, at the offset in
// seconds: the wall time, then Z or the offset in minutes.
func (m *Moment) AppendTimestamp(dst []byte, offset int) []byte {
	return appendOffset(m.appendWall(dst), offset)
}

// AppendTimestamp appends the wall time of seconds since 1970 in the service's form.
func AppendTimestamp(dst []byte, wall int64, milli, offset int) []byte {
	return appendOffset(AppendWall(dst, wall, milli), offset)
}

func appendOffset(dst []byte, offset int) []byte {
	if offset == 0 {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	h, m := offset/3600, offset/60%60
	return append(dst, sign, tens(h), ones(h), ':', tens(m), ones(m))
}

// Append appends a moment the way it would be written in one cell, so that Scan
// reads it back to the same: the date, the time, or both.
func (m *Moment) Append(dst []byte) []byte {
	switch {
	case m.HasDate && m.HasTime && m.HasOffset:
		return m.AppendTimestamp(dst, m.Offset)
	case m.HasDate && m.HasTime:
		return m.appendWall(dst)
	case m.HasDate:
		return m.appendDate(dst)
	}
	dst = m.appendClock(dst)
	if m.HasOffset {
		if m.Offset < 0 { // a bare minus would begin the end of a range
			dst = append(dst, " GMT"...)
		}
		dst = appendOffset(dst, m.Offset)
	}
	return dst
}

func (m *Moment) appendWall(dst []byte) []byte {
	return m.appendClock(append(m.appendDate(dst), 'T'))
}

func (m *Moment) appendDate(dst []byte) []byte {
	year := uint32(m.Year) // dividing it takes less than an int
	high, low := int(year/100), int(year%100)
	date := [...]byte{tens(high), ones(high), tens(low), ones(low), '-', tens(m.Month), ones(m.Month), '-', tens(m.Day), ones(m.Day)}
	return append(dst, date[:]...)
}

func (m *Moment) appendClock(dst []byte) []byte {
	clock := [...]byte{tens(m.Hour), ones(m.Hour), ':', tens(m.Minute), ones(m.Minute), ':', tens(m.Second), ones(m.Second)}
	dst = append(dst, clock[:]...)
	if m.Milli != 0 {
		dst = append(dst, '.', byte('0'+m.Milli/100), tens(m.Milli%100), ones(m.Milli%10))
	}
	return dst
}

func tens(n int) byte { return '0' + uint8(n)/10 }
func ones(n int) byte { return '0' + uint8(n)%10 }

// of is the moment of a time.Time, for texts that only time.Parse understands.
func of(t time.Time, hasOffset bool) Moment {
	t = t.Round(time.Millisecond)
	_, offset := t.Zone()
	return Moment{
		Year: t.Year(), Month: int(t.Month()), Day: t.Day(),
		Hour: t.Hour(), Minute: t.Minute(), Second: t.Second(), Milli: t.Nanosecond() / 1e6,
		Offset: offset, HasDate: true, HasTime: true, HasOffset: hasOffset,
	}
}

func (m *Moment) clock24() int { return m.Hour*3600 + m.Minute*60 + m.Second }

// NextDay moves a moment on by a day.
func (m *Moment) NextDay() { m.move(86400) }

// EndDay makes 24:00 of a date the beginning of the next.
func (m *Moment) EndDay() {
	if m.Hour == 24 && m.HasDate {
		m.move(0)
	}
}
