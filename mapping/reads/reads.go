// Package reads holds how cells of more than one reading are read.
//
// A mapping has for a field lines of an example and its reading, "25 Pers.": number. They
// are applied to the text of a cell before the field's own parser sees it: [Table.Apply]
// returns the text that is parsed instead, and leaves alone what no line is for. So
// whoever proposes a mapping can show what a cell becomes by the code that reads it.
//
// Some readings are for all texts of the example's [Shape]:
//
//	thousands   1.200 is 1200
//	number      the one number in the text: 25 Pers. is 25
//	year 2027   of a date that has none: Mar 4 is Mar 4 2027
//	year 2027/28 from September
//	            of dates of a season: Sep 4 is Sep 4 2027, and Mar 4 is Mar 4 2028
//	at 18:30    of dates without a time of day: 3/15/2027 is 3/15/2027 18:30
//	month first of dates that cannot have the day first, as the others have it; day first likewise
//	pm          of hours that do not say in which half of the day they are: 7:30 and halb 8 are 19:30; am likewise
//	am from 8   8:30 is 08:30, and 7:30 is 19:30
//	all blank   as if such cells were blank
//	one event   of days that follow each other: at 10.-12.10.2027 it starts on the first, and ends on the last
//	first time  of two times in a cell: of Beginn 20 Uhr / Einlass 19 Uhr it is 20 Uhr; second time likewise
//
// The others are for the text itself, whatever its letter case:
//
//	<clear>     the field is emptied; <empty> likewise
//	blank       as if the cell were blank: tbd
//	ignore      the word is left out of a cell that has more: Doors 7pm is 7pm
//	15m later   likewise, and the hour is a quarter past it: of c.t., 18 Uhr c.t. is 18:15
//	23:00       anything else is what the text stands for
//
// [Propose] knows the words of people for some of them.
package reads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/yamldoc"
)

// The readings that are words.
const (
	Thousands = "thousands"
	Number    = "number"
	Clear     = "<clear>"
	Empty     = "<empty>"
	Blank     = "blank"
	Ignore    = "ignore"
	AllBlank  = "all blank"
	Later     = "15m later"
	First     = "first time"
	Second    = "second time"
	OneEvent  = "one event"
)

// At returns the reading of dates that have no time of day.
func At(clock string) string { return atWord + clock }

// firsts are the readings of dates whose order is not that of the others.
var firsts = map[string]datetime.Order{"month first": datetime.MonthFirst, "day first": datetime.DayFirst}

// Order returns the reading of dates in an order that is not that of the others; empty for no order.
func Order(order datetime.Order) string {
	for reading, o := range firsts {
		if o == order {
			return reading
		}
	}
	return ""
}

// The readings of hours that do not say in which half of the day they are.
const (
	Morning  = "am"
	Evening  = "pm"
	fromHour = "am from "
)

// MorningFrom returns the reading of such hours that are in the morning from one on.
func MorningFrom(hour int) string { return fromHour + strconv.Itoa(hour) }

// HalfOf returns the hour from which on a reading takes such hours for the morning.
func HalfOf(reading string) (from int, ok bool) {
	switch reading {
	case Morning:
		return 0, true
	case Evening:
		return 12, true
	}
	hour, ok := strings.CutPrefix(reading, fromHour)
	from, err := strconv.Atoi(hour)
	return from, ok && err == nil && from > 0 && from < 12
}

// Years is the year of dates that have none.
type Years struct {
	First int        // 0: not known
	From  time.Month // with which the first year begins: before it is the next one. 0 where nothing is said, as January
}

const (
	yearWord = "year "
	fromWord = " from "
	atWord   = "at "
)

// String returns the reading: year 2027, year 2027/28 from September.
func (y Years) String() string {
	text := yearWord + strconv.Itoa(y.First)
	switch {
	case y.From > time.January:
		return fmt.Sprintf("%s/%02d%s%v", text, (y.First+1)%100, fromWord, y.From)
	case y.From == time.January:
		return text + fromWord + y.From.String()
	}
	return text
}

// Of returns the year of a date in a month.
func (y Years) Of(month time.Month) int {
	if month < y.From {
		return y.First + 1
	}
	return y.First
}

// YearsOf returns the year of a reading that gives one.
func YearsOf(reading string) (y Years, ok bool) {
	text, ok := strings.CutPrefix(reading, yearWord)
	if !ok {
		return Years{}, false
	}
	text, from, _ := strings.Cut(text, fromWord)
	text, next, season := strings.Cut(text, "/")
	y.From = time.Month(datetime.Month(from))
	var err error
	y.First, err = strconv.Atoi(text)
	if err != nil || y.First < 1000 || y.First > 9998 || from != "" && y.From == 0 {
		return Years{}, false
	}
	return y, season == (y.From > time.January) && (!season || next == fmt.Sprintf("%02d", (y.First+1)%100))
}

// Key returns what the line of an example is found by. Lines of one key are of the same cells.
func Key(example, reading string) string {
	if ofShape(reading) {
		return Shape(example)
	}
	return folded(example)
}

// ofShape reports whether a reading is for all texts of the example's shape.
func ofShape(reading string) bool {
	_, isYear := YearsOf(reading)
	_, isHalf := HalfOf(reading)
	return isYear || isHalf || slices.Contains([]string{Thousands, Number, AllBlank, First, Second, OneEvent}, reading) ||
		firsts[reading] != datetime.Unknown || strings.HasPrefix(reading, atWord)
}

