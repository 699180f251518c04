package mapping

import (
	"context"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// wholeDays reports whether the row takes whole days.
func (w *times) wholeDays() bool {
	a := w.b.allDay
	text, ok := w.textOf(exprField, a.column)
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		return false
	}
	if whole, ok := a.values[sheet.NormalHeader(text)]; ok {
		return whole
	}
	whole, fault := value.ParseBool(text)
	w.fault(catalog.Field(catalog.FieldStartAt), a.column, text, fault)
	return whole
}

// dayOf reads a time of a row that takes whole days: the start of its first day,
// and the end of its last. A blank end is that of the first day: see endDay.
func (w *times) dayOf(ctx context.Context, f *feed, s *schema.Setting) bool {
	w.clockOf(ctx, f)
	if f.borrowed {
		return false
	}
	var m, clock datetime.Moment
	ok, blank := w.moment(ctx, f, f.columns[0], datetime.AnyCell, &m, nil)
	if !ok || blank {
		return false
	}
	if !m.HasDate {
		return w.instant(f.field, s, &m, f.columns[0]) // which says that the date is missing
	}
	day := &m
	s.Column = f.columns[0]
	if f.field.ID == catalog.FieldStartAt {
		w.firstDay = m
		return w.midnight(f.field, s, day, 0, f.columns[0])
	}
	next := w.b.allDay.ends == mapfile.EndsNextDay
	if w.b.allDay.ends == "" {
		clock = m
		if len(f.columns) == 2 {
			if ok, blank := w.moment(ctx, f, f.columns[1], datetime.ClockCell, &clock, nil); !ok && !blank {
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

// clockOf warns of a time of day in a row that takes whole days. Programs write midnight for a whole day, or its last minute.
func (w *times) clockOf(ctx context.Context, f *feed) {
	column := f.columns[len(f.columns)-1]
	text := w.cell(column)
	if w.kind(column) == sheet.Date {
		text = w.dateText(&w.row.Cells[column])
	}
	if from, _, two := datetime.CutRange(text); two {
		text = from
	}
	var m datetime.Moment
	where := datetime.ClockCell
	if len(f.columns) == 1 {
		where = datetime.AnyCell
	}
	if w.scan(ctx, where, text, column, &m) != datetime.OK || !m.HasTime || midnight(&m) || m.Hour == 24 || m.Hour == 23 && m.Minute == 59 {
		return
	}
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeWholeDay, Field: f.field.Path, Place: w.placeOf(column), Value: w.cell(column),
		Message: "the time of day is not read: " + quoted(w.b.header[w.b.allDay.column]) + " says that the event takes the whole day",
		Hint:    "take that out if the event is at this time, else the time",
	})
}

// endDay completes a row of one whole day, which has no end of its own.
func (w *times) endDay(d *schema.Draft) {
	if !w.firstDay.HasDate || d.Has(catalog.FieldEndAt) || w.reported(catalog.Path(catalog.FieldEndAt)) || !d.Has(catalog.FieldStartAt) {
		return
	}
	column := d.Get(catalog.FieldStartAt).Column
	if s := d.Next(); w.midnight(catalog.Field(catalog.FieldEndAt), s, &w.firstDay, 1, column) {
		s.Column = column
		d.Take()
	}
}
