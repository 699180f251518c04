package report

import (
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// Status is the word for what became of a row.
type Status string

// The statuses of a row. Every row of the input has exactly one.
const (
	Created   Status = "created"
	Updated   Status = "updated"
	Cancelled Status = "cancelled"
	Unchanged Status = "unchanged"
	Skipped   Status = "skipped"
	Failed    Status = "failed"
	InDoubt   Status = "in_doubt"
	Blocked   Status = "blocked"
	Pending   Status = "pending"
	Invalid   Status = "invalid"
)

// Outcome is what became of one row.
type Outcome struct {
	Op      *plan.Op
	Status  Status
	EventID string
	Error   string // what is wrong, or worth knowing, in words; empty where there is nothing
	Field   string // that the error is about, empty where it is about none
	Column  int    // zero-based, of the cell that the field came from; -1 without one
	At      time.Time
}

// Outcomes tells what became of the rows of a run. Blocked names the calendars
// that could not be sent, each with the reason; it may be nil.
type Outcomes struct {
	State   *journal.State
	Blocked map[string]error
}

// Of gives the outcome of one op.
func (o *Outcomes) Of(op *plan.Op) Outcome {
	out := Outcome{Op: op, EventID: op.Event.ID, Column: -1}
	switch op.Action {
	case plan.Invalid:
		out.Status = Invalid
		if out.complain(op.Problems); out.Error == "" {
			out.Error = op.Reason
		}
		return out
	case plan.Unchanged:
		out.Status = Unchanged
		return out
	case plan.Skip:
		out.Status, out.Error = Skipped, op.Reason
		return out
	case plan.Blocked:
		out.Status, out.Error = Blocked, op.Reason
		return out
	}
	s := &o.State.Ops[op.N]
	out.At = s.At()
	if s.EventID != "" {
		out.EventID = s.EventID
	}
	switch s.Status {
	case journal.Done:
		out.Status = map[plan.Action]Status{plan.Create: Created, plan.Update: Updated, plan.Cancel: Cancelled}[op.Action]
		if op.Action == plan.Create && s.Kind() == plan.Update {
			out.Status = Updated // its event was there already
		}
		if s.Why != nil {
			out.Error = s.Why.Error
		}
	case journal.Skipped:
		out.Status = Skipped
		if s.Why != nil {
			out.Error = s.Why.Error
		}
	case journal.Failed:
		out.Status = Failed
		out.explain(s.Why)
	case journal.InDoubt, journal.Sent:
		out.Status = InDoubt
		out.Error = "it is not certain whether the request was carried out"
	default:
		out.Status = Pending
		if err := o.Blocked[op.Event.Calendar]; err != nil {
			out.Status, out.Error = Blocked, err.Error()
		}
	}
	return out
}

// Problems gives what keeps one row from being done, at the cells concerned:
// the service's reasons, or why it was not sent. Problems of invalid rows are
// their plan's own, and are not repeated.
func (o *Outcomes) Problems(op *plan.Op, sources []plan.Source) []schema.Problem {
	out := o.Of(op)
	code := map[Status]schema.Code{
		Failed: schema.CodeServiceRejected, InDoubt: schema.CodeInDoubt, Blocked: schema.CodeBlocked,
	}[out.Status]
	if out.leftOut(o.State) {
		code = schema.CodeFieldLeftOut
	}
	if code == "" {
		return nil
	}
	source := sources[op.Row.Source]
	at := schema.Place{File: source.File, Sheet: source.Sheet, Row: op.Row.Number, Line: op.Row.Line, Column: -1}
	problem := func(field string, column int, message string) schema.Problem {
		p := schema.Problem{Severity: code.Severity(), Code: code, Field: field, Place: at, Message: message}
		if column >= 0 && column < len(source.Header) {
			p.Place.Column, p.Place.Header = column, source.Header[column]
			if column < len(op.Cells) {
				p.Value = op.Cells[column]
			}
		}
		return p
	}
	if out.Status != Failed {
		p := problem("", -1, out.Error)
		if out.Status == InDoubt {
			p.Hint = o.settling(op)
		}
		return []schema.Problem{p}
	}
	why := o.State.Ops[op.N].Why
	if why != nil && why.Code != "" {
		code = schema.Code(why.Code)
	}
	if why == nil || len(why.Fields) == 0 {
		p := problem(out.Field, out.Column, out.Error)
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
func (out *Outcome) leftOut(state *journal.State) bool {
	if out.Status != Updated {
		return false
	}
	why := state.Ops[out.Op.N].Why
	return why != nil && why.Code == string(schema.CodeFieldLeftOut)
}

// settling tells how a row in doubt comes to its end.
func (o *Outcomes) settling(op *plan.Op) string {
	apply := "eventbatch apply " + o.State.Run
	if op.Action != plan.Create {
		return apply + " looks again"
	}
	return apply + " looks again; or look at the calendar yourself, then add --adopt ROW=EVENT_ID or --not-created ROW"
}

// missing tells what to do about an event that the service does not have, or does
// not show to the key.
func missing(op *plan.Op) string {
	if _, named := op.From[schema.FieldEventID.Path()]; named {
		return "correct event_id, or calendar_id if the event is of another calendar; if the event was deleted, take the row out"
	}
	return "if the event was deleted, import the file again with --forget-missing, which creates it anew, or take the row out; if it is " +
		"there, use a key of its calendar"
}

// complain takes the words of the row's problems, each with the column that it is in.
func (out *Outcome) complain(problems []schema.Problem) {
	var words []string
	for i := range problems {
		p := &problems[i]
		if p.Severity != schema.Error {
			continue
		}
		if len(words) == 0 {
			out.Field, out.Column = p.Field, p.Place.Column
		}
		words = append(words, columnWords(&p.Place)+withValue(p))
	}
	out.Error = strings.Join(words, "; ")
}

// columnWords names the column of a cell before what is said of it.
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
func (out *Outcome) explain(why *journal.Why) {
	if why == nil {
		out.Error = "the service refused the row"
		return
	}
	var words []string
	for _, f := range why.Fields {
		if out.Field == "" {
			out.Field, out.Column = f.Path, columnOf(out.Op, f.Path)
		}
		words = append(words, f.Path+": "+f.Reason)
	}
	if len(words) == 0 {
		reason := why.Error
		if why.Code == string(schema.CodeNotAllowed) && out.EventID != "" {
			reason = "event " + out.EventID + " is gone, or not for this key to change: " + reason
		}
		words = append(words, reason)
		if field, ok := codeFields[schema.Code(why.Code)]; ok {
			out.Field, out.Column = field, columnOf(out.Op, field)
		}
	}
	out.Error = strings.Join(words, "; ")
}

// codeFields are the fields that a failure is about where the service names none.
var codeFields = map[schema.Code]string{
	schema.CodeSlugTaken:  schema.Fields[schema.FieldSlug].Path,
	schema.CodeBadPicture: schema.Fields[schema.FieldCoverFile].Path,
	schema.CodeKeyMissing: schema.Fields[schema.FieldSlug].Path,
	schema.CodeNotAllowed: schema.Fields[schema.FieldEventID].Path,
}

// columnOf gives the column that fed the field which the service names, -1
// where none did.
func columnOf(op *plan.Op, path string) int {
	_, column, _ := schema.ColumnOf(op.From, path)
	return column
}

// Rows counts rows: what was planned for them, then what became of them. The
// second half adds up to Read, together with Invalid and Unchanged.
type Rows struct {
	Read      int `json:"read"`
	Invalid   int `json:"invalid"`
	Create    int `json:"create"`
	Update    int `json:"update"`
	Cancel    int `json:"cancel"`
	Unchanged int `json:"unchanged"`
	Skip      int `json:"skip"`

	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Cancelled int `json:"cancelled"`
	Skipped   int `json:"skipped"`
	Failed    int `json:"failed"`
	InDoubt   int `json:"in_doubt"`
	Blocked   int `json:"blocked"`
	Pending   int `json:"pending"`
}

// Planned starts the count with what a plan says.
func Planned(c plan.Counts) Rows {
	return Rows{
		Read: c.Read(), Invalid: c[plan.Invalid], Create: c[plan.Create], Update: c[plan.Update], Cancel: c[plan.Cancel],
		Unchanged: c[plan.Unchanged], Skip: c[plan.Skip],
		Skipped: c[plan.Skip], Blocked: c[plan.Blocked], Pending: c.Sends(),
	}
}

// Settle counts the outcome of a row that was planned to be sent.
func (r *Rows) Settle(out Outcome) {
	if !out.Op.Action.Sends() {
		return
	}
	counter := map[Status]*int{
		Created: &r.Created, Updated: &r.Updated, Cancelled: &r.Cancelled, Skipped: &r.Skipped,
		Failed: &r.Failed, InDoubt: &r.InDoubt, Blocked: &r.Blocked,
	}[out.Status]
	if counter != nil {
		r.Pending--
		*counter++
	}
}

// Done is how many rows the service took.
func (r *Rows) Done() int { return r.Created + r.Updated + r.Cancelled }
