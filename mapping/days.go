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
