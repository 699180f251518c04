package batch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// outcomes knows what became of the rows of a run: what was planned for them, and what
// the journal has recorded since.
type outcomes struct {
	state   *journal.State
	blocked map[string]error // the calendars that could not be sent, each with the reason; may be nil
	sources []finding.Source
	undone  map[int]awaited // the ops of the rows that were met and are not done
}

// awaited is an op that is not done: why others wait for it, in words, and what it is about.
type awaited struct {
	why string
	of  *schema.Resource
}

// outcome is what became of one row.
type outcome struct {
	finding.Result
	status  finding.Status
	op      *plan.Op
	eventID string
	column  int // zero-based, of the cell that Field came from; -1 without one
}

// worst returns what became of the row of a first op.
func (o *outcomes) worst(op *plan.Op) (worst outcome) {
	for each := range op.All() {
		out := o.of(each)
		if each.Action.Sends() {
			o.await(&out)
		}
		// What waits for the first of its row alone says nothing of its own.
		waits := each != op && out.status == finding.Blocked && slices.Contains(each.After, op.N) && worst.status.Held() != ""
		if each == op || !waits && out.status.Worse(worst.status) {
			out.eventID = cmp.Or(worst.eventID, out.eventID)
			worst = out
		}
	}
	return worst
}

// What is shown of an op follows from two tables: what was planned for it says it where nothing is sent, and where it
// was done; else what was recorded says it.
var (
	plannedStatus = map[plan.Action]finding.Status{
		plan.Invalid: finding.Invalid, plan.Unchanged: finding.Unchanged, plan.Skip: finding.Skipped, plan.Blocked: finding.Blocked,
		plan.Conflict: finding.Conflict,
		plan.Create:   finding.Created, plan.Update: finding.Updated, plan.Cancel: finding.Cancelled,
	}
	recordedStatus = map[journal.Status]finding.Status{
		journal.Pending: finding.Pending, journal.Sent: finding.InDoubt, journal.InDoubt: finding.InDoubt,
		journal.Failed: finding.Failed, journal.Skipped: finding.Skipped, journal.Blocked: finding.Blocked,
	}
)

// statusOf returns what people see of an action that was planned, given what was recorded of it.
func statusOf(action plan.Action, s *journal.OpState) finding.Status {
	switch {
	case !action.Sends() || s.Status == journal.Done:
		return plannedStatus[action]
	case s.Status == journal.Skipped && s.Why != nil && conflicts[schema.Code(s.Why.Code)] != "":
		return finding.Conflict
	}
	return recordedStatus[s.Status]
}

// Settled returns what people see of an op that has just come to its end, by the type of the record of that.
func Settled(op *plan.Op, end journal.Type) finding.Status {
	status := journal.Done
	switch end {
	case journal.Fail:
		status = journal.Failed
	case journal.Doubt:
		status = journal.InDoubt
	case journal.Skip:
		status = journal.Skipped
	}
	return statusOf(op.Action, &journal.OpState{Status: status})
}

// of returns what became of one op.
func (o *outcomes) of(op *plan.Op) outcome {
	out := outcome{op: op, eventID: op.Concerns(""), column: -1}
	if !op.Action.Sends() {
		if out.status = statusOf(op.Action, nil); out.status == finding.Invalid {
			out.complain(op.Problems)
		}
		if out.Error == "" && out.status != finding.Unchanged {
			out.Error = op.Reason
		}
		return out
	}
	o.state.Place(op)
	s := &o.state.Ops[op.N]
	action := op.Action
	if op.Of().Cell != nil || action == plan.Create && s.Kind() == plan.Update {
		action = plan.Update // its event was there already
	}
	out.status, out.At, out.eventID = statusOf(action, s), s.At(), op.Concerns(s.EventID)
	switch out.status {
	case finding.Failed, finding.Conflict:
		out.explain(s.Why)
	case finding.InDoubt:
		out.Error = "it is not certain whether the request was carried out"
	case finding.Pending:
		if err := o.blocked[op.Event.Calendar]; err != nil {
			out.status, out.Error = finding.Blocked, err.Error()
		}
	default:
		if s.Why != nil {
			out.Error = s.Why.Error
		}
	}
	return out
}

