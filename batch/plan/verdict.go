package plan

import (
	"fmt"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// verdict is what becomes of a row, as far as that is decided: the op, with what is said at the cells of the draft and
// the request that is made of it.
type verdict struct {
	config *Config
	op     *Op
	d      *schema.Draft
}

// hold keeps the row back for a reason.
func (v verdict) hold(reason string) { v.op.Action, v.op.Reason = Blocked, reason }

// unchanged has the row send nothing, for a reason.
func (v verdict) unchanged(reason string) { v.op.Action, v.op.Reason = Unchanged, reason }

// missing refuses a row whose event nobody knows.
func (v verdict) missing(verb string) {
	v.refuse(schema.FieldKey, schema.CodeKeyMissing,
		fmt.Sprintf("no event is known for this row, so there is nothing to %s", verb),
		"add its event_id or slug, or import the row that makes the event first")
}

// refuse makes the op invalid, with the problem at the cell that holds the
// field, or at the row where no cell does.
func (v verdict) refuse(id schema.ID, code schema.Code, message, hint string) {
	v.refuseAt(catalog.Path(id), code, message, hint)
}

func (v verdict) refuseAt(path string, code schema.Code, message, hint string) {
	v.op.Action, v.op.Reason = Invalid, message
	v.report(path, code, message, hint)
}

// report adds a problem at the cell that holds the field, or at the row where none does.
func (v verdict) report(path string, code schema.Code, message, hint string) {
	v.op.Problems = append(v.op.Problems, problemAt(v.d, path, code, message, hint))
}

// unsound refuses a row of which no request can be made, at the cell that does not go with the others.
func (v verdict) unsound(err error) {
	at, fault := schema.FieldAction, &schema.Fault{Code: schema.CodeBadObject, Message: err.Error()}
	found := false
	v.d.Conflicts(func(id schema.ID, f *schema.Fault) {
		if !found {
			at, fault, found = id, f, true
		}
	})
	v.refuse(at, fault.Code, fault.Message, fault.Hint)
}

// unmovable refuses a row that moves its event.
func (v verdict) unmovable(message string) {
	v.refuse(schema.FieldCalendarID, schema.CodeUnknownCalendar, message,
		"name the calendar that it is on; an event is moved under --compare live, "+
			"by a key of an organization that has both calendars")
	if v.d.Moved > 0 {
		v.op.Problems[len(v.op.Problems)-1].Place.Column = v.d.Moved - 1
	}
}
