package fix

import (
	"slices"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// How dates of a workbook are shown.
const (
	showDay   = "yyyy-mm-dd"
	showClock = "hh:mm"
)

// dates replaces dates and times that cannot be read but can mean one thing only.
func (r *rowFixer) dates(f *Columns) {
	for i, column := range f.At {
		p := r.proposed(column)
		if i == 0 && f.Borrowed || p == nil {
			continue // a borrowed date is mended as the start's
		}
		var at datetime.Moment
		if r.rules.Dates != RealDates || at.Scan(p.Proposal, datetime.Unknown) != datetime.OK {
			r.put(column, ruleDates, f.Field.Path, p.Proposal, sheet.TextOut(p.Proposal))
			continue
		}
		r.put(column, ruleDates, f.Field.Path, p.Proposal, realDate(&at))
	}
}

// realDate returns a date of a workbook, a time of day, or both.
func realDate(at *datetime.Moment) sheet.Out {
	cell := sheet.Out{
		Kind: sheet.Date, Clock: !at.HasDate,
		Time: time.Date(at.Year, time.Month(at.Month), at.Day, at.Hour, at.Minute, at.Second, at.Milli*1e6, time.UTC),
	}
	switch {
	case !at.HasDate:
		cell.Layout = showClock
	case !at.HasTime:
		cell.Layout = showDay
	}
	return cell
}

func clockOf(at time.Time) string {
	if at.Second() != 0 {
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// fill fills the blank cells of a field. A time is written as the one that it
// follows is.
func (r *rowFixer) fill(f *fill) {
	column := f.columns.At[len(f.columns.At)-1]
	if r.Draft.Has(f.Field.ID) || !r.blank(column) {
		return
	}
	if f.From == nil {
		r.put(column, ruleFill, f.Field.Path, f.Value, sheet.TextOut(f.Value))
		return
	}
	from := r.Draft.Get(f.From.ID)
	if from == nil || from.State != schema.Set {
		return
	}
	written, ok := datetime.ParseTimestamp(from.Text)
	if !ok {
		return
	}
	at := written.Add(f.After)
	local, zoned := r.local(at)
	real := r.rules.Dates == RealDates || r.hasRealDate(f.From)
	if len(f.columns.At) == 1 {
		switch {
		case zoned && real:
			r.put(column, ruleFill, f.Field.Path, local.Format("2006-01-02 15:04"), sheet.Out{Kind: sheet.Date, Time: local})
			return
		case zoned:
			at = local
		}
		r.put(column, ruleFill, f.Field.Path, at.Format(time.RFC3339), sheet.TextOut(at.Format(time.RFC3339)))
		return
	}
	if !zoned {
		return // a wall time says too little without a zone: the row says what is missing
	}
	start, _ := r.local(written)
	day, sameDay := f.columns.At[0], start.Format(time.DateOnly) == local.Format(time.DateOnly)
	switch {
	case sameDay && r.onDayOf(f, day), r.showsDay(day, local):
	case f.columns.Borrowed:
		shown := local.Format("2006-01-02 15:04")
		r.put(column, ruleFill, f.Field.Path, shown, sheet.TextOut(shown))
		return
	case !r.blank(day):
		return // it holds another day
	default:
		out := sheet.TextOut(local.Format(time.DateOnly))
		if real {
			out = sheet.Out{Kind: sheet.Date, Time: local, Layout: showDay}
		}
		r.put(day, ruleFill, f.Field.Path, local.Format(time.DateOnly), out)
	}
	out := sheet.TextOut(clockOf(local))
	if real {
		out = sheet.Out{Kind: sheet.Date, Time: local, Clock: true, Layout: showClock}
	}
	r.put(column, ruleFill, f.Field.Path, clockOf(local), out)
}

// blank reports whether a cell shows nothing.
func (r *rowFixer) blank(column int) bool {
	c := r.cell(column)
	return c.Kind == sheet.Blank || c.Kind == sheet.Text && trimmed(c.Text) == ""
}

// hasRealDate reports whether the row has a date of the workbook for a field.
func (r *rowFixer) hasRealDate(field *schema.Field) bool {
	columns := r.of(field)
	return columns != nil && slices.ContainsFunc(columns.At, func(column int) bool { return r.cell(column).Kind == sheet.Date })
}

// onDayOf reports whether a column holds the date of the time that the fill follows.
func (r *rowFixer) onDayOf(f *fill, column int) bool {
	columns := r.of(f.From)
	return columns != nil && len(columns.At) == 2 && columns.At[0] == column
}

// showsDay reports whether a cell holds that day, whatever the order of dates.
func (r *rowFixer) showsDay(column int, day time.Time) bool {
	c := r.cell(column)
	var at datetime.Moment
	fault := datetime.NotATime
	switch c.Kind {
	case sheet.Date:
		at, fault = datetime.Serial(c.Text, r.Date1904)
	case sheet.Text:
		at, fault = datetime.Scan(trimmed(c.Text), datetime.Unknown)
	}
	return fault == datetime.OK && at.HasDate && at.Year == day.Year() && at.Month == int(day.Month()) && at.Day == day.Day()
}

// local gives an instant by the clock of the row's time zone; not ok where there is
// none, and where that clock shows the same time twice.
func (r *rowFixer) local(at time.Time) (time.Time, bool) {
	name := r.Draft.Text(catalog.FieldTimezone)
	if name == "" {
		name = r.Zone
	}
	if name == "" {
		return at, false
	}
	zone, err := value.LoadZone(name)
	if err != nil {
		return at, false
	}
	local := at.In(zone)
	for _, shift := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		_, here := local.Zone()
		_, there := at.Add(shift).In(zone).Zone()
		again := local.Add(time.Duration(here-there) * time.Second)
		if here != there && again.In(zone).Format("15:04") == local.Format("15:04") {
			return local, false
		}
	}
	return local, true
}
