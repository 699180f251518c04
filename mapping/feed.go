package mapping

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// fields reads what feeds the fields of the row at hand.
type fields struct {
	times

	formulas *formula.Runner
	computed *feed // whose expression is run
	draft    *schema.Draft
}

// feed reads what feeds a field into a setting. It reports what is wrong, and
// reports whether there is a setting.
func (w *fields) feed(ctx context.Context, f *feed, s *schema.Setting) bool {
	switch {
	case f.program != nil:
		return w.compute(f, s)
	case f.constant != nil:
		return w.fixed(f, s, *f.constant)
	case f.field.Kind == schema.Timestamp && f.values == nil:
		return w.when(ctx, f, s)
	case f.field.Kind == schema.Day && f.values == nil && len(f.columns) == 1:
		return w.day(ctx, f, s)
	}
	column := f.columns[0]
	text, ok := w.written(f)
	if !ok {
		return false
	}
	written := text
	if f.reads != nil && len(f.columns) == 1 {
		text = w.reread(f, column, text)
	}
	if text == "" || text[0] <= ' ' && strings.TrimSpace(text) == "" {
		return f.fallback != "" && w.fixed(f, s, f.fallback)
	}
	s.Column = column
	if text[0] == '<' || text[0] <= ' ' {
		if fault, done := mark(f.field, s, strings.TrimSpace(text)); done {
			return w.fault(f.field, column, written, fault)
		}
	}
	if f.meetings && !value.IsMeetingLink(text) {
		w.otherLink(f, column, text)
		return false
	}
	if f.values != nil {
		if text, ok = w.translate(f, column, text); !ok {
			return false
		}
		return w.fixedAt(f, s, text, column)
	}
	if text, ok = w.tickets(f, text); !ok {
		return false
	}
	if text, ok = w.plainText(f, column, text); !ok {
		return false
	}
	if fault := match.Parse(f.field, s, text); fault != nil {
		return w.fault(f.field, column, written, fault)
	}
	return true
}

// written returns the text of the cells that feed a field.
func (w *fields) written(f *feed) (text string, ok bool) {
	switch {
	case f.answers != nil:
		return w.answered(f)
	case len(f.columns) == 1:
		return w.textOf(f.field, f.columns[0])
	}
	return w.joined(f)
}

// answered puts the texts of cells, each of which answers a question, together as JSON.
func (w *fields) answered(f *feed) (string, bool) {
	w.scratch = w.scratch[:0]
	for i, column := range f.columns {
		text, ok := w.textOf(f.field, column)
		if !ok {
			return "", false
		}
		switch text = strings.TrimSpace(text); {
		case text == "", w.kind(column) == sheet.Null:
		case isMarker(text, clearMark), isMarker(text, emptyMark):
			return "", w.fault(f.field, column, text, &schema.Fault{
				Code: schema.CodeNotNullable, Message: "an answer cannot be taken away", Hint: "leave the cell blank",
			})
		default:
			w.scratch = value.AppendAnswer(w.scratch, f.answers[i], text)
			w.draft.Answered = append(w.draft.Answered, column)
		}
	}
	if len(w.scratch) == 0 {
		return "", true
	}
	return w.keep(append(w.scratch, ']')), true
}

// fixed reads a text that stands in no cell.
func (w *fields) fixed(f *feed, s *schema.Setting, text string) bool {
	return w.fixedAt(f, s, text, -1)
}

func (w *fields) fixedAt(f *feed, s *schema.Setting, text string, column int) bool {
	if f.field.Kind == schema.Timestamp {
		ok := w.whenText(f, s, text)
		s.Column = column
		return ok
	}
	if strings.TrimSpace(text) == "" {
		return false
	}
	s.Column = column
	if fault, done := mark(f.field, s, strings.TrimSpace(text)); done {
		return w.fault(f.field, column, text, fault)
	}
	if fault := match.Parse(f.field, s, text); fault != nil {
		return w.fault(f.field, column, text, fault)
	}
	return true
}

// compute evaluates a field's expression.
func (w *fields) compute(f *feed, s *schema.Setting) bool {
	before := len(w.problems)
	w.computed = f
	result, asked, err := w.formulas.Run(f.program)
	w.computed = nil
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
		fault, ok := errors.AsType[*schema.Fault](err)
		if !ok {
			fault = &schema.Fault{Code: schema.CodeBadExpression, Message: "expression of " + f.field.Path + ": " + err.Error()}
		}
		w.fault(f.field, f.column(), "", fault)
	}
	return false
}

func (w *fields) computedTime(f *feed, s *schema.Setting, at time.Time) bool {
	s.Field, s.State, s.Column, s.Instant = f.field.ID, schema.Set, f.column(), at.UnixMilli()
	at = w.local(at)
	s.Text = at.Format("2006-01-02T15:04:05.999Z07:00")
	w.changedClock(f, at)
	return true
}

// local returns a time by the clock of the row's zone, as it is where the row has none.
func (w *fields) local(at time.Time) time.Time {
	if zone := cmp.Or(w.zone, w.b.options.zone); zone != "" {
		if location, err := value.LoadZone(zone); err == nil {
			return at.In(location)
		}
	}
	return at
}

// wholeUnits leaves out what a length has none of at its end: 8h0m0s.
var wholeUnits = strings.NewReplacer("h0m0s", "h", "m0s", "m")

// changedClock warns of hours that were added to a time and that a change of the clocks makes others on the clock.
func (w *fields) changedClock(f *feed, at time.Time) {
	id, ok := f.program.Lengthens()
	if !ok {
		return
	}
	from, _ := rowView{w}.Time(id)
	_, before := from.Zone()
	_, after := at.Zone()
	if before == after || cmp.Or(w.zone, w.b.options.zone) == "" {
		return
	}
	forward, elapsed := "forward", at.Sub(from)
	if after < before {
		forward = "back"
	}
	between, later := catalog.Path(id)+" and "+f.field.Path, " later"
	if elapsed < 0 {
		between, later, elapsed = f.field.Path+" and "+catalog.Path(id), " earlier", -elapsed
	}
	clock := at.Add(time.Duration(before-after) * time.Second)
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeClockChange, Field: f.field.Path, Place: w.placeOf(f.column()),
		Message: "the clocks are put " + forward + " between " + between + ": " + wholeUnits.Replace(elapsed.String()) + later +
			" they show " + at.Format("15:04") + ", not " + clock.Format("15:04"),
		Hint: "that is right where the hours are counted; " + catalog.Path(id) +
			".AddDate(0, 0, 1) is the next day at the same time on the clock",
	})
}

// rowView is a row as expressions see it.
type rowView struct{ *fields }

// Cell returns the text of a cell, as the mapping has it read for the field that is
// computed, and reports one that cannot be read.
func (w rowView) Cell(column int) string {
	text, _ := w.textOf(exprField, column)
	if w.computed != nil && w.computed.reads != nil {
		text = w.reread(w.computed, column, text)
	}
	return strings.TrimSpace(text)
}

// Field returns the text of a field, also of one that is not the event's own.
func (w rowView) Field(path string) string {
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

// Time returns the time of a field that was fed before, by the clock of the row, or as its own offset has it.
func (w rowView) Time(id schema.ID) (time.Time, bool) {
	at, ok := w.draft.Time(id)
	if written, exact := datetime.ParseTimestamp(w.draft.Text(id)); ok && exact {
		at = written
	}
	return w.local(at), ok
}

// Now returns the time of the options.
func (w rowView) Now() time.Time { return w.b.options.Now }
