package mapping

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// moments reads the cells of the row at hand as dates and times.
type moments struct {
	cells

	zone    string          // the row's own, empty where it names none
	end     error           // ends the reading at this row; nil for nearly all
	started datetime.Moment // when the row's event begins; without a date where that is not known
	halved  int             // the column of its hour, where the mapping says the half of the day and the cell does not; else -1
}

// timeOf reads the cells that feed a time into m, and into until where they hold the
// end of a range too.
func (w *moments) timeOf(ctx context.Context, f *feed, m, until *datetime.Moment) (ok, blank bool) {
	if f.field.ID != catalog.FieldStartAt && f.span == wholeCell {
		until = nil
	}
	if len(f.columns) == 2 {
		return w.dateAndTime(ctx, f, m, until)
	}
	return w.moment(ctx, f, f.columns[0], datetime.AnyCell, m, until)
}

// moment reads one cell into m. Where it holds a range, its end goes into until; nil
// where only one time belongs there.
func (w *moments) moment(
	ctx context.Context, f *feed, column int, where datetime.Where, m, until *datetime.Moment,
) (ok, blank bool) {
	if column >= len(w.row.Cells) {
		return false, true
	}
	cell := &w.row.Cells[column]
	kind, text := cell.Kind, cell.Text
	if f.reads != nil && kind != sheet.Blank {
		if text = w.reread(f, column, text); text != cell.Text {
			kind = sheet.Text
		}
	}
	var fault datetime.Fault
	switch kind {
	case sheet.Blank, sheet.Null:
		return false, true
	case sheet.Text, sheet.JSON:
		if fault = w.scan(ctx, where, text, column, m); fault == datetime.OK {
			return w.ofOneHalf(ctx, f, column, text, m), false
		}
		if strings.TrimSpace(text) == "" {
			return false, true
		}
		if from, to, two := datetime.CutRange(text); two {
			if until == nil {
				return w.fault(f.field, column, cell.Text, &schema.Fault{
					Code: schema.CodeBadTime, Message: "this is a range, and one time belongs here",
					Hint: "write the end alone, or leave the cell blank where the start's cell holds a range",
				}), false
			}
			if fault = w.scan(ctx, datetime.ClockCell, from, column, m); fault == datetime.OK {
				fault = w.scan(ctx, datetime.RangeEnd, to, column, until)
			}
			if fault == datetime.OK && datetime.EitherHalf(m, until) {
				return w.fault(f.field, column, cell.Text, &schema.Fault{
					Code: schema.CodeBadTime, Message: quoted(cell.Text) + " may end on the same day or on the next",
					Hint: "write the end as 14:00 or 2pm, or with its date where it is on the next day",
				}), false
			}
			m.Letters = cmp.Or(m.Letters, until.Letters)
			if fault == datetime.OK && !w.ofOneHalf(ctx, f, column, text, m) {
				return false, false
			}
		}
	case sheet.Date:
		*m, fault = datetime.Serial(text, w.b.d1904)
	case sheet.Number:
		fault = datetime.BareNumber
		if n := len(text); where >= datetime.ClockCell && (n == 3 || n == 4) { // 1930
			fault = m.ScanIn(where, text, datetime.Unknown)
		}
	case sheet.Bool:
		fault = datetime.NotATime
	default:
		return w.badCell(f.field, column), false
	}
	return w.scanned(ctx, f.field, column, where, cell.Text, fault), false
}

// ofOneHalf reports whether a text says in which half of the day it is, where others of its column do, or where hours of
// a start and an end count to 12. Behind a date spreadsheets write hours that count to 24.
func (w *moments) ofOneHalf(ctx context.Context, f *feed, column int, text string, m *datetime.Moment) bool {
	halves := w.b.dates.ahead[column].halves
	ofEvent := !m.HasDate && (f.field.ID == catalog.FieldStartAt || f.field.ID == catalog.FieldEndAt)
	if !halves && !ofEvent || !datetime.HalfOpen(text, m) {
		return true
	}
	why := "other cells of the column say am or pm"
	switch {
	case halves:
	case w.b.dates.to12(ctx, w.zoneFor(m)):
		why = "no cell says am or pm, and none counts to 24"
	default:
		return true
	}
	if f.reads != nil {
		if _, said := f.reads.Exact(w.cell(column)); said {
			return true
		}
	}
	return w.fault(f.field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeBadTime,
		Message: quoted(text) + " may be in the morning or in the evening: " + why,
		Hint:    "write 5:30 PM or 17:30, say; eventbatch map asks and writes the answer into a mapping",
	})
}

// halfOf returns the column of a time whose half of the day the mapping says, for all cells like it, and its cell does not; else -1.
func (w *moments) halfOf(f *feed, column int, m *datetime.Moment) int {
	if f.reads == nil || w.kind(column) != sheet.Text {
		return -1
	}
	text, bare := w.cell(column), *m
	if counts24(text) {
		return -1
	}
	bare.Hour %= 12
	if _, exact := f.reads.Exact(text); !exact && !datetime.SaysHalf(f.reads.Apply(text)) || !datetime.HalfOpen(text, &bare) {
		return -1
	}
	return column
}