// Table is how the cells of one field are read.
type Table struct {
	shapes map[string]string // readings
	texts  map[string]string // what a text stands for
	words  []string          // that are left out
	later  []string          // likewise, where the hour is a quarter past the one beside them
	order  func(text string) datetime.Order
}

// New makes the table of lines that [Check] finds nothing wrong with; nil of none. order says in which
// order a text has its day and month; nil where that is not known.
func New(lines yamldoc.Map[string], order func(text string) datetime.Order) *Table {
	if len(lines) == 0 {
		return nil
	}
	t := &Table{shapes: map[string]string{}, texts: map[string]string{}, order: order}
	for _, line := range lines {
		key := Key(line.Key, line.Value)
		switch {
		case ofShape(line.Value):
			t.shapes[key] = line.Value
		case line.Value == Ignore:
			t.words = append(t.words, key)
		case line.Value == Later:
			t.later = append(t.later, key)
		case line.Value == Blank:
			t.texts[key] = ""
		default:
			t.texts[key] = line.Value
		}
	}
	return t
}

// Apply returns the text that is parsed in the place of a cell's: the cell's own where no
// line is for it.
func (t *Table) Apply(text string) string {
	if read, ok := t.read(text); ok {
		return read
	}
	rest, later := text, false
	for last := ""; last != rest; { // a word may be there twice
		last = rest
		for _, word := range t.words {
			rest = without(rest, word)
		}
	}
	for _, word := range t.later {
		if hour := without(rest, word); hour != rest {
			rest, later = hour, true
		}
	}
	if folded(rest) == "" {
		return text
	}
	read, _ := t.read(rest)
	if later {
		quarter, ok := t.quarterPast(read)
		if !ok {
			return text
		}
		return quarter
	}
	return read
}

// orderFor returns the order of a text's date, as far as it is known.
func (t *Table) orderFor(text string) datetime.Order {
	if t.order == nil {
		return datetime.Unknown
	}
	return t.order(text)
}

// quarterPast returns a quarter past a whole hour, and reports false for any other time.
func (t *Table) quarterPast(text string) (quarter string, ok bool) {
	var m datetime.Moment
	if m.ScanIn(datetime.ClockCell, text, t.orderFor(text)) != datetime.OK || !m.HasTime || m.Minute+m.Second+m.Milli > 0 {
		return "", false
	}
	m.Minute = 15
	return string(m.Append(nil)), true
}

// read returns what a text with nothing left out is read as; the text itself where no line is for it.
func (t *Table) read(text string) (read string, ok bool) {
	if read, ok = t.Exact(text); ok || len(t.shapes) == 0 {
		return read, ok
	}
	if reading, ok := t.shapes[Shape(text)]; ok {
		return t.byShape(text, reading)
	}
	return text, false
}

// Exact returns what a text stands for by itself, the text where it stands for nothing
// else. It is what counts for a number that a spreadsheet holds as one.
func (t *Table) Exact(text string) (read string, ok bool) {
	if len(t.texts) > 0 {
		if read, ok = t.texts[folded(text)]; ok {
			return read, true
		}
	}
	return text, false
}

// byShape reads a text of the shape of a line; it reports false where the text cannot be read so.
func (t *Table) byShape(text, reading string) (read string, ok bool) {
	if years, ok := YearsOf(reading); ok {
		return t.inYear(text, years)
	}
	if order := firsts[reading]; order != datetime.Unknown {
		return t.inOrder(text, order)
	}
	if clock, ok := strings.CutPrefix(reading, atWord); ok {
		return text + " " + clock, isDay(text)
	}
	if from, ok := HalfOf(reading); ok {
		return datetime.InHalf(text, from), true
	}
	switch reading {
	case AllBlank:
		return "", true
	case First, Second:
		return ofTwo(text, reading)
	case OneEvent:
		first, last, ok := datetime.Days(text, t.orderFor(text))
		if !ok {
			return text, false
		}
		return datetime.Through(&first, &last), true
	}
	n, ok := oneNumber(text)
	switch {
	case ok && reading == Thousands && n.grouped():
		return n.whole(), true
	case ok && reading == Number && n.plain():
		return n.String(), true
	}
	return text, false
}

// inOrder writes a date that is none in the order of the others as it is in another.
func (t *Table) inOrder(text string, order datetime.Order) (read string, ok bool) {
	if t.order == nil {
		return text, false
	}
	if _, fault := datetime.Scan(text, t.order(text)); fault != datetime.WrongOrder {
		return text, false
	}
	m, fault := datetime.Scan(text, order)
	if fault != datetime.OK {
		return text, false
	}
	return string(m.Append(nil)), true
}

// isDay reports whether a text is a date without a time of day.
func isDay(text string) bool {
	return slices.ContainsFunc([]datetime.Order{datetime.DayFirst, datetime.MonthFirst}, func(order datetime.Order) bool {
		m, fault := datetime.Scan(text, order)
		return fault == datetime.OK && m.HasDate && !m.HasTime
	})
}

// inYear puts the year into a date without one; it reports false where its month is in doubt and decides.
func (t *Table) inYear(text string, years Years) (read string, ok bool) {
	if years.From > time.January {
		month, _, known := datetime.MonthAndDay(text, t.orderFor(text))
		if !known {
			return text, false
		}
		years.First = years.Of(time.Month(month))
	}
	return datetime.WithYear(text, years.First)
}
