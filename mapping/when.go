package mapping

import (
	"cmp"
	"context"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// when reads the cells of a time into a setting. It reports what is wrong with
// them, and reports whether there is a setting. The end of a range that stands in the
// cell of a start is kept for the end.
func (w *worker) when(ctx context.Context, f *feed, s *schema.Setting) bool {
	switch {
	case w.allDay && (f.field.ID == schema.FieldStartAt || f.field.ID == schema.FieldEndAt):
		return w.dayOf(ctx, f, s)
	case f.span != wholeCell:
		return w.ranged(ctx, f, s)
	}
	column := f.columns[len(f.columns)-1] // where the time of day stands
	var m, until datetime.Moment
	ok, blank := w.timeOf(ctx, f, &m, &until)
	if blank {
		if f.fallback != "" && !(f.field.ID == schema.FieldEndAt && w.until.HasDate) {
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
	if until.HasDate || until.HasTime {
		datetime.CloseRange(&m, &until)
		w.until, w.untilAt = until, column
	}
	if m.Exact && len(f.columns) == 1 {
		s.Field, s.State, s.Text = f.field.ID, schema.Set, w.row.Cells[column].Text
		s.Instant = datetime.Unix(m.Wall(), m.Offset, m.Milli)
		return w.fitsZone(f.field, m.Wall(), &m, column)
	}
	return w.instant(f.field, s, &m, column)
}

// timeOf reads the cells that feed a time into m, and into until where they hold the
// end of a range too.
func (w *worker) timeOf(ctx context.Context, f *feed, m, until *datetime.Moment) (ok, blank bool) {
	if f.field.ID != schema.FieldStartAt && f.span == wholeCell {
		until = nil
	}
	if len(f.columns) == 2 {
		return w.dateAndTime(ctx, f, m, until)
	}
	return w.moment(ctx, f.field, f.columns[0], datetime.AnyCell, m, until)
}

// endOfRange takes the end of the range that the start's cell holds, where the end has
// no cell of its own, and compares the two where it has.
func (w *worker) endOfRange() {
	field := schema.FieldEndAt.Field()
	if !w.until.HasDate || w.reported(field.Path) {
		return
	}
	s := w.draft.Next()
	if !w.instant(field, s, &w.until, w.untilAt) {
		return
	}
	own := w.draft.Get(schema.FieldEndAt)
	if own == nil {
		s.Column = w.untilAt
		w.draft.Take()
		return
	}
	if own.Instant != s.Instant || own.State != schema.Set {
		column := own.Column
		if column < 0 {
			column = w.untilAt
		}
		w.fault(field, column, w.cell(column), &schema.Fault{
			Code:    schema.CodeBadTime,
			Message: "the end is another than that of " + quoted(w.cell(w.untilAt)) + " in " + quoted(w.b.header[w.untilAt]),
			Hint:    "leave the end out in one of the two places",
		})
	}
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
	m, fault := datetime.Scan(text, w.b.orderOf(text))
	if fault != datetime.OK {
		fault := timeFault(fault, text)
		return w.fault(f.field, f.column(), text, &fault)
	}
	s.Column = f.column()
	return w.instant(f.field, s, &m, f.column())
}

// moment reads one cell into m. Where it holds a range, its end goes into until; nil
// where only one time belongs there.
func (w *worker) moment(
	ctx context.Context, field *schema.Field, column int, where datetime.Where, m, until *datetime.Moment,
) (ok, blank bool) {
	if column >= len(w.row.Cells) {
		return false, true
	}
	cell := &w.row.Cells[column]
	var fault datetime.Fault
	switch cell.Kind {
	case sheet.Blank:
		return false, true
	case sheet.Text:
		if fault = w.scan(ctx, where, cell.Text, column, m); fault == datetime.OK {
			return true, false
		}
		if strings.TrimSpace(cell.Text) == "" {
			return false, true
		}
		if from, to, two := datetime.CutRange(cell.Text); two {
			if until == nil {
				return w.fault(field, column, cell.Text, &schema.Fault{
					Code: schema.CodeBadTime, Message: "this is a range, and one time belongs here",
					Hint: "write the end alone, or leave the cell blank where the start's cell holds a range",
				}), false
			}
			if fault = w.scan(ctx, datetime.ClockCell, from, column, m); fault == datetime.OK {
				fault = w.scan(ctx, datetime.RangeEnd, to, column, until)
			}
		}
	case sheet.Date:
		*m, fault = datetime.Serial(cell.Text, w.b.d1904)
	case sheet.Number:
		fault = datetime.BareNumber
		if n := len(cell.Text); where >= datetime.ClockCell && (n == 3 || n == 4) { // 1930
			fault = m.ScanIn(where, cell.Text, datetime.Unknown)
		}
	case sheet.Bool:
		fault = datetime.NotATime
	default:
		return w.badCell(field, column), false
	}
	return w.scanned(ctx, field, column, where, cell.Text, fault), false
}

// scanned reports the fault of a text; it reports whether there is none.
func (w *worker) scanned(
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
	f := timeFault(fault, text)
	if fault == datetime.BareNumber {
		f = numberFault(where, text)
	}
	return w.fault(field, column, text, &f)
}

// scan reads a text in the order that was said, else that of its column.
func (w *worker) scan(ctx context.Context, where datetime.Where, text string, column int, m *datetime.Moment) datetime.Fault {
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
// of day reaches to into until.
func (w *worker) dateAndTime(ctx context.Context, f *feed, m, until *datetime.Moment) (ok, blank bool) {
	where := datetime.ClockCell
	if f.borrowed {
		where = datetime.RangeEnd
	}
	var date, clock datetime.Moment
	okDate, noDate := w.moment(ctx, f.field, f.columns[0], datetime.AnyCell, &date, nil)
	okClock, noClock := w.moment(ctx, f.field, f.columns[1], where, &clock, until)
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
		m.EndDay()
		return true, false
	case noDate:
		*m = clock
		return true, false
	}
	at := f.columns[1]
	switch {
	case !date.HasDate:
		return w.fault(
			f.field, f.columns[0], w.cell(f.columns[0]),
			&schema.Fault{Code: schema.CodeBadDate, Message: "there is a time where the date belongs"},
		), false
	case clock.HasDate && (clock.Year != date.Year || clock.Month != date.Month || clock.Day != date.Day) && !isEpoch(&clock):
		return w.fault(
			f.field, at, w.cell(at),
			&schema.Fault{
				Code:    schema.CodeBadDate,
				Message: "the date in this cell is another than that in " + quoted(w.b.header[f.columns[0]]),
				Hint:    "leave the date out of one of the two",
			},
		), false
	case !clock.HasTime:
		return w.fault(
			f.field, at, w.cell(at),
			&schema.Fault{Code: schema.CodeBadTime, Message: "there is a date where the time of day belongs"},
		), false
	case date.HasTime && !midnight(&date) && !sameClock(&date, &clock):
		return w.fault(
			f.field, at, w.cell(at),
			&schema.Fault{
				Code:    schema.CodeBadTime,
				Message: "the time in this cell is another than that in " + quoted(w.b.header[f.columns[0]]),
				Hint:    "leave the time out of one of the two",
			},
		), false
	}
	*m = clock
	m.Year, m.Month, m.Day, m.HasDate = date.Year, date.Month, date.Day, true
	m.EndDay()
	if !m.HasOffset && date.HasOffset && date.HasTime && !midnight(&date) {
		m.Offset, m.HasOffset = date.Offset, true
	}
	return true, false
}

// isEpoch knows the days that spreadsheets give to a time without a date.
func isEpoch(m *datetime.Moment) bool {
	return m.Year == 1899 && m.Month == 12 && m.Day >= 30 || m.Year == 1900 && m.Month == 1 && m.Day <= 1 || m.Year == 1904 &&
		m.Month == 1 && m.Day == 1
}

func midnight(m *datetime.Moment) bool {
	return m.Hour == 0 && m.Minute == 0 && m.Second == 0 && m.Milli == 0
}

func sameClock(a, b *datetime.Moment) bool {
	return a.Hour == b.Hour && a.Minute == b.Minute && a.Second == b.Second && a.Milli == b.Milli
}

// instant makes a setting of a moment: a wall time is read in the row's zone.
func (w *worker) instant(field *schema.Field, s *schema.Setting, m *datetime.Moment, column int) bool {
	switch {
	case !m.HasDate && column >= 0 && w.row.Cells[column].Kind == sheet.Date:
		return w.fault(
			field, column, w.cell(column),
			&schema.Fault{Code: schema.CodeEarlySerial, Message: "there is a time of day without a date", Hint: "fill the date too"},
		)
	case !m.HasDate:
		return w.fault(field, column, w.cell(column), &noDate)
	case !m.HasTime:
		return w.fault(field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeBadTime, Message: "there is a date without a time of day",
			Hint: "add the time; for midnight write " + string(m.Append(nil)) + " 00:00",
		})
	}
	wall, offset := m.Wall(), m.Offset
	if m.HasOffset {
		if !w.fitsZone(field, wall, m, column) {
			return false
		}
	} else {
		zone, ok := w.zoneOf(field, column)
		if !ok {
			return false
		}
		first, second, n := zone.Offsets(wall)
		switch {
		case n == 0:
			return w.gap(field, column, zone.Name, wall, m.Milli, first, second)
		case n == 2 && w.b.options.overlap == datetime.RefuseBoth:
			return w.twice(field, column, zone.Name, wall, m.Milli, first, second)
		case n == 2 && w.b.options.overlap == datetime.TakeSecond:
			first = second
		}
		offset = first
	}
	s.Field, s.State = field.ID, schema.Set
	s.Instant = datetime.Unix(wall, offset, m.Milli)
	w.scratch = m.AppendTimestamp(w.scratch[:0], offset)
	s.Text = w.keep(w.scratch)
	if offset%60 != 0 { // before zones were made, offsets had seconds: the service's form has none
		s.Text = time.UnixMilli(s.Instant).UTC().Format("2006-01-02T15:04:05.999Z07:00")
	}
	return true
}

// fitsZone compares an offset with those of the row's zone. Beside a time of day alone
// another one is an error: nobody writes where the clock of the event does not stand. A
// whole date-time says its instant by itself, so that there it is warned of.
func (w *worker) fitsZone(field *schema.Field, wall int64, m *datetime.Moment, column int) bool {
	name := cmp.Or(w.zone, w.b.options.zone)
	if m.Offset == 0 || !m.HasOffset || name == "" || w.badZone {
		return true
	}
	zone, err := datetime.LoadZone(name)
	if err != nil {
		return true // that was reported
	}
	first, second, n := zone.Offsets(wall)
	if n > 0 && (m.Offset == first || m.Offset == second) {
		return true
	}
	at := time.UnixMilli(datetime.Unix(wall, m.Offset, m.Milli))
	stated, there := at.In(time.FixedZone("", m.Offset)), at.In(zone.Location)
	message := "the offset " + stated.Format("-07:00") + " is not that of " + name + " at this time, which is " + there.Format("-07:00")
	if m.Bare {
		return w.fault(field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeBadTime, Message: message, Hint: "leave the offset out, or write the date and the time with it into one cell",
		})
	}
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeForeignOffset, Field: field.Path, Place: w.placeOf(column), Value: w.cell(column),
		Message: message + ": the event's clock shows " + there.Format("2006-01-02 15:04"),
		Hint:    "leave the offset out where the time is that of the event's own clock",
	})
	return true
}