// conflicts are what a row has met whose event was no longer as the plan knew it when its
// turn came, each with what to do about it.
var conflicts = map[schema.Code]string{
	schema.CodeConflict:        "import the file again: it is compared with what is live then",
	schema.CodeMoreThanPlanned: "import the file again: its plan counts the guests anew",
}

// await says for which row the op waits that is not done, where there is one; and notes an op
// that is not done for those that wait for it. Rows come in order.
func (o *outcomes) await(out *outcome) {
	op := out.op
	if len(op.After) > 0 && (out.status == finding.Blocked || out.status == finding.Pending) {
		for _, n := range op.After {
			if above := o.undone[n]; above.why != "" {
				out.status, out.Error, out.Field = finding.Blocked, above.why, op.Of().Parent
				if i := slices.IndexFunc(op.Of().Own, func(f schema.Field) bool { return f.Refers == above.of }); i >= 0 {
					out.Field = op.Of().Own[i].Path
				} else if op.Part > 0 {
					out.Field = op.Of().Named
				}
				out.column = columnOf(op, out.Field)
				break
			}
		}
	}
	word := out.status.Held()
	if word == "" || o.sources == nil {
		return
	}
	if o.undone == nil {
		o.undone = map[int]awaited{}
	}
	source := &o.sources[op.Row.Sheet]
	at := schema.Place{File: source.File, Sheet: source.Sheet, Row: op.Row.Number, Line: op.Row.Line, Column: -1}
	o.undone[op.N] = awaited{fmt.Sprintf("it waits for the %s of %s, which %s", op.Of().One, at, word), op.Of()}
}

// row returns the record of the row of a first op, with what keeps it from being done at the cells
// concerned: the problems of the plan, then the service's reasons or why it was not sent.
func (o *outcomes) row(op *plan.Op) finding.Row {
	for _, part := range op.Parts {
		part.Cells = op.Cells
	}
	out, reason := o.worst(op), op.Reason
	if !op.Action.Sends() && op.RowAction().Sends() {
		reason = op.Parts[0].Reason
	}
	source := &o.sources[op.Row.Sheet]
	return finding.Row{
		Source: op.Row.Sheet, File: source.File, Sheet: source.Sheet, Number: op.Row.Number, Line: op.Row.Line, Cells: op.Cells,
		Missing: op.Missing,
		Action:  string(op.RowAction()), Reason: reason, Status: out.status, Result: out.Result,
		Event: finding.Event{
			Calendar: op.Event.Calendar, Key: op.Label(), ID: out.eventID, Name: op.Event.Name,
		},
		Problems: slices.Concat(op.Problems, o.problems(&out)),
	}
}

// problems returns what keeps one row from being done, beyond the problems of its plan.
func (o *outcomes) problems(out *outcome) []schema.Problem {
	op := out.op
	code := out.status.Code()
	if out.leftOut(o.state) {
		code = schema.CodeFieldLeftOut
	}
	why := o.state.Ops[op.N].Why
	if out.status == finding.Conflict && op.Action.Sends() {
		code = schema.Code(why.Code)
	}
	if code == "" {
		return nil
	}
	source := &o.sources[op.Row.Sheet]
	at := schema.Place{File: source.File, Sheet: source.Sheet, Row: op.Row.Number, Line: op.Row.Line, Column: -1}
	problem := func(field string, column int, message string) schema.Problem {
		p := schema.Problem{Severity: catalog.Severity(code), Code: code, Field: field, Place: at, Message: message}
		if column >= 0 && column < len(source.Header) {
			p.Place.Column, p.Place.Header = column, source.Header[column]
			if column < len(op.Cells) {
				p.Value = op.Cells[column]
			}
		}
		return p
	}
	if out.status != finding.Failed {
		p := problem(out.Field, out.column, out.Error)
		p.Hint = conflicts[code]
		if out.status == finding.InDoubt {
			p.Hint = o.resolving(op)
		}
		return []schema.Problem{p}
	}
	if why != nil && why.Code != "" {
		code = schema.Code(why.Code)
	}
	if why == nil || len(why.Fields) == 0 {
		p := problem(out.Field, out.column, out.Error)
		if code == schema.CodeNotAllowed {
			p.Hint = missing(op)
		}
		return []schema.Problem{p}
	}
	list := make([]schema.Problem, 0, len(why.Fields))
	for _, f := range why.Fields {
		list = append(list, problem(f.Path, columnOf(op, f.Path), f.Path+": "+f.Reason))
	}
	return list
}

