package sandbox

import (
	"encoding/json"
	"time"
)

// tokenLife is how long a cancellation may be confirmed.
const tokenLife = 15 * time.Minute

// requestCancel gives the token for a cancellation (service: Rules from the change
// history, two-step cancellation).
func (s *Service) requestCancel(c *call) answer {
	b, refusal := readBody(c.r)
	if refusal != nil {
		return *refusal
	}
	b.rename(eventID, oldEventIDs...)
	b.only(eventID)
	id := b.text(eventID)
	if refusal := b.refused(); refusal != nil {
		return *refusal
	}
	if refusal := s.reach(c, id); refusal != nil {
		return *refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.data.events[id]
	if e == nil {
		return *foreign()
	}
	issued := s.data.issued + 1
	r := &record{
		Type: "token", Issued: issued, ID: s.data.word("token", issued, 32), Event: id,
		At: s.config.Now().Add(tokenLife).UnixMilli(),
	}
	if err := s.commit(r); err != nil {
		return *broken("the request was not saved")
	}
	return done(struct {
		Token  string `json:"cancellation_token"`
		Paid   bool   `json:"is_paid"`
		Guests int    `json:"guest_count"`
	}{r.ID, e.paid(), len(s.data.guests(id))})
}

// cancel deletes an event for good.
func (s *Service) cancel(c *call) answer {
	b, refusal := readBody(c.r)
	if refusal != nil {
		return *refusal
	}
	b.rename(eventID, oldEventIDs...)
	b.only(eventID, "cancellation_token", "should_refund")
	id, secret := b.text(eventID), b.text("cancellation_token")
	refund := b.values["should_refund"]
	if refund != nil && kindOf(refund) != "boolean" {
		b.expected("should_refund", "boolean", refund)
	}
	if refusal := b.refused(); refusal != nil {
		return *refusal
	}
	if refusal := s.reach(c, id); refusal != nil {
		return *refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.data.events[id]
	if e == nil {
		return *foreign()
	}
	if t := s.data.tokens[secret]; t.event != id || !s.config.Now().Before(t.expires) {
		return *invalid(trouble{"cancellation_token", "Invalid or expired."})
	}
	if e.paid() && refund == nil {
		return *invalid(trouble{"should_refund", "Required for an event with paid guests."})
	}
	r := &record{Type: "cancel", ID: id, Op: c.Name, At: s.config.Now().UnixMilli(), Cause: "cancelled"}
	if err := s.commit(r); err != nil {
		return *broken("the cancellation was not saved")
	}
	return empty()
}

// paid reports whether a ticket of the event costs something.
func (e *event) paid() bool {
	var tickets []struct {
		Type string `json:"type"`
	}
	if e.fields["ticket_types"] == nil || json.Unmarshal(e.fields["ticket_types"], &tickets) != nil {
		return false
	}
	for _, t := range tickets {
		if t.Type == "paid" {
			return true
		}
	}
	return false
}
