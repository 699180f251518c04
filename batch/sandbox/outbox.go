package sandbox

import (
	"slices"
	"time"

	"eventbatch/mapping/schema"
)

// Mail is what a person would have received.
type Mail struct {
	At        time.Time
	Event     string // id
	Person    string // e-mail address
	Operation string // such as events/guests/add
	Cause     string // added, cancelled, or the members that have changed
}

// Outbox returns all mail in the order in which it would have left.
func (s *Service) Outbox() []Mail {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.data.outbox)
}

// send mails those whom a record concerns. It comes before the record is made so, while
// the guests of an event that goes are there.
func (d *data) send(r *record) {
	if r.Cause == "" {
		return
	}
	to, event := r.To, r.Event
	if r.Type == "update" || r.Type == "cancel" {
		event = r.ID
		for _, guest := range d.guests(event) {
			to = append(to, unquote(guest.fields["email"]))
		}
	}
	for _, person := range to {
		d.outbox = append(d.outbox, Mail{time.UnixMilli(r.At).UTC(), event, person, r.Op, r.Cause})
	}
}

// guests returns the guests of an event.
func (d *data) guests(event string) []*item { return d.lists[place{schema.Guests, event}] }

// guestCounts returns how many guests of an event have which status.
func (s *Service) guestCounts(event string) map[string]int {
	counts := map[string]int{}
	for _, status := range schema.GuestStatuses {
		counts[status] = 0
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, guest := range s.data.guests(event) {
		counts[unquote(guest.fields["status"])]++
	}
	return counts
}
