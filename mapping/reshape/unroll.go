package reshape

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Unroll makes a row an event of each day on which it takes place. Columns that
// there are none of are -1.
type Unroll struct {
	Days, Frequency, Interval int
	Start, Until              int
	End                       int // may be Until: then it becomes the occurrence's own day
	StartClock, EndClock      int // an end before the start is on the next day
	Key                       int
	Limit                     int // most events of one row
	Date1904                  bool
	// Order gives the order of a column's dates of numbers.
	Order func(column int, text string) datetime.Order
}

// occurrences returns a row out once for each event. A row that cannot be unrolled is
// given out as it is, with the problem in the note.
func (u *Unroll) occurrences(row *sheet.Row, note *Note) iter.Seq[sheet.Row] {
	return func(yield func(sheet.Row) bool) {
		s, fault := u.series(row)
		switch {
		case fault != nil:
			note.Problems = append(note.Problems, *fault)
			yield(*row)
			return
		case s == nil:
			yield(*row)
			return
		}
		for _, day := range s.days {
			if !yield(u.occurrence(row, s, day)) {
				return
			}
		}
	}
}

// series is the days of a row's event, with what its times were.
type series struct {
	start     datetime.Moment
	end       datetime.Moment // of the first occurrence, where End is a column of its own
	overnight bool            // an occurrence ends on the next day
	days      []time.Time
}

// series finds the days; nil where the row has a single event.
func (u *Unroll) series(row *sheet.Row) (*series, *schema.Problem) {
	days, frequency := u.text(row, u.Days), u.text(row, u.Frequency)
	rhythm, _ := datetime.ScanRhythm(frequency)
	if u.Frequency >= 0 && frequency == "" || u.Frequency < 0 && days == "" || rhythm.Unit == datetime.Once {
		return nil, nil
	}
	at := u.Days
	if u.Frequency >= 0 {
		at = u.Frequency
	}
	p, problem := u.pattern(row, at, rhythm)
	if problem != nil {
		return nil, problem
	}
	s := &series{}
	first, problem := u.day(row, u.Start, at, &s.start)
	if problem != nil {
		return nil, problem
	}
	var m datetime.Moment
	last, problem := u.day(row, u.Until, at, &m)
	if problem != nil {
		return nil, problem
	}
	if last.Before(first) {
		return nil, u.fault(row, u.Until, "the last day is before the first", "correct one of the two")
	}
	if len(rhythm.Days) > 0 && !slices.Contains(rhythm.Days, first.Weekday()) {
		return nil, u.fault(row, at, quote(frequency)+" is another day of the week than the first day", "correct one of the two")
	}
	for _, day := range rhythm.Days {
		p.on |= 1 << int(day)
	}
	if p.on == 0 {
		p.on = 1 << int(first.Weekday())
	}
	step, problem := u.step(row)
	if problem != nil {
		return nil, problem
	}
	p.step *= step
	if u.End >= 0 && u.End != u.Until {
		if _, problem = u.day(row, u.End, at, &s.end); problem != nil && u.text(row, u.End) != "" {
			return nil, problem
		}
	}
	s.overnight = u.overnight(row)
	if s.days, problem = u.list(row, at, first, last, p); problem != nil {
		return nil, problem
	}
	if len(s.days) > 1 && (s.start.HasOffset || s.end.HasOffset) {
		// An offset is that of one day: behind a change of the clocks it would be another hour.
		return nil, u.fault(
			row, u.Start, "the time has an offset, which may be another on the other days of a repeated event",
			"write the times without an offset, and say the time zone",
		)
	}
	return s, nil
}

// pattern is on which days of which days or weeks an event takes place.
type pattern struct {
	on     weekdays
	weekly bool
	step   int // in days or weeks
}

// pattern reads how an event repeats, but for its interval. Of a week whose days are not said it has none.
func (u *Unroll) pattern(row *sheet.Row, at int, rhythm datetime.Rhythm) (pattern, *schema.Problem) {
	p, days := pattern{weekly: true, step: 1}, u.text(row, u.Days)
	switch frequency := u.text(row, u.Frequency); {
	case rhythm.Unit == datetime.Day:
		p.on, p.weekly = 1<<7-1, false
	case frequency == "", rhythm.Unit == datetime.Week, rhythm.Unit == datetime.Fortnight:
		var ok bool
		if p.on, ok = parseWeekdays(days); !ok && days != "" {
			return p, u.fault(row, u.Days, "these are not days of the week", "write them like M,W,F or Su,M,T,W,Th,F,Sa")
		}
		if rhythm.Unit == datetime.Fortnight {
			p.step = 2
		}
	default:
		return p, u.fault(
			row, at, quote(frequency)+" events are not unrolled", "write a row for each of their days, and leave this cell blank",
		)
	}
	return p, nil
}

// maxYears is the longest time that days are looked for in.
const maxYears = 100