// counts24 reports whether a text is an hour that only a clock of 24 has, perhaps with minutes: 20, 13:30.
func counts24(text string) bool {
	hour, _, _ := strings.Cut(strings.TrimSpace(text), ":")
	n, err := strconv.Atoi(hour)
	return err == nil && n > 12
}

// ofTheHalf reports whether an end and its start are less than half a day apart, where the mapping says the half of the day of
// one of them: with the other half the event would be that short.
func (w *moments) ofTheHalf(f *feed, column int, end *datetime.Moment) bool {
	open, field := w.halfOf(f, column, end), f.field
	if open < 0 {
		open, field = w.halved, catalog.Field(catalog.FieldStartAt)
	}
	length := end.Wall() - w.started.Wall()
	if open < 0 || !w.started.HasDate || !end.HasTime || length <= -86400 || length >= 86400 || (length+86400)%86400 <= 43200 {
		return true
	}
	text := w.cell(open)
	return w.fault(field, open, text, &schema.Fault{
		Code: schema.CodeBadTime,
		Message: quoted(text) + " may be in the morning or in the evening: the event would be from " +
			string(w.started.Append(nil))[11:16] + " to " + string(end.Append(nil))[11:16],
		Hint: "write " + datetime.InHalf(text, 0) + " or " + datetime.InHalf(text, 12) + ": the mapping is for all such cells",
	})
}

// scanned reports the fault of a text; it reports whether there is none.
func (w *moments) scanned(
	ctx context.Context, field *schema.Field, column int, where datetime.Where, text string, fault datetime.Fault,
) bool {
	switch fault {
	case datetime.OK:
		return true
	case datetime.NeedsOrder:
		message, hint := w.b.dates.doubt(ctx, column)
		return w.fault(field, column, text, &schema.Fault{Code: schema.CodeAmbiguousDate, Message: message, Hint: hint})
	}
	var s schema.Setting
	if f, done := mark(field, &s, strings.TrimSpace(text)); done && f != nil {
		return w.fault(field, column, text, f)
	}
	f := w.timeFault(fault, where, text)
	if field.Kind == schema.Day {
		f = *cmp.Or(value.ParseDay(text), &f)
	}
	return w.fault(field, column, text, &f)
}

// scan reads a text, perhaps with the letters of a time zone behind it.
func (w *moments) scan(ctx context.Context, where datetime.Where, text string, column int, m *datetime.Moment) datetime.Fault {
	return m.Lettered(text, func(text string) datetime.Fault { return w.inOrder(ctx, where, text, column, m) })
}

// zoneFor returns the name of the zone of a wall time of the row: the row's own, that of the letters behind the time, that
// of rows that name none.
func (w *moments) zoneFor(m *datetime.Moment) string {
	zone, one := datetime.ZoneOf(m.Letters)
	if !one {
		zone = ""
	}
	return cmp.Or(w.zone, zone, w.b.options.zone)
}

// inOrder reads a text in the order that was said, else that of its column.
func (w *moments) inOrder(ctx context.Context, where datetime.Where, text string, column int, m *datetime.Moment) datetime.Fault {
	order := w.b.orderOf(text)
	if order != datetime.Unknown {
		return m.ScanIn(where, text, order)
	}
	fault := m.ScanIn(where, text, w.b.dates.ahead[column].order())
	switch {
	case fault == datetime.WrongOrder && w.end == nil:
		w.end = w.b.dates.against(w.row, column, m.Proof)
	case fault == datetime.NeedsOrder:
		if order = w.b.dates.order(ctx, column); order != datetime.Unknown {
			fault = m.ScanIn(where, text, order)
		}
	}
	return fault
}

