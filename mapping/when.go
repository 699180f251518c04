package mapping

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// times reads the cells of the row's times.
type times struct {
	instants

	midnights []int // columns of spreadsheet dates that are taken for midnight
	allDay    bool
	firstDay  datetime.Moment // of a row that takes whole days; without a date where it takes none, or where its end is not read
	until     datetime.Moment // end of the range in the start's cell; without a date where that holds none
	untilAt   int             // that cell's column
}

// when reads the cells of a time into a setting. It reports what is wrong with
// them, and reports whether there is a setting. The end of a range that stands in the
// cell of a start is kept for the end.
func (w *times) when(ctx context.Context, f *feed, s *schema.Setting) bool {
	switch {
	case w.allDay && (f.field.ID == catalog.FieldStartAt || f.field.ID == catalog.FieldEndAt):
		return w.dayOf(ctx, f, s)
	case f.span != wholeCell:
		return w.ranged(ctx, f, s)
	}
	if set, cleared := w.cleared(f, s); cleared {
		return set
	}
	column := f.columns[len(f.columns)-1] // where the time of day stands
	var m, until datetime.Moment
	ok, blank := w.timeOf(ctx, f, &m, &until)
	if blank {
		if f.fallback != "" && !(f.field.ID == catalog.FieldEndAt && w.until.HasDate) {
			return w.whenText(f, s, f.fallback)
		}
		return false
	}
	if !ok {
		return false
	}
	if len(f.columns) == 1 && m.HasDate && !m.HasTime && w.kind(column) == sheet.Date && w.b.dates.timed(ctx, column) {
		m.HasTime = true // midnight: a spreadsheet has no other way to write it
		w.midnights = append(w.midnights, column)
	}
	s.Column = f.columns[0]
	if f.borrowed {
		s.Column = column
	}
	if until.HasDate || until.HasTime {
		datetime.CloseRange(&m, &until)
		if w.until, w.untilAt = until, column; !until.HasTime {
			w.untilAt = f.columns[0]
		}
	}
	if f.field.ID == catalog.FieldStartAt && m.HasTime {
		w.started, w.halved = m, w.halfOf(f, column, &m)
	}
	if f.field.ID == catalog.FieldEndAt {
		if !m.HasDate && w.started.HasDate && w.said(f, column) {
			w.onDayOfStart(&m) // the mapping says when it ends, and not on which day
		}
		if !w.ofTheHalf(f, column, &m) {
			return false
		}
	}
	if m.Exact && len(f.columns) == 1 && f.reads == nil {
		s.Field, s.State, s.Text = f.field.ID, schema.Set, w.row.Cells[column].Text
		s.Instant = datetime.Unix(m.Wall(), m.Offset, m.Milli)
		return w.fitsZone(f.field, m.Wall(), &m, column)
	}
	return w.instant(f.field, s, &m, column)
}

// cleared reads the cell of a time that may be cleared, where it says so.
func (w *times) cleared(f *feed, s *schema.Setting) (set, cleared bool) {
	column := f.columns[0]
	if kind := w.kind(column); !f.field.Nullable || kind != sheet.Text && kind != sheet.Null {
		return false, false
	}
	text := strings.TrimSpace(w.row.Cells[column].Text)
	fault, cleared := mark(f.field, s, text)
	if !cleared {
		return false, false
	}
	s.Column = column
	return w.fault(f.field, column, text, fault), true
}

// day reads the cell of a day into a setting, as dates are read. A time of day has no place
// in it, but that of a spreadsheet's date without one.
func (w *times) day(ctx context.Context, f *feed, s *schema.Setting) bool {
	column := f.columns[0]
	text, ok := w.textOf(f.field, column)
	if !ok {
		return false
	}
	s.Column = column
	if fault, done := mark(f.field, s, strings.TrimSpace(text)); done {
		return w.fault(f.field, column, text, fault)
	}
	var m datetime.Moment
	if ok, blank := w.moment(ctx, f, column, datetime.AnyCell, &m, nil); blank && f.fallback != "" {
		text = f.fallback
	} else if !ok {
		return false
	} else if m.HasDate && (!m.HasTime || midnight(&m) && w.kind(column) == sheet.Date) {
		m.HasTime, m.HasOffset = false, false
		text = w.keep(m.Append(w.scratch[:0]))
	}
	if fault := value.Parse(f.field, s, text); fault != nil {
		return w.fault(f.field, column, w.cell(column), fault)
	}
	return true
}