// list counts the days off, in strides of some days or weeks, so that a long time
// with few events costs little. Weeks begin on Monday, as those of an interval do.
func (u *Unroll) list(row *sheet.Row, at int, first, last time.Time, p pattern) ([]time.Time, *schema.Problem) {
	if years := last.Year() - first.Year(); years > maxYears {
		return nil, u.fault(row, u.Until, "the last day is "+strconv.Itoa(years)+" years after the first", "check the year")
	}
	stride, length, begin := p.step, 1, first
	if p.weekly {
		stride, length, begin = 7*p.step, 7, first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	}
	var days []time.Time
	for ; !begin.After(last); begin = begin.AddDate(0, 0, stride) {
		for i := range length {
			day := begin.AddDate(0, 0, i)
			if day.Before(first) || day.After(last) || !p.on.Has(int(day.Weekday())) {
				continue
			}
			if len(days) == u.Limit {
				return nil, u.fault(
					row, at, "the row makes more than "+strconv.Itoa(u.Limit)+" events",
					"check the last day, or raise limit under unroll in the mapping",
				)
			}
			days = append(days, day)
		}
	}
	if len(days) == 0 {
		return nil, u.fault(row, at, "none of these days lies between the first and the last", "check the days and the dates")
	}
	return days, nil
}

func (u *Unroll) step(row *sheet.Row) (int, *schema.Problem) {
	text := u.text(row, u.Interval)
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 {
		return 0, u.fault(row, u.Interval, quote(text)+" is not an interval", "write a whole number from 1")
	}
	return n, nil
}

// day reads the date of a column.
func (u *Unroll) day(row *sheet.Row, column, at int, m *datetime.Moment) (time.Time, *schema.Problem) {
	var fault datetime.Fault
	text := u.text(row, column)
	switch row.Cells[column].Kind {
	case sheet.Date:
		*m, fault = datetime.Serial(text, u.Date1904)
	case sheet.Text:
		fault = m.Scan(text, u.Order(column, text))
	default:
		fault = datetime.NotATime
	}
	if fault != datetime.OK || !m.HasDate {
		which := "first"
		switch column {
		case u.Until:
			which = "last"
		case u.End:
			which = "end's"
		}
		return time.Time{}, u.fault(
			row, at, "the event cannot be unrolled: its "+which+" day is not known",
			"correct the date in column "+schema.ColumnName(column),
		)
	}
	return time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC), nil
}

// overnight reports whether the clocks say that an occurrence ends on the next day.
func (u *Unroll) overnight(row *sheet.Row) bool {
	start, ok1 := u.clock(row, u.StartClock)
	end, ok2 := u.clock(row, u.EndClock)
	return ok1 && ok2 && end < start
}

func (u *Unroll) clock(row *sheet.Row, column int) (seconds int, ok bool) {
	if column < 0 {
		return 0, false
	}
	var m datetime.Moment
	fault := datetime.NotATime
	switch cell := &row.Cells[column]; cell.Kind {
	case sheet.Date:
		m, fault = datetime.Serial(cell.Text, u.Date1904)
	case sheet.Text:
		fault = m.ScanIn(datetime.ClockCell, cell.Text, datetime.MonthFirst)
	}
	return m.Hour*3600 + m.Minute*60 + m.Second, fault == datetime.OK && m.HasTime
}

// occurrence returns the row of one day.
func (u *Unroll) occurrence(row *sheet.Row, s *series, day time.Time) sheet.Row {
	out := *row
	out.Cells = slices.Clone(row.Cells)
	for _, column := range []int{u.Days, u.Frequency, u.Interval} {
		if column >= 0 {
			out.Cells[column] = sheet.Cell{Line: row.Cells[column].Line}
		}
	}
	put := func(column int, m datetime.Moment, day time.Time) {
		m.Year, m.Month, m.Day = day.Year(), int(day.Month()), day.Day()
		text := string(m.Append(nil))
		if m.HasTime && len(text) > 10 {
			text = text[:10] + " " + text[11:]
		}
		out.Cells[column] = sheet.Cell{Kind: sheet.Text, Text: text, Line: row.Cells[column].Line}
	}
	put(u.Start, s.start, day)
	until := day
	if s.overnight {
		until = day.AddDate(0, 0, 1)
	}
	switch {
	case u.End == u.Until:
		put(u.End, datetime.Moment{HasDate: true}, until)
	case u.End >= 0 && s.end.HasDate:
		shift := time.Date(s.end.Year, time.Month(s.end.Month), s.end.Day, 0, 0, 0, 0, time.UTC).Sub(date(&s.start))
		put(u.End, s.end, day.Add(shift))
		out.Cells[u.Until] = sheet.Cell{Line: row.Cells[u.Until].Line}
	default:
		out.Cells[u.Until] = sheet.Cell{Line: row.Cells[u.Until].Line}
	}
	if u.Key >= 0 && u.text(row, u.Key) != "" {
		out.Cells[u.Key] = sheet.Cell{
			Kind: sheet.Text, Text: u.text(row, u.Key) + "@" + day.Format(time.DateOnly), Line: row.Cells[u.Key].Line,
		}
	}
	return out
}

func date(m *datetime.Moment) time.Time {
	return time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC)
}

func (u *Unroll) text(row *sheet.Row, column int) string {
	if column < 0 || column >= len(row.Cells) {
		return ""
	}
	return strings.TrimSpace(row.Cells[column].Text)
}

func (u *Unroll) fault(row *sheet.Row, column int, message, hint string) *schema.Problem {
	return &schema.Problem{
		Code: schema.CodeBadRecurrence, Place: schema.Place{Column: column}, Value: u.text(row, column), Message: message, Hint: hint,
	}
}

func quote(text string) string { return strconv.Quote(text) }