func (w *worker) gap(field *schema.Field, column int, zone string, wall int64, milli, before, after int) bool {
	late := datetime.AppendTimestamp(nil, wall+int64(after-before), milli, after)
	early := datetime.AppendTimestamp(nil, wall+int64(before-after), milli, before)
	return w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeDSTGap,
		Message: string(datetime.AppendWall(nil, wall, milli)) + " does not exist in " + zone + ": the clock is put forward over it",
		Hint:    "write " + string(late) + " or " + string(early),
	})
}

func (w *worker) twice(field *schema.Field, column int, zone string, wall int64, milli, first, second int) bool {
	return w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeDSTOverlap,
		Message: string(datetime.AppendWall(nil, wall, milli)) + " exists twice in " + zone + ": the clock is put back over it",
		Hint: "write " + string(datetime.AppendTimestamp(nil, wall, milli, first)) + " or " + string(
			datetime.AppendTimestamp(nil, wall, milli, second),
		) +
			", or say --overlap first or second",
	})
}

// zoneOf returns the zone of the row's wall times. Where the row's own is wrong, that
// has been reported, and its times say nothing more. Where there is none, the row
// reports it, once.
func (w *worker) zoneOf(field *schema.Field, column int) (*datetime.Zone, bool) {
	name := w.zone
	if name == "" {
		name = w.b.options.zone
	}
	switch {
	case w.badZone:
		w.misread(field)
		return nil, false
	case name == "":
		w.misread(field)
		w.needsZone = true
		return nil, false
	}
	zone, err := datetime.LoadZone(name)
	return zone, err == nil // the name was checked when it was read
}