// endOfRange takes the end of the range that the start's cell holds, where the end has no cell of its own, and compares
// the two where it has. How long all events take is for those that say nothing of their end.
func (w *times) endOfRange(d *schema.Draft) {
	field := catalog.Field(catalog.FieldEndAt)
	if !w.until.HasDate || w.reported(field.Path) {
		return
	}
	own, f := d.Get(catalog.FieldEndAt), w.b.byID[catalog.FieldEndAt]
	if own != nil && f != nil && f.span == spanEnd && f.columns[len(f.columns)-1] == w.untilAt {
		return // which has read it on its own day
	}
	if !w.until.HasTime { // the last of several days
		if own == nil || f == nil || !f.borrowed || f.columns[0] != w.untilAt {
			w.lastDay(field, &w.until, w.untilAt)
		}
		return
	}
	s := d.Next()
	if !w.instant(field, s, &w.until, w.untilAt) {
		return
	}
	if own == nil {
		s.Column = w.untilAt
		d.Take()
		return
	}
	if f != nil && f.program != nil && f.column() < 0 {
		if _, lengthens := f.program.Lengthens(); lengthens {
			s.Column = w.untilAt
			*own = *s
			kept := slices.DeleteFunc(w.problems[w.first:], func(p schema.Problem) bool {
				return p.Code == schema.CodeClockChange && p.Field == field.Path
			})
			w.problems = w.problems[:w.first+len(kept)]
			return
		}
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

// otherOrder warns of an event that takes months as its dates are read, and days with day and month exchanged.
func (w *times) otherOrder(d *schema.Draft) {
	const long = 27 // days: shorter than any month
	start, end := d.Get(catalog.FieldStartAt), d.Get(catalog.FieldEndAt)
	if start == nil || end == nil || start.State != schema.Set || end.State != schema.Set {
		return
	}
	if end.Instant-start.Instant <= long*86_400_000 {
		return
	}
	from, to := w.timeText(catalog.FieldStartAt), w.timeText(catalog.FieldEndAt)
	if first, last, two := datetime.CutRange(from); two {
		from, to = first, last
	}
	if w.b.orderOf(from) != w.b.orderOf(to) || !needsOrder(from) || !needsOrder(to) {
		return
	}
	read, isOne := stretchIn(datetime.MonthFirst, from, to)
	other, isOther := stretchIn(datetime.DayFirst, from, to)
	if !isOne || !isOther {
		return
	}
	if other.nights() > read.nights() {
		read, other = other, read
	}
	if n := other.nights(); n < 0 || n > long {
		return
	}
	column := w.b.byID[catalog.FieldStartAt].columns[0]
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeDoubtfulOrder, Field: catalog.Path(catalog.FieldStartAt),
		Place: w.placeOf(column), Value: w.cell(column),
		Message: "the event takes months, " + read.String() + ", and with day and month exchanged " + other.String(),
		Hint:    "write them as in the second if that is meant: they are read in the order of the other dates",
	})
}

// needsOrder reports whether a text is a date whose day and month may change places.
func needsOrder(text string) bool {
	_, fault := datetime.Scan(text, datetime.Unknown)
	return fault == datetime.NeedsOrder
}

// stretch is the first and the last day of an event.
type stretch [2]datetime.Moment

// stretchIn reads the first and the last day in one order. It reports whether both are dates in it.
func stretchIn(order datetime.Order, first, last string) (s stretch, ok bool) {
	ok = s[0].ScanIn(datetime.AnyCell, first, order) == datetime.OK && s[1].ScanIn(datetime.AnyCell, last, order) == datetime.OK
	return s, ok
}

func (s *stretch) nights() int64 { return dayNumber(&s[1]) - dayNumber(&s[0]) }

func (s *stretch) String() string {
	return string(s[0].Append(nil)[:10]) + " to " + string(s[1].Append(nil)[:10])
}

// timeText returns the text of the cell that has the date of a time, empty where none has.
func (w *times) timeText(id schema.ID) string {
	f := w.b.byID[id]
	if f == nil || len(f.columns) == 0 || w.kind(f.columns[0]) != sheet.Text {
		return ""
	}
	text := w.cell(f.columns[0])
	if f.reads != nil {
		text = w.reread(f, f.columns[0], text)
	}
	return text
}

// lastDay reports that nothing says when an event of several days ends on the last of them, which the cell of a column names.
func (w *times) lastDay(field *schema.Field, last *datetime.Moment, column int) {
	w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeBadTime,
		Message: "the event lasts until " + string(last.Append(nil)[:10]) + ", and no time of day beside it says when it ends",
		Hint:    "write the end's time of day, or the first day alone",
	})
}

// ranged reads one end of cells that may hold two. A date alone in the column of a range is
// the whole day: it begins at 00:00, and ends at 00:00 of the next. Beside a column of hours
// it lacks its time. Cells without an end that have a time say nothing of the end.
func (w *times) ranged(ctx context.Context, f *feed, s *schema.Setting) bool {
	column := f.columns[len(f.columns)-1] // where the range stands
	s.Column = column
	var m, until datetime.Moment
	ok, blank := w.timeOf(ctx, f, &m, &until)
	end, begins := f.span == spanEnd, m.HasTime
	switch {
	case blank || ok && end && m.HasTime && !until.HasDate && !until.HasTime:
		if !blank && len(f.columns) > 1 && w.started.HasDate && dayNumber(&m) != dayNumber(&w.started) {
			w.lastDay(f.field, &m, f.columns[0])
			return false
		}
		return f.fallback != "" && w.whenText(f, s, f.fallback)
	case !ok:
		return false
	case until.HasDate || until.HasTime:
		datetime.CloseRange(&m, &until)
		if end && w.started.HasDate && dayNumber(&m) != dayNumber(&w.started) && dayNumber(&m) != dayNumber(&until) {
			return w.fault(f.field, column, w.cell(column), &schema.Fault{
				Code:    schema.CodeBadTime,
				Message: quoted(w.cell(column)) + " may end on " + string(m.Append(nil)[:10]) + " or on the day after",
				Hint:    "of one night, write the day on which it begins as the last too; of several, the end into a column of its own",
			})
		}
		if end {
			m = until
		}
	case m.HasDate && !m.HasTime && w.kind(column) == sheet.Date && w.b.dates.timed(ctx, column):
		if m.HasTime = true; end {
			return f.fallback != "" && w.whenText(f, s, f.fallback)
		}
	}
	switch {
	case !m.HasDate || m.HasTime || len(f.columns) > 1 && !end:
		return w.instant(f.field, s, &m, column)
	case len(f.columns) > 1:
		if begins {
			w.lastDay(f.field, &m, f.columns[0])
		}
		return false // else the start is reported
	case end:
		return w.midnight(f.field, s, &m, 1, column)
	}
	if f := w.b.byID[catalog.FieldEndAt]; f != nil && f.span == spanEnd {
		w.firstDay = m
	}
	return w.midnight(f.field, s, &m, 0, column)
}
