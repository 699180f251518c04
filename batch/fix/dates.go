package fix

import (
	"time"

	"eventbatch/mapping"
	"eventbatch/mapping/moment"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// How dates of a workbook are shown.
const (
	showDay   = "yyyy-mm-dd"
	showClock = "hh:mm"
)

// date brings the cells of a time that was understood into one form. A cell that
// names an offset of its own never loses it.
func (m *mender) date(f *mapping.Feed) {
	s := m.result.Draft.Get(f.Field.ID)
	if s == nil || s.State != schema.Set || s.Column < 0 {
		return
	}
	at, ok := stamp(s.Text)
	if !ok {
		return
	}
	if len(f.Columns) == 2 {
		m.dateAndClock(f, at)
		return
	}
	column := f.Columns[0]
	word, isText := m.words(column)
	if !isText {
		return
	}
	if m.rules.Dates == RealDates && !hasOffset(word) {
		m.put(column, ruleDates, f.Field.Path, at.Format("2006-01-02 15:04"), sheet.Out{Kind: sheet.Date, Time: at})
		return
	}
	if word != s.Text {
		m.put(column, ruleDates, f.Field.Path, s.Text, text(s.Text))
	}
}

// dateAndClock does the same with a date and its time of day in two cells.
func (m *mender) dateAndClock(f *mapping.Feed, at time.Time) {
	day, dayText := m.words(f.Columns[0])
	clock, clockText := m.words(f.Columns[1])
	if hasOffset(day) || hasOffset(clock) {
		return
	}
	if dayText && !f.Borrowed {
		cell := text(at.Format("2006-01-02"))
		if m.rules.Dates == RealDates {
			cell = sheet.Out{Kind: sheet.Date, Time: at, Layout: showDay}
		}
		if shown := at.Format("2006-01-02"); shown != day || cell.Kind == sheet.Date {
			m.put(f.Columns[0], ruleDates, f.Field.Path, shown, cell)
		}
	}
	if other, _ := moment.Scan(clock, moment.MonthFirst); !clockText || clock == "" || other.HasDate {
		return
	}
	shown := clockOf(at)
	cell := text(shown)
	if m.rules.Dates == RealDates {
		cell = sheet.Out{Kind: sheet.Date, Time: at, Clock: true, Layout: showClock}
	}
	if shown != clock || cell.Kind == sheet.Date {
		m.put(f.Columns[1], ruleDates, f.Field.Path, shown, cell)
	}
}

// stamp reads a timestamp of ours, by the clock that it was written with.
func stamp(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// hasOffset tells whether a text says how far its clock is from UTC.
func hasOffset(text string) bool {
	for _, order := range []moment.Order{moment.MonthFirst, moment.DayFirst} {
		if m, fault := moment.Scan(text, order); fault == moment.OK {
			return m.HasOffset
		}
	}
	return false
}

func clockOf(at time.Time) string {
	if at.Second() != 0 {
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// fill fills the blank cells of a field. A time is written as the one that it
// follows is.
func (m *mender) fill(f *fill) {
	d := m.result.Draft
	if d.Has(f.Field.ID) {
		return
	}
	columns := f.feed.Columns
	if f.feed.Borrowed {
		columns = columns[1:]
	}
	for _, column := range columns {
		if m.cell(column).Kind != sheet.Blank {
			return
		}
	}
	if f.From == nil {
		m.put(columns[0], ruleFill, f.Field.Path, f.Value, text(f.Value))
		return
	}
	from := d.Get(f.From.ID)
	if from == nil || from.State != schema.Set {
		return
	}
	written, ok := stamp(from.Text)
	if !ok {
		return
	}
	at := written.Add(f.After)
	local, zoned := m.local(at)
	switch {
	case len(columns) == 1 && !f.feed.Borrowed:
		asDate := m.rules.Dates == RealDates || from.Column >= 0 && m.cell(from.Column).Kind == sheet.Date
		if zoned && asDate {
			m.put(columns[0], ruleFill, f.Field.Path, local.Format("2006-01-02 15:04"), sheet.Out{Kind: sheet.Date, Time: local})
			return
		}
		if zoned {
			at = local
		}
		shown := at.Format(time.RFC3339)
		m.put(columns[0], ruleFill, f.Field.Path, shown, text(shown))
	case !zoned:
		// A wall time says too little without a zone: the row says what is missing.
	case f.feed.Borrowed:
		start, _ := m.local(written)
		shown := clockOf(local)
		if start.Format(time.DateOnly) != local.Format(time.DateOnly) {
			shown = local.Format("2006-01-02 15:04")
		}
		m.put(columns[0], ruleFill, f.Field.Path, shown, text(shown))
	default:
		m.put(columns[0], ruleFill, f.Field.Path, local.Format(time.DateOnly), text(local.Format(time.DateOnly)))
		m.put(columns[1], ruleFill, f.Field.Path, clockOf(local), text(clockOf(local)))
	}
}

// local gives an instant by the clock of the row's time zone; not ok where there is
// none, and where that clock shows the same time twice.
func (m *mender) local(at time.Time) (time.Time, bool) {
	name := m.result.Draft.Text(schema.FieldTimezone)
	if name == "" {
		name = m.zone
	}
	if name == "" {
		return at, false
	}
	zone, err := schema.LoadZone(name)
	if err != nil {
		return at, false
	}
	local := at.In(zone)
	for _, shift := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		_, here := local.Zone()
		_, there := at.Add(shift).In(zone).Zone()
		if again := local.Add(time.Duration(here-there) * time.Second); here != there && again.In(zone).Format("15:04") == local.Format("15:04") {
			return local, false
		}
	}
	return local, true
}
