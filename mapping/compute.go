package mapping

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// compute evaluates a field's expression.
func (w *worker) compute(ctx context.Context, f *feed, s *schema.Setting) bool {
	before := len(w.problems)
	result, asked, err := f.program.run(w.env(ctx, f.program), func(column int) string { return w.exprCell(ctx, column) }, w.draft.Time)
	if err == nil && len(w.problems) == before {
		var text string
		var at time.Time
		var isTime bool
		text, at, isTime, err = textOf(result)
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
	if err != nil {
		w.fault(f.field, f.column(), "", &schema.Fault{Code: schema.CodeBadExpression, Message: "expression of " + f.field.Path + ": " + err.Error()})
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

func (w *worker) filtered(ctx context.Context) bool {
	before := len(w.problems)
	result, _, err := w.b.filter.run(w.env(ctx, w.b.filter), func(column int) string { return w.exprCell(ctx, column) }, w.draft.Time)
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
		Code: schema.CodeBadExpression, Place: w.placeOf(w.b.filter.first), Message: "filter: " + err.Error(),
	})
	return true
}

// env is a program's environment, with functions that look at the worker's row.
func (w *worker) env(ctx context.Context, p *program) map[string]any {
	env := w.envs[p]
	if env == nil {
		env = map[string]any{}
		if w.envs == nil {
			w.envs = map[*program]map[string]any{}
		}
		w.envs[p] = env
		env["now"] = func() time.Time { return w.b.options.Now }
		env["field"] = func(path string) string {
			switch path {
			case "key":
				return w.draft.Key
			case "calendar_id":
				return w.draft.Calendar
			}
			if field, ok := schema.ByPath(path); ok {
				return w.draft.Text(field.ID)
			}
			return ""
		}
	}
	env["col"] = func(name string) string { return w.exprCell(ctx, p.columns[name]) }
	return env
}

// exprCell is a cell as an expression sees it: its text without white space around it.
func (w *worker) exprCell(ctx context.Context, column int) string {
	text, _ := w.textOf(ctx, noField, column)
	return strings.TrimSpace(text)
}

// noField is whom a bad cell is reported for where an expression reads it.
var noField = &schema.Field{Kind: schema.Text}
