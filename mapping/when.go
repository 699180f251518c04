package mapping

import (
	"context"
	"strings"
	"time"

	"eventbatch/mapping/moment"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// when reads the cells of a time into a setting. It reports what is wrong with
// them, and tells whether there is a setting.
func (w *worker) when(ctx context.Context, f *feed, s *schema.Setting) bool {
	switch {
	case w.allDay && (f.field.ID == schema.FieldStartAt || f.field.ID == schema.FieldEndAt):
		return w.dayOf(ctx, f, s)
	case f.span != wholeCell:
		return w.ranged(ctx, f, s)
	}
	column := f.columns[len(f.columns)-1] // where the time of day stands
	var m moment.Moment
	var ok, blank bool
	if len(f.columns) == 2 {
		ok, blank = w.dateAndTime(ctx, f, &m)
	} else {
		ok, blank = w.moment(ctx, f.field, column, &m)
	}
	if blank {
		if f.fallback != "" {
			return w.whenText(f, s, f.fallback)
		}
		return false
	}
	if !ok {
		return false
	}
	if len(f.columns) == 1 && m.HasDate && !m.HasTime && w.row.Cells[column].Kind == sheet.Date && w.b.dates.timed(ctx, column) {
		m.HasTime = true // midnight: a spreadsheet has no other way to write it
		w.midnights = append(w.midnights, column)
	}
	s.Column = f.columns[0]
	if f.borrowed {
		s.Column = column
	}
	if m.Exact && len(f.columns) == 1 {
		s.Field, s.State, s.Text = f.field.ID, schema.Set, w.row.Cells[column].Text
		s.Instant = moment.Unix(m.Wall(), m.Offset, m.Milli)
		return true
	}
	return w.instant(f.field, s, &m, column)
}

// whenText reads a time that stands in no cell: a constant, a fallback, or the
// result of an expression.
func (w *worker) whenText(f *feed, s *schema.Setting, text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	if fault, done := mark(f.field, s, text); done {
		s.Column = f.column()
		return w.fault(f.field, f.column(), text, fault)
	}
	m, fault := moment.Scan(text, w.b.orderOf(text))
	if fault != moment.OK {
		fault := timeFault(fault, text)
		return w.fault(f.field, f.column(), text, &fault)
	}
	s.Column = f.column()
	return w.instant(f.field, s, &m, f.column())
}

// moment reads one cell into m.
func (w *worker) moment(ctx context.Context, field *schema.Field, column int, m *moment.Moment) (ok, blank bool) {
	if column >= len(w.row.Cells) {
		return false, true
	}
	cell := &w.row.Cells[column]
	var fault moment.Fault
	switch cell.Kind {
	case sheet.Blank:
		return false, true
	case sheet.Text:
		fault = w.scan(ctx, cell.Text, column, m)
		if fault != moment.OK && strings.TrimSpace(cell.Text) == "" {
			return false, true
		}
	case sheet.Date:
		*m, fault = moment.Serial(cell.Text, w.b.d1904)
	case sheet.Number:
		fault = moment.BareNumber
	case sheet.Bool:
		fault = moment.NotATime
	default:
		return w.badCell(field, column), false
	}
	return w.scanned(ctx, field, column, cell.Text, fault), false
}

// scanned reports the fault of a text; it tells whether there is none.
func (w *worker) scanned(ctx context.Context, field *schema.Field, column int, text string, fault moment.Fault) bool {
	switch fault {
	case moment.OK:
		return true
	case moment.NeedsOrder:
		message, hint := w.b.dates.doubt(ctx, column)
		return w.fault(field, column, text, &schema.Fault{Code: schema.CodeAmbiguousDate, Message: message, Hint: hint})
	}
	var s schema.Setting
	if f, done := mark(field, &s, strings.TrimSpace(text)); done && f != nil {
		return w.fault(field, column, text, f)
	}
	f := timeFault(fault, text)
	return w.fault(field, column, text, &f)
}

// scan reads a text in the order that was said, else that of its column.
func (w *worker) scan(ctx context.Context, text string, column int, m *moment.Moment) moment.Fault {
	order := w.b.orderOf(text)
	if order != moment.Unknown {
		return m.Scan(text, order)
	}
	fault := m.Scan(text, w.b.dates.ahead[column].order())
	switch {
	case fault == moment.WrongOrder && w.end == nil:
		w.end = w.b.dates.against(w.row, column, m.Proof)
	case fault == moment.NeedsOrder:
		if order = w.b.dates.order(ctx, column); order != moment.Unknown {
			fault = m.Scan(text, order)
		}
	}
	return fault
}

// dateAndTime reads a date and a time of day from two cells into m.
func (w *worker) dateAndTime(ctx context.Context, f *feed, m *moment.Moment) (ok, blank bool) {
	var date, clock moment.Moment
	okDate, noDate := w.moment(ctx, f.field, f.columns[0], &date)
	okClock, noClock := w.moment(ctx, f.field, f.columns[1], &clock)
	switch {
	case noClock && (noDate || f.borrowed):
		return false, true
	case !okDate && !noDate || !okClock && !noClock:
		return false, false
	case noClock:
		*m = date
		return true, false // instant asks for the time, unless the date has one
	case f.borrowed && clock.HasDate:
		*m = clock
		return true, false
	case noDate:
		*m = clock
		return true, false
	}
	at := f.columns[1]
	switch {
	case !date.HasDate:
		return w.fault(f.field, f.columns[0], w.cell(f.columns[0]), &schema.Fault{Code: schema.CodeBadDate, Message: "there is a time where the date belongs"}), false
	case clock.HasDate && (clock.Year != date.Year || clock.Month != date.Month || clock.Day != date.Day) && !isEpoch(&clock):
		return w.fault(f.field, at, w.cell(at), &schema.Fault{Code: schema.CodeBadDate, Message: "the date in this cell is another than that in " + quoted(w.b.header[f.columns[0]]), Hint: "leave the date out of one of the two"}), false
	case !clock.HasTime:
		return w.fault(f.field, at, w.cell(at), &schema.Fault{Code: schema.CodeBadTime, Message: "there is a date where the time of day belongs"}), false
	case date.HasTime && !midnight(&date) && !sameClock(&date, &clock):
		return w.fault(f.field, at, w.cell(at), &schema.Fault{Code: schema.CodeBadTime, Message: "the time in this cell is another than that in " + quoted(w.b.header[f.columns[0]]), Hint: "leave the time out of one of the two"}), false
	}
	*m = clock
	m.Year, m.Month, m.Day, m.HasDate = date.Year, date.Month, date.Day, true
	if !m.HasOffset && date.HasOffset && date.HasTime && !midnight(&date) {
		m.Offset, m.HasOffset = date.Offset, true
	}
	return true, false
}

// isEpoch knows the days that spreadsheets give to a time without a date.
func isEpoch(m *moment.Moment) bool {
	return m.Year == 1899 && m.Month == 12 && m.Day >= 30 || m.Year == 1900 && m.Month == 1 && m.Day <= 1 || m.Year == 1904 && m.Month == 1 && m.Day == 1
}

func midnight(m *moment.Moment) bool {
	return m.Hour == 0 && m.Minute == 0 && m.Second == 0 && m.Milli == 0
}

func sameClock(a, b *moment.Moment) bool {
	return a.Hour == b.Hour && a.Minute == b.Minute && a.Second == b.Second && a.Milli == b.Milli
}

// instant makes a setting of a moment: a wall time is read in the row's zone.
func (w *worker) instant(field *schema.Field, s *schema.Setting, m *moment.Moment, column int) bool {
	switch {
	case !m.HasDate && column >= 0 && w.row.Cells[column].Kind == sheet.Date:
		return w.fault(field, column, w.cell(column), &schema.Fault{Code: schema.CodeEarlySerial, Message: "there is a time of day without a date", Hint: "fill the date too"})
	case !m.HasDate:
		return w.fault(field, column, w.cell(column), &schema.Fault{Code: schema.CodeBadDate, Message: "there is a time of day without a date", Hint: "fill the date too"})
	case !m.HasTime:
		return w.fault(field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeBadTime, Message: "there is a date without a time of day",
			Hint: "add the time; for midnight write " + string(m.Append(nil)) + " 00:00",
		})
	}
	wall, offset := m.Wall(), m.Offset
	if !m.HasOffset {
		zone, ok := w.zoneOf(field, column)
		if !ok {
			return false
		}
		first, second, n := zone.Offsets(wall)
		switch {
		case n == 0:
			return w.gap(field, column, zone.Name, wall, m.Milli, first, second)
		case n == 2 && w.b.options.overlap == moment.RefuseBoth:
			return w.twice(field, column, zone.Name, wall, m.Milli, first, second)
		case n == 2 && w.b.options.overlap == moment.TakeSecond:
			first = second
		}
		offset = first
	}
	s.Field, s.State = field.ID, schema.Set
	s.Instant = moment.Unix(wall, offset, m.Milli)
	w.scratch = m.AppendTimestamp(w.scratch[:0], offset)
	s.Text = w.keep(w.scratch)
	if offset%60 != 0 { // before zones were made, offsets had seconds: the service's form has none
		s.Text = time.UnixMilli(s.Instant).UTC().Format("2006-01-02T15:04:05.999Z07:00")
	}
	return true
}

