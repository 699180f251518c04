package mapping

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// span is the part of a range that a field is fed from.
type span uint8

const (
	wholeCell span = iota
	spanStart
	spanEnd
)

func spanOf(word string) span {
	switch word {
	case mapfile.RangeStart:
		return spanStart
	case mapfile.RangeEnd:
		return spanEnd
	}
	return wholeCell
}

// allDay is the column that says which rows take whole days.
type allDay struct {
	column int
	values map[string]bool // normalised words besides those of every column of yes and no
	ends   string
}

// days binds all_day.
func (x *binder) days(f *mapfile.File) {
	if f.AllDay.Column == "" {
		return
	}
	column, ok := x.findOne(f.AllDay.Column, "all_day.column")
	if !ok || column < 0 {
		return
	}
	a := &allDay{column: column, ends: f.AllDay.Ends, values: map[string]bool{}}
	for _, item := range f.AllDay.Values {
		a.values[sheet.NormalHeader(item.Key)], _ = schema.ParseBool(item.Value) // it was checked when the mapping was read
	}
	x.b.allDay = a
}

// borrow lets an end without a column for its date have the start's.
func (x *binder) borrow(g *feed) {
	start, ok := x.b.options.mapping.Columns.Get(schema.FieldStartAt.Path())
	if !ok || len(start.From) == 0 {
		return
	}
	if date := sheet.FindColumn(x.names, start.From[0]); date >= 0 {
		g.columns, g.borrowed = []int{date, g.columns[0]}, true
	}
}

// share notes that an end whose date is the start's too says nothing without a time
// of its own.
func (x *binder) share() {
	at := func(id schema.ID) int {
		return slices.IndexFunc(x.given, func(g feed) bool { return g.field.ID == id })
	}
	start, end := at(schema.FieldStartAt), at(schema.FieldEndAt)
	if start < 0 || end < 0 || len(x.given[end].columns) != 2 || x.given[end].span != wholeCell {
		return
	}
	of := x.given[start].columns
	if p := x.given[start].program; p != nil {
		of = p.Columns()
	}
	if slices.Contains(of, x.given[end].columns[0]) {
		x.given[end].borrowed = true
	}
}

// wholeDays reports whether the row takes whole days.
func (w *worker) wholeDays() bool {
	a := w.b.allDay
	text, ok := w.textOf(noField, a.column)
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		return false
	}
	if whole, ok := a.values[sheet.NormalHeader(text)]; ok {
		return whole
	}
	whole, fault := schema.ParseBool(text)
	w.fault(schema.FieldStartAt.Field(), a.column, text, fault)
	return whole
}

// dayOf reads a time of a row that takes whole days: the start of its first day,
// and the end of its last. A blank end is that of the first day: see endDay.
func (w *worker) dayOf(ctx context.Context, f *feed, s *schema.Setting) bool {
	if f.borrowed {
		return false
	}
	var m, clock datetime.Moment
	ok, blank := w.moment(ctx, f.field, f.columns[0], datetime.AnyCell, &m, nil)
	if !ok || blank {
		return false
	}
	if !m.HasDate {
		return w.instant(f.field, s, &m, f.columns[0]) // which says that the date is missing
	}
	day := &m
	s.Column = f.columns[0]
	if f.field.ID == schema.FieldStartAt {
		w.firstDay = m
		return w.midnight(f.field, s, day, 0, f.columns[0])
	}
	next := w.b.allDay.ends == mapfile.EndsNextDay
	if w.b.allDay.ends == "" {
		clock = m
		if len(f.columns) == 2 {
			if ok, blank := w.moment(ctx, f.field, f.columns[1], datetime.ClockCell, &clock, nil); !ok && !blank {
				return false
			}
		}
		next = clock.HasTime && midnight(&clock) && w.firstDay.HasDate && dayNumber(&m) > dayNumber(&w.firstDay)
	}
	if next {
		return w.midnight(f.field, s, day, 0, f.columns[0])
	}
	return w.midnight(f.field, s, day, 1, f.columns[0])
}

// endDay completes a row of one whole day, which has no end of its own.
func (w *worker) endDay() {
	if !w.firstDay.HasDate || w.draft.Has(schema.FieldEndAt) || w.reported(schema.FieldEndAt.Path()) || !w.draft.Has(schema.FieldStartAt) {
		return
	}
	column := w.draft.Get(schema.FieldStartAt).Column
	if s := w.draft.Next(); w.midnight(schema.FieldEndAt.Field(), s, &w.firstDay, 1, column) {
		s.Column = column
		w.draft.Take()
	}
}

func dayNumber(m *datetime.Moment) int64 {
	day := *m
	day.Hour, day.Minute, day.Second = 0, 0, 0
	return day.Wall() / 86400
}

// midnight makes a setting of the moment at which a day begins, some days after
// that of m. Where the clocks skip midnight, that is when they go on.
func (w *worker) midnight(field *schema.Field, s *schema.Setting, m *datetime.Moment, after, column int) bool {
	wall := (dayNumber(m) + int64(after)) * 86400
	offset := m.Offset
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
		if offset = first; n == 0 {
			wall, offset = wall+int64(second-first), second
		}
	}
	s.Field, s.State, s.Instant = field.ID, schema.Set, datetime.Unix(wall, offset, 0)
	w.scratch = datetime.AppendTimestamp(w.scratch[:0], wall, 0, offset)
	s.Text = w.keep(w.scratch)
	return true
}

// ranged reads one end of cells that may hold two. A date without a time of day is
// the whole day here: it begins at 00:00, and ends at 00:00 of the next. Cells without
// an end that have a time say nothing of the end.
func (w *worker) ranged(ctx context.Context, f *feed, s *schema.Setting) bool {
	column := f.columns[len(f.columns)-1] // where the range stands
	s.Column = column
	var m, until datetime.Moment
	ok, blank := w.timeOf(ctx, f, &m, &until)
	end := f.span == spanEnd
	switch {
	case blank || ok && end && m.HasTime && !until.HasDate && !until.HasTime:
		return f.fallback != "" && w.whenText(f, s, f.fallback)
	case !ok:
		return false
	case until.HasDate || until.HasTime:
		datetime.CloseRange(&m, &until)
		if end {
			m = until
		}
	case m.HasDate && !m.HasTime && w.row.Cells[column].Kind == sheet.Date && w.b.dates.timed(ctx, column):
		if m.HasTime = true; end {
			return f.fallback != "" && w.whenText(f, s, f.fallback)
		}
	}
	switch {
	case !m.HasDate || m.HasTime:
		return w.instant(f.field, s, &m, column)
	case end:
		return w.midnight(f.field, s, &m, 1, column)
	}
	return w.midnight(f.field, s, &m, 0, column)
}
