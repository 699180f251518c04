package mapping

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"eventbatch/mapping/formula"
	"eventbatch/mapping/schema"
)

// compute evaluates a field's expression.
func (w *worker) compute(f *feed, s *schema.Setting) bool {
	before := len(w.problems)
	result, asked, err := w.formulas.Run(f.program)
	if err == nil && len(w.problems) == before {
		var text string
		var at time.Time
		var isTime bool
		text, at, isTime, err = formula.Text(result)
		switch {
		case err != nil:
		case !asked:
			return false
		case isTime && f.field.Kind == schema.Timestamp:
			return w.computedTime(f, s, at)
		default:
			return w.fixedAt(f, s, text, f.column())
		}
	}
	if len(w.problems) > before {
		w.misread(f.field)
	}
	if err != nil {
		w.fault(
			f.field, f.column(), "",
			&schema.Fault{Code: schema.CodeBadExpression, Message: "expression of " + f.field.Path + ": " + err.Error()},
		)
	}
	return false
}

func (w *worker) computedTime(f *feed, s *schema.Setting, at time.Time) bool {
	s.Field, s.State, s.Column, s.Instant = f.field.ID, schema.Set, f.column(), at.UnixMilli()
	if zone := cmp.Or(w.zone, w.b.options.zone); zone != "" {
		if location, err := schema.LoadZone(zone); err == nil {
			at = at.In(location)
		}
	}
	s.Text = at.Format("2006-01-02T15:04:05.999Z07:00")
	return true
}

func (w *worker) filtered() bool {
	before := len(w.problems)
	result, _, err := w.formulas.Run(w.b.filter)
	if len(w.problems) > before {
		return true // a row whose filter cannot be told is not passed over
	}
	if err == nil {
		keep, isBool := result.(bool)
		if isBool {
			return keep
		}
		err = errors.New("its result is neither true nor false")
	}
	w.problems = append(w.problems, schema.Problem{
		Code: schema.CodeBadExpression, Place: w.placeOf(w.b.filter.Column()), Message: "filter: " + err.Error(),
	})
	return true
}

// visible is a worker's row as expressions see it.
type visible struct{ *worker }

// Cell reports a cell that cannot be read.
func (w visible) Cell(column int) string {
	text, _ := w.textOf(noField, column)
	return strings.TrimSpace(text)
}

// Field returns the text of a field, also of one that is not the event's own.
func (w visible) Field(path string) string {
	switch path {
	case "key":
		return w.draft.Key
	case "calendar_id":
		return w.draft.Calendar
	}
	if field, ok := w.b.options.Resource.ByPath(path); ok {
		return w.draft.Text(field.ID)
	}
	return ""
}

// Time returns the instant of a field that was fed before.
func (w visible) Time(id schema.ID) (time.Time, bool) { return w.draft.Time(id) }

// Now returns the time of the options.
func (w visible) Now() time.Time { return w.b.options.Now }

// noField is whom a bad cell is reported for where an expression reads it.
var noField = &schema.Field{Kind: schema.Text}