func (w *worker) gap(field *schema.Field, column int, zone string, wall int64, milli, before, after int) bool {
	late := moment.AppendTimestamp(nil, wall+int64(after-before), milli, after)
	early := moment.AppendTimestamp(nil, wall+int64(before-after), milli, before)
	return w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeDSTGap,
		Message: string(moment.AppendWall(nil, wall, milli)) + " does not exist in " + zone + ": the clock is put forward over it",
		Hint:    "write " + string(late) + " or " + string(early),
	})
}

func (w *worker) twice(field *schema.Field, column int, zone string, wall int64, milli, first, second int) bool {
	return w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeDSTOverlap,
		Message: string(moment.AppendWall(nil, wall, milli)) + " exists twice in " + zone + ": the clock is put back over it",
		Hint: "write " + string(moment.AppendTimestamp(nil, wall, milli, first)) + " or " + string(moment.AppendTimestamp(nil, wall, milli, second)) +
			", or say --overlap first or second",
	})
}

// zoneOf is the zone of the row's wall times. Where the row's own is wrong, that
// has been reported, and its times say nothing more.
func (w *worker) zoneOf(field *schema.Field, column int) (*moment.Zone, bool) {
	name := w.zone
	if name == "" {
		name = w.b.options.zone
	}
	switch {
	case w.badZone:
		return nil, false
	case name == "":
		return nil, w.fault(field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeNoZone, Message: "the time has no offset, and nothing says its time zone",
			Hint: "fill the timezone column, say --timezone Europe/Berlin, or write the offset: 2026-05-01T18:30:00+02:00",
		})
	}
	zone, err := w.zones.Zone(name)
	return zone, err == nil // the name was checked when it was read
}

