package sandbox

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Mail is what a person would have received: a mail, a push notification, or money back.
type Mail struct {
	At        time.Time     `json:"at"`
	Effect    schema.Effect `json:"effect"`
	Event     string        `json:"event"`     // id
	Person    string        `json:"person"`    // e-mail address
	Operation string        `json:"operation"` // such as events/guests/add
	Cause     string        `json:"cause"`     // added, cancelled, or the members that have changed
}

// send tells those whom a record concerns. It comes before the record is made so, while
// the guests of an event that goes are there.
func (d *data) send(r *record) {
	if r.Cause == "" && r.Push == "" && !r.Refund && !r.Charge {
		return
	}
	to, event := r.To, r.Event
	if r.Type == "update" || r.Type == "cancel" {
		event = r.ID
		for _, guest := range d.guests(event) {
			to = append(to, guest.text("email"))
		}
	}
	receive := func(effect schema.Effect, is bool, cause string) {
		for _, person := range to {
			if is {
				d.outbox = append(d.outbox, Mail{time.UnixMilli(r.At).UTC(), effect, event, person, r.Op, cause})
			}
		}
	}
	receive(schema.Mails, r.Cause != "", r.Cause)
	receive(schema.Pushes, r.Push != "", r.Push)
	receive(schema.Refunds, r.Refund, "refunded")
	receive(schema.Charges, r.Charge, "charged")
}

// due returns when a blast is mailed: when it is made or, where it is scheduled, when that
// time has come.
func (it *item) due() time.Time {
	if at, scheduled := parseTimestamp(it.text("scheduled_for")); scheduled {
		return at
	}
	return it.added
}

// scheduled returns the mails of the blasts whose time has come.
func (d *data) scheduled(now time.Time) (mails []Mail) {
	for in, list := range d.lists {
		for _, it := range list {
			if in.resource != catalog.Blasts || it.fields["scheduled_for"] == nil || now.Before(it.due()) {
				continue
			}
			for _, person := range d.addressed(in.of, it.fields) {
				mails = append(mails, Mail{it.due().UTC(), schema.Mails, in.of, person, "events/blasts/create", "added"})
			}
		}
	}
	return mails
}

// addressed returns the guests of the groups that a blast is for, those who come where it
// names none.
func (d *data) addressed(event string, blast fields) (to []string) {
	var groups []struct{ Status string }
	_ = json.Unmarshal(blast["recipients"], &groups) // none where it names none
	for _, guest := range d.guests(event) {
		status := cmp.Or(guest.text("status"), "approved")
		if len(groups) == 0 && status == "approved" || slices.ContainsFunc(groups, func(g struct{ Status string }) bool {
			return g.Status == status
		}) {
			to = append(to, guest.text("email"))
		}
	}
	return to
}