// leftOut reports whether the row was done without a value that the service does not
// take of an event that exists.
func (out *outcome) leftOut(state *journal.State) bool {
	if out.status != finding.Updated {
		return false
	}
	why := state.Ops[out.op.N].Why
	return why != nil && why.Code == string(schema.CodeFieldLeftOut)
}

// resolving returns how a row in doubt comes to its end.
func (o *outcomes) resolving(op *plan.Op) string {
	apply := "eventbatch apply " + o.state.Run
	if op.Action != plan.Create || !op.Of().Keyed() {
		return apply + " looks again"
	}
	return apply + " looks again; or look at the calendar yourself, then add --adopt ROW=EVENT_ID or --not-created ROW"
}

// missing returns what to do about an event that the service does not have, or does
// not show to the key.
func missing(op *plan.Op) string {
	if !op.Of().Keyed() {
		return "if it was cancelled or removed, take the row out; if it is there, use a key of its calendar"
	}
	if _, named := op.From[catalog.Path(catalog.FieldEventID)]; named {
		return "correct event_id, or calendar_id if the event is of another calendar; if the event was deleted, take the row out"
	}
	return "if the event was deleted, import the file again with --forget-missing, which creates it anew, or take the row out; if it is " +
		"there, use a key of its calendar"
}

// complain takes the words of the row's problems, each with the column that it is in.
func (out *outcome) complain(problems []schema.Problem) {
	var words []string
	for i := range problems {
		p := &problems[i]
		if p.Severity != schema.Error {
			continue
		}
		if len(words) == 0 {
			out.Field, out.column = p.Field, p.Place.Column
		}
		words = append(words, columnWords(&p.Place)+report.WithValue(p))
	}
	out.Error = strings.Join(words, "; ")
}

// columnWords returns the beginning of a message about a cell: its column.
func columnWords(p *schema.Place) string {
	switch {
	case p.Column < 0:
		return ""
	case p.Header == "":
		return "column " + schema.ColumnName(p.Column) + ": "
	}
	return p.Header + " (" + schema.ColumnName(p.Column) + "): "
}

// explain takes the words of the service, and the cell that they are about.
func (out *outcome) explain(why *journal.Why) {
	if why == nil {
		out.Error = "the service refused the row"
		return
	}
	var words []string
	for _, f := range why.Fields {
		if out.Field == "" {
			out.Field, out.column = f.Path, columnOf(out.op, f.Path)
		}
		words = append(words, f.Path+": "+f.Reason)
	}
	if len(words) == 0 {
		reason := why.Error
		if why.Code == string(schema.CodeNotAllowed) && out.eventID != "" {
			reason = out.what() + " is gone, or not for this key to change: " + reason
		}
		words = append(words, reason)
		if field, ok := codeFields[schema.Code(why.Code)]; ok {
			if !out.op.Of().Keyed() {
				field = out.op.Of().Parent
			}
			out.Field, out.column = field, columnOf(out.op, field)
		}
	}
	out.Error = strings.Join(words, "; ")
}

// what names the event that a row changes, or the record with its event.
func (out *outcome) what() string {
	if r, ok := catalog.ResourceNamed(out.op.Resource); ok {
		return r.One + " " + out.op.Event.Name + " or its event " + out.eventID
	}
	return "event " + out.eventID
}

// codeFields are the fields that a failure is about where the service names none.
var codeFields = map[schema.Code]string{
	schema.CodeSlugTaken:  catalog.Fields[catalog.FieldSlug].Path,
	schema.CodeBadPicture: catalog.Fields[catalog.FieldCoverFile].Path,
	schema.CodeKeyMissing: catalog.Fields[catalog.FieldSlug].Path,
	schema.CodeNotAllowed: catalog.Fields[catalog.FieldEventID].Path,
}

// columnOf returns the column that fed the field which the service names, -1
// where none did.
func columnOf(op *plan.Op, path string) int {
	_, column, _ := op.Of().ColumnOf(op.From, path)
	return column
}