// dateAndTime reads a date and a time of day from two cells into m, and what the time
// of day, or the date, reaches to into until. An end is on the last of several days, and
// one without a date on the day of the start.
func (w *moments) dateAndTime(ctx context.Context, f *feed, m, until *datetime.Moment) (ok, blank bool) {
	where := datetime.ClockCell
	if f.borrowed {
		where = datetime.RangeEnd
	}
	var date, last, clock datetime.Moment
	okDate, blankDate := w.days(ctx, f, &date, &last)
	okClock, blankClock := w.moment(ctx, f, f.columns[1], where, &clock, until)
	clock.HasDate = clock.HasDate && !clock.Epoch()
	sameDay := f.borrowed
	if blankDate && f.field.ID == catalog.FieldEndAt && w.started.HasDate { // as of an event of one day
		date = datetime.Moment{Year: w.started.Year, Month: w.started.Month, Day: w.started.Day, HasDate: true}
		sameDay, okDate, blankDate = true, true, false
	}
	switch {
	case blankClock && (blankDate || sameDay):
		return false, true
	case !okDate && !blankDate || !okClock && !blankClock:
		return false, false
	case blankClock:
		*m = date
		m.HasTime = date.HasTime && !midnight(&date) // which programs write behind a date alone
		return true, false                           // instant asks for the time, unless the date has one
	case sameDay && clock.HasDate:
		*m = clock
		m.EndDay()
		return true, false
	case blankDate && clock.HasDate:
		*m = clock
		return true, false
	case blankDate && f.borrowed && w.reported(catalog.Path(catalog.FieldStartAt)):
		w.misread(f.field) // the start lacks the same date
		return false, false
	case blankDate:
		return w.fault(f.field, f.columns[0], w.cell(f.columns[0]), &noDate), false
	}
	at := f.columns[1]
	if column, fault := w.disagreement(f, &date, &clock); fault != nil {
		return w.fault(f.field, column, w.cell(column), fault), false
	}
	*m = clock
	m.Year, m.Month, m.Day, m.HasDate = date.Year, date.Month, date.Day, true
	lastHour := m.Hour == 24
	m.EndDay()
	if overnight := w.overnight(m); sameDay && (overnight || lastHour) {
		if datetime.MaybeLength(w.cell(at)) {
			return w.fault(f.field, at, w.cell(at), &schema.Fault{
				Code: schema.CodeBadTime, Message: quoted(w.cell(at)) + " can be a time of day or how long it takes",
				Hint: "write the end as " + string(clock.Append(nil))[:5] + ", or let eventbatch map ask which of the two the column has",
			}), false
		}
		if overnight {
			m.NextDay()
		}
	}
	if until != nil && last.HasDate {
		until.Year, until.Month, until.Day, until.HasDate = last.Year, last.Month, last.Day, true
	}
	m.Letters = cmp.Or(m.Letters, date.Letters)
	if !m.HasOffset && date.HasOffset && date.HasTime && !midnight(&date) {
		m.Offset, m.HasOffset = date.Offset, true
	}
	return true, false
}

// days reads a cell of dates into first. Where the mapping reads it as several days of one event, last is their last day, and
// for an end first is that day too.
func (w *moments) days(ctx context.Context, f *feed, first, last *datetime.Moment) (ok, blank bool) {
	column := f.columns[0]
	if f.reads != nil && w.kind(column) == sheet.Text {
		var through bool
		if *first, *last, through = datetime.CutThrough(w.reread(f, column, w.row.Cells[column].Text)); through {
			if f.borrowed {
				*first = *last
			}
			return true, false
		}
		*first, *last = datetime.Moment{}, datetime.Moment{}
	}
	return w.moment(ctx, f, column, datetime.AnyCell, first, nil)
}

// disagreement returns why a date and a time of day of two cells are not one moment, and the column that is wrong;
// nil where they are.
func (w *moments) disagreement(f *feed, date, clock *datetime.Moment) (column int, fault *schema.Fault) {
	switch day, at := f.columns[0], f.columns[1]; {
	case !date.HasDate:
		return day, &schema.Fault{Code: schema.CodeBadDate, Message: "there is a time where the date belongs"}
	case clock.HasDate && (clock.Year != date.Year || clock.Month != date.Month || clock.Day != date.Day):
		return at, &schema.Fault{
			Code: schema.CodeBadDate, Message: "the date in this cell is another than that in " + quoted(w.b.header[day]),
			Hint: "leave the date out of one of the two",
		}
	case !clock.HasTime:
		return at, &schema.Fault{Code: schema.CodeBadTime, Message: "there is a date where the time of day belongs"}
	case date.HasTime && !f.borrowed && !midnight(date) && !sameClock(date, clock):
		return at, &schema.Fault{
			Code: schema.CodeBadTime, Message: "the time in this cell is another than that in " + quoted(w.b.header[day]),
			Hint: "leave the time out of one of the two",
		}
	}
	return -1, nil
}

// overnight reports whether an end on the day of the start, which lies before it, is on
// the next day. Where that makes the event half a day long and more, the end may also be in
// the other half of the day: 18:00 to 8:00.
func (w *moments) overnight(end *datetime.Moment) bool {
	start := &w.started
	if !start.HasDate || start.HasOffset || end.HasOffset || dayNumber(start) != dayNumber(end) || end.Wall() >= start.Wall() {
		return false
	}
	return end.Wall()+86400-start.Wall() < 43200
}

// onDayOfStart gives a time of day of an end the day on which the event starts, or the next one.
func (w *moments) onDayOfStart(end *datetime.Moment) {
	end.Year, end.Month, end.Day, end.HasDate = w.started.Year, w.started.Month, w.started.Day, true
	end.EndDay()
	if w.overnight(end) {
		end.NextDay()
	}
}

func midnight(m *datetime.Moment) bool {
	return m.Hour == 0 && m.Minute == 0 && m.Second == 0 && m.Milli == 0
}

func sameClock(a, b *datetime.Moment) bool {
	return a.Hour == b.Hour && a.Minute == b.Minute && a.Second == b.Second && a.Milli == b.Milli
}

func dayNumber(m *datetime.Moment) int64 {
	day := *m
	day.Hour, day.Minute, day.Second = 0, 0, 0
	return day.Wall() / 86400
}
