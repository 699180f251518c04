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
	sources []plan.Sheet
	undone  map[int]awaited // the ops of the rows that were met and are not done
}

// awaited is an op that is not done: why others wait for it, in words, and what it is about.
type awaited struct {
	why string
	of  *schema.Resource
}

// worst returns the op of the row of a first op that says what became of the row.
func (o *outcomes) worst(first *plan.Op) (worst *plan.Op) {
	var row finding.Status
	for op := range first.All() {
		status := o.of(op)
		o.note(op, status)
		// What waits for the first of its row alone says nothing of its own.
		waits := op != first && status == finding.Blocked && slices.Contains(op.After, first.N) && row.Held() != ""
		if op == first || !waits && status.Worse(row) {
			worst, row = op, status
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

// Settled returns what people see of an op that has just come to its end, by the record of that.
func Settled(op *plan.Op, end *journal.Record) finding.Status {
	s := end.OpState()
	return statusOf(op.Action, &s)
}

// of returns what became of one op.
func (o *outcomes) of(op *plan.Op) finding.Status {
	if !op.Action.Sends() {
		return statusOf(op.Action, nil)
	}
	o.state.Place(op)
	s, action := &o.state.Ops[op.N], op.Action
	if op.Of().Cell != nil || action == plan.Create && s.Kind() == plan.Update {
		action = plan.Update // its event was there already
	}
	status := statusOf(action, s)
	if status == finding.Pending && (o.blocked[op.Event.Calendar] != nil || o.awaits(op).why != "") {
		return finding.Blocked
	}
	return status
}

// conflicts are what a row has met whose event was no longer as the plan knew it when its
// turn came, each with what to do about it.
var conflicts = map[schema.Code]string{
	schema.CodeConflict:        "import the file again: it is compared with what is live then",
	schema.CodeMoreThanPlanned: "import the file again: its plan counts the guests anew",
}

// awaits returns what an op waits for that is not done: nothing has no why.
func (o *outcomes) awaits(op *plan.Op) awaited {
	for _, n := range op.After {
		if above, held := o.undone[n]; held {
			return above
		}
	}
	return awaited{}
}

// note notes an op that is not done for those that wait for it. Rows come in order.
func (o *outcomes) note(op *plan.Op, status finding.Status) {
	word := status.Held()
	if word == "" || !op.Action.Sends() || o.sources == nil {
		return
	}
	if o.undone == nil {
		o.undone = map[int]awaited{}
	}
	at := o.place(op)
	o.undone[op.N] = awaited{fmt.Sprintf("it waits for the %s of %s, which %s", op.Of().One, at, word), op.Of()}
}

// field returns the field by which an op names what it waits for.
func (a *awaited) field(op *plan.Op) string {
	own := op.Of().Own
	if i := slices.IndexFunc(own, func(f schema.Field) bool { return f.Refers == a.of }); i >= 0 {
		return own[i].Path
	}
	if op.Part > 0 {
		return op.Of().Named
	}
	return op.Of().Parent
}

// place returns the place of an op's row.
func (o *outcomes) place(op *plan.Op) schema.Place { return placeIn(&o.sources[op.Row.Sheet], op) }

func placeIn(source *plan.Sheet, op *plan.Op) schema.Place {
	return schema.Place{File: source.File, Sheet: source.Sheet, Row: op.Row.Number, Line: op.Row.Line, Column: -1}
}

// problemAt returns a problem of a field of an op, at the cell that fed it.
func problemAt(op *plan.Op, source *plan.Sheet, field string) schema.Problem {
	p := schema.Problem{Field: field, Place: placeIn(source, op)}
	if column := columnOf(op, field); column >= 0 && column < len(source.Header) {
		p.Place.Column, p.Place.Header = column, source.Header[column]
		if column < len(op.Cells) {
			p.Value = op.Cells[column]
		}
	}
	return p
}

// row returns the record of the row of a first op, with what keeps it from being done at the cells
// concerned: the problems of the plan, then the service's reasons or why it was not sent.
func (o *outcomes) row(first *plan.Op) finding.Row {
	for _, part := range first.Parts {
		part.Cells = first.Cells
	}
	reason := first.Reason
	if !first.Action.Sends() && first.RowAction().Sends() {
		reason = first.Parts[0].Reason
	}
	op, at := o.worst(first), o.place(first)
	row := finding.Row{
		Source: first.Row.Sheet, File: at.File, Sheet: at.Sheet, Number: at.Row, Line: at.Line, Cells: first.Cells,
		Missing: first.Missing, Action: string(first.RowAction()), Reason: reason, Asks: first.Asks, Status: o.of(op),
		Event: finding.Event{
			Calendar: first.Event.Calendar, Key: first.Label(), ID: cmp.Or(o.concerns(first), o.concerns(op)), Name: first.Event.Name,
		},
	}
	o.explain(&row, op)
	row.Problems = slices.Concat(first.Problems, o.problems(&row, op))
	return row
}

// concerns returns the id of the event that an op is about, as far as it is known by now.
func (o *outcomes) concerns(op *plan.Op) string { return op.Concerns(o.state.Ops[op.N].EventID) }

// explain says how a row came to its status by an op.
func (o *outcomes) explain(row *finding.Row, op *plan.Op) {
	s, above := &o.state.Ops[op.N], o.awaits(op)
	if op.Action.Sends() {
		row.At = s.At()
	}
	switch {
	case row.Status == finding.Invalid:
		complain(row, op.Problems)
		row.Error = cmp.Or(row.Error, op.Reason)
	case !op.Action.Sends():
		if row.Status != finding.Unchanged {
			row.Error = op.Reason
		}
	case row.Status == finding.Failed, row.Status == finding.Conflict:
		o.refuse(row, op, s.Why)
	case row.Status == finding.InDoubt:
		row.Error = "it is not certain whether the request was carried out"
	case row.Status == finding.Blocked && above.why != "":
		row.Error, row.Field = above.why, above.field(op)
	case s.Status == journal.Pending:
		if err := o.blocked[op.Event.Calendar]; err != nil {
			row.Error = err.Error()
		}
	case s.Why != nil:
		row.Error = s.Why.Error
	}
}

// problems returns what keeps one row from being done by an op, beyond the problems of its plan.
func (o *outcomes) problems(row *finding.Row, op *plan.Op) []schema.Problem {
	code, why := row.Status.Code(), o.state.Ops[op.N].Why
	switch { // of what was done without a value that the service does not take of an event that exists
	case row.Status == finding.Updated && why != nil && why.Code == journal.FoundLess,
		row.Status == finding.Conflict && op.Action.Sends():
		code = schema.Code(why.Code)
	}
	if code == "" {
		return nil
	}
	problem := func(field, message string) schema.Problem {
		p := problemAt(op, &o.sources[op.Row.Sheet], field)
		p.Severity, p.Code, p.Message = catalog.Severity(code), code, message
		return p
	}
	if row.Status != finding.Failed {
		p := problem(row.Field, row.Error)
		p.Hint = conflicts[code]
		if row.Status == finding.InDoubt {
			p.Hint = o.resolving(op)
		}
		return []schema.Problem{p}
	}
	if why != nil && why.Code != "" {
		code = schema.Code(why.Code)
	}
	if why == nil || len(why.Fields) == 0 {
		p := problem(row.Field, row.Error)
		switch code {
		case schema.CodeNotAllowed:
			p.Hint = missing(op)
		case schema.CodeSlugTaken:
			p.Hint = otherSlug(op)
		}
		return []schema.Problem{p}
	}
	list := make([]schema.Problem, 0, len(why.Fields))
	for _, f := range why.Fields {
		list = append(list, problem(f.Path, f.Path+": "+f.Reason))
	}
	return list
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

// otherSlug returns what to do about a slug that belongs to something else.
func otherSlug(op *plan.Op) string {
	if _, named := op.From[catalog.Path(catalog.FieldSlug)]; named {
		return "give the row another slug, or leave the cell blank, and import the file again"
	}
	return "give the row a slug of its own, and import the file again"
}

// complain takes the words of the row's problems, each with the column that it is in.
func complain(row *finding.Row, problems []schema.Problem) {
	var words []string
	for i := range problems {
		p := &problems[i]
		if p.Severity != schema.Error {
			continue
		}
		if len(words) == 0 {
			row.Field = p.Field
		}
		words = append(words, columnWords(&p.Place)+report.WithValue(p))
	}
	row.Error = strings.Join(words, "; ")
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

// refuse takes the words of the service, and the field that they are about.
func (o *outcomes) refuse(row *finding.Row, op *plan.Op, why *journal.Why) {
	if why == nil {
		row.Error = "the service refused the row"
		return
	}
	var words []string
	for _, f := range why.Fields {
		row.Field = cmp.Or(row.Field, f.Path)
		words = append(words, f.Path+": "+f.Reason)
	}
	if len(words) == 0 {
		reason := why.Error
		if id := o.concerns(op); why.Code == string(schema.CodeNotAllowed) && id != "" {
			reason = what(op, id) + " is gone, or not for this key to change: " + reason
		}
		words = append(words, reason)
		field, ok := codeFields[schema.Code(why.Code)]
		if ok && !op.Of().Keyed() {
			field = op.Of().Parent
		}
		row.Field = field
	}
	row.Error = strings.Join(words, "; ")
}

// what names the event that a row changes, or the record with its event.
func what(op *plan.Op, event string) string {
	if r, ok := catalog.ResourceNamed(op.Resource); ok {
		return r.One + " " + op.Event.Name + " or its event " + event
	}
	return "event " + event
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
