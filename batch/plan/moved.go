package plan

import (
	"encoding/json"

	"eventbatch/mapping/schema"
)

// followed says that the event has been found on another calendar than the row names, if it
// has: it is changed there, and not made again.
func (op *Op) followed(from string) {
	if op.Event.Calendar == from {
		return
	}
	was, _ := json.Marshal(from) // texts always encode
	now, _ := json.Marshal(op.Event.Calendar)
	op.Changes = append(op.Changes, Change{Field: schema.FieldCalendarID.Path(), Base: was, Live: now, Mine: was, Decision: Left})
	if op.Action == Unchanged {
		op.Reason = "left: changed on the platform"
	}
}