// timeFault words a fault of a text.
func timeFault(f moment.Fault, text string) schema.Fault {
	const forms = "write it like 2026-05-01 18:30, 5/1/2026 6:30 PM or May 1, 2026 6:30 PM"
	switch f {
	case moment.NoSuchDay:
		return schema.Fault{Code: schema.CodeBadDate, Message: "there is no such day in the calendar", Hint: "check the day and the month"}
	case moment.OutOfRangeYear:
		return schema.Fault{Code: schema.CodeBadDate, Message: "the year is out of range", Hint: "write the year with four digits"}
	case moment.NoSuchTime:
		return schema.Fault{Code: schema.CodeBadTime, Message: "there is no such time of day", Hint: "hours go from 00 to 23, or from 1 to 12 with AM or PM; the end of a day is 00:00 of the next"}
	case moment.NeedsOrder:
		return schema.Fault{Code: schema.CodeAmbiguousDate, Message: "the date can be read with the day or the month first", Hint: "say --date-order mdy or dmy, or write the date as 2026-03-08"}
	case moment.WrongOrder:
		return schema.Fault{Code: schema.CodeBadDate, Message: "there is no such month in the order of the dates here", Hint: "check --date-order, or write the date as 2026-03-08"}
	case moment.WrongWeekday:
		return schema.Fault{Code: schema.CodeBadDate, Message: "the date is another day of the week", Hint: "correct the date or leave the day out"}
	case moment.InexactZone:
		return schema.Fault{Code: schema.CodeBadTime, Message: "the abbreviation of a time zone is not exact", Hint: "leave it out and fill the timezone column with a name such as America/New_York"}
	case moment.BareNumber:
		return schema.Fault{Code: schema.CodeBadTime, Message: "a bare number is not a date", Hint: "format the column as a date in the spreadsheet, or " + forms}
	case moment.EarlySerial:
		return schema.Fault{Code: schema.CodeEarlySerial, Message: "the spreadsheet date lies before March 1900, so it is more likely a count than a date", Hint: "check the column, or " + forms}
	}
	return schema.Fault{Code: schema.CodeBadTime, Message: quoted(text) + " is not a date or a time that can be read", Hint: forms}
}
