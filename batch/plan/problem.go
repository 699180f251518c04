package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// missing refuses a row whose event nobody knows.
func (r *row) missing(verb string) {
	r.refuse(schema.FieldKey, schema.CodeKeyMissing,
		fmt.Sprintf("no event is known for this row, so there is nothing to %s", verb),
		"add its event_id or slug, or import the row that makes the event first")
}

// refuse makes the op invalid, with the problem at the cell that holds the
// field, or at the row where no cell does.
func (r *row) refuse(id schema.ID, code schema.Code, message, hint string) {
	r.refuseAt(catalog.Path(id), code, message, hint)
}

func (r *row) refuseAt(path string, code schema.Code, message, hint string) {
	r.op.Action, r.op.Reason = Invalid, message
	r.report(path, code, message, hint)
}

// report adds a problem at the cell that holds the field, or at the row where none does.
func (r *row) report(path string, code schema.Code, message, hint string) {
	r.op.Problems = append(r.op.Problems, problemAt(r.d, path, code, message, hint))
}

// unsound refuses a row of which no request can be made, at the cell that does not go with the others.
func (r *row) unsound(err error) {
	at, fault := schema.FieldAction, &schema.Fault{Code: schema.CodeBadObject, Message: err.Error()}
	found := false
	r.d.Conflicts(func(id schema.ID, f *schema.Fault) {
		if !found {
			at, fault, found = id, f, true
		}
	})
	r.refuse(at, fault.Code, fault.Message, fault.Hint)
}

// problemAt returns a problem at the cell that holds the field, or at the row where none does.
func problemAt(d *schema.Draft, path string, code schema.Code, message, hint string) schema.Problem {
	place := d.Place
	place.Column = -1
	value := ""
	if f, ok := d.Resource.ByPath(path); ok {
		if s := d.Get(f.ID); s != nil {
			place.Column, value = s.Column, s.Text
		}
	}
	return schema.Problem{
		Severity: catalog.Severity(code), Code: code, Field: path,
		Place: place, Value: value, Message: message, Hint: hint,
	}
}

// unmovable refuses a row that moves its event.
func (r *row) unmovable(message string) {
	r.refuse(schema.FieldCalendarID, schema.CodeUnknownCalendar, message,
		"name the calendar that it is on; an event is moved under --compare live, "+
			"by a key of an organization that has both calendars")
	if r.d.Moved > 0 {
		r.op.Problems[len(r.op.Problems)-1].Place.Column = r.d.Moved - 1
	}
}

// shown writes a value for a message.
func shown(value json.RawMessage) string {
	return cmp.Or(strings.TrimSpace(string(value)), "nothing")
}

// beside writes a time in the offset of another one, for people to compare them; any other
// value stays.
func beside(value, other json.RawMessage) json.RawMessage {
	var texts [2]string
	if json.Unmarshal(value, &texts[0]) != nil || json.Unmarshal(other, &texts[1]) != nil {
		return value
	}
	at, err := time.Parse(time.RFC3339, texts[0])
	as, noTime := time.Parse(time.RFC3339, texts[1])
	if cmp.Or(err, noTime) != nil {
		return value
	}
	return json.RawMessage(at.In(as.Location()).Format(`"` + time.RFC3339 + `"`))
}
