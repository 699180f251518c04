package sandbox

import (
	"cmp"
	"slices"
	"time"

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

// Outbox returns what people would have received, in the order in which it would have left.
func (s *Service) Outbox() []Mail {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append(slices.Clone(s.data.outbox), s.data.scheduled(s.config.Now())...)
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
			to = append(to, unquote(guest.fields["email"]))
		}
	}
	receive := func(effect schema.Effect, cause string) {
		for _, person := range to {
			d.outbox = append(d.outbox, Mail{time.UnixMilli(r.At).UTC(), effect, event, person, r.Op, cause})
		}
	}
	if r.Cause != "" {
		receive(schema.Mails, r.Cause)
	}
	if r.Push != "" {
		receive(schema.Pushes, r.Push)
	}
	if r.Refund {
		receive(schema.Refunds, "refunded")
	}
	if r.Charge {
		receive(schema.Charges, "charged")
	}
}

// guests returns the guests of an event.
func (d *data) guests(event string) []*item { return d.lists[place{schema.Guests, event}] }

// coming returns how many guests of an event are approved.
func (d *data) coming(event string) (n int) {
	for _, guest := range d.guests(event) {
		if guest.text("status") == "approved" {
			n++
		}
	}
	return n
}

// counts are the guests of a status, and the tickets that they have.
type counts struct {
	Guests  int `json:"guests"`
	Tickets int `json:"tickets"`
}

// guestCounts returns how many guests of an event have which status.
func (s *Service) guestCounts(event string) map[string]*counts {
	all := map[string]*counts{"invited": {}, "checked_in": {}}
	for _, status := range schema.GuestStatuses {
		all[status] = &counts{}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, guest := range s.data.guests(event) {
		status := guest.text("status")
		of := cmp.Or(all[status], &counts{})
		of.Guests++
		of.Tickets += len(ticketsOf(guest))
		all[status] = of
	}
	return all
}
