package sandbox

import (
	"encoding/json"
	"time"
)

// tokenLife is how long a cancellation may be confirmed.
const tokenLife = 15 * time.Minute

// requestCancel returns the token for a cancellation (service: Rules from the change
// history, two-step cancellation).
func (s *Service) requestCancel(c *call) answer {
	b := s.fields(c)
	return s.write(c, b, unquote(b.values[eventID]), func(e *Event) (*record, any, *answer) {
		issued := s.data.issued + 1
		r := &record{
			Type: "token", Issued: issued, ID: s.data.word("token", issued, 32), Event: e.ID,
			At: s.config.Now().Add(tokenLife).UnixMilli(),
		}
		return r, map[string]any{"cancellation_token": r.ID, "is_paid": e.paid(), "guest_count": s.data.coming(e.ID)}, nil
	})
}

// cancel deletes an event for good.
func (s *Service) cancel(c *call) answer {
	b := s.fields(c)
	secret, refund := unquote(b.values["cancellation_token"]), b.values["should_refund"]
	return s.write(c, b, unquote(b.values[eventID]), func(e *Event) (*record, any, *answer) {
		now := s.config.Now()
		if t := s.data.tokens[secret]; t.event != e.ID || !now.Before(t.expires) {
			return nil, nil, invalid(trouble{"cancellation_token", "Invalid or expired."})
		}
		if e.paid() && refund == nil {
			return nil, nil, invalid(trouble{"should_refund", "Required for an event with paid guests."})
		}
		return &record{
			Type: "cancel", ID: e.ID, Op: c.Name, At: now.UnixMilli(), Cause: "cancelled", Refund: e.paid() && string(refund) == "true",
		}, nothing, nil
	})
}

// paid reports whether a ticket of the event costs something.
func (e *Event) paid() bool {
	var tickets []struct {
		Type string `json:"type"`
	}
	if e.Fields["ticket_types"] == nil || json.Unmarshal(e.Fields["ticket_types"], &tickets) != nil {
		return false
	}
	for _, t := range tickets {
		if t.Type == "paid" {
			return true
		}
	}
	return false
}
