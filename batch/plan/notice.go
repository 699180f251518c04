package plan

import (
	"encoding/json"

	"eventbatch/mapping/schema"
)

// Notice has the fields of an update that guests may be mailed about, or that make a meeting.
type Notice struct {
	Name          *string         `json:"name"`
	StartAt       *string         `json:"start_at"`
	EndAt         *string         `json:"end_at"`
	Place         json.RawMessage `json:"geo_address_json"`
	CreateMeeting *string         `json:"create_meeting"`
	SuppressEmail *bool           `json:"suppress_email"`
}

// Estimate fills in what sending the op takes and what it does, from its payload.
func (op *Op) Estimate() {
	op.Requests, op.Effects = op.requests(), Effects{Of: op.effects()}
	if o := schema.OperationNamed(op.Operation); len(op.Effects.Of) > 0 && !o.Reaches {
		op.Effects.People, op.Effects.Counted = 1, true
	}
}

// Noticed reports whether sending the update twice would be noticed: by guests, or
// by a second meeting.
func (op *Op) Noticed() bool {
	n, ok := op.notice()
	return !ok || n.CreateMeeting != nil || n.mails()
}

func (op *Op) notice() (n Notice, ok bool) {
	err := json.Unmarshal(op.Body, &n)
	return n, err == nil
}

func (n *Notice) mails() bool {
	quiet := n.SuppressEmail != nil && *n.SuppressEmail
	return !quiet && (n.Name != nil || n.StartAt != nil || n.EndAt != nil || n.Place != nil)
}

// requests returns how many requests the op takes if all goes well.
func (op *Op) requests() (n int) {
	if !op.Action.Sends() || op.Rides() {
		return 0
	}
	for o := schema.OperationNamed(op.Operation); o != nil; o = schema.OperationNamed(o.First) {
		n++
	}
	if op.Action != Create && op.Event.ID == "" && op.Of().Keyed() {
		n++ // the slug is looked up
	}
	if op.Cover != nil {
		n++ // an address to upload to
	}
	return n
}
