package api

import (
	"context"
	"time"
)

// Gate says when the next request may leave. The client calls Take once for each
// request, before anything of it is sent, and blocks on it.
type Gate interface {
	Take(ctx context.Context) (Slot, error)
}

// Slot is the place of one request in the quota. Exactly one of its methods is
// called, once, when the request is over: after the last byte of the answer, or
// when it is certain that none will come.
type Slot interface {
	// Done tells that the request may have been counted by the service.
	Done(Seen)
	// Unsent tells that the request certainly never reached the service.
	Unsent()
	// Throttled tells that the service refused the request with 429, and how
	// long it asks to wait; 0 where it does not say.
	Throttled(retryAfter time.Duration)
}

// Seen is what the service says of its quota in an answer's headers; -1 where
// it says nothing. The numbers are to be trusted downward only. Whoever has slots says the same of them by the same type.
type Seen = struct{ Limit, Remaining int }

// Unseen is the Seen of an answer that says nothing, or never came.
var Unseen = Seen{Limit: -1, Remaining: -1}

// reservation ends its slot once, also where a panic passes through.
type reservation struct {
	slot  Slot
	ended bool
}

func (r *reservation) end(how func(Slot)) {
	if !r.ended {
		r.ended = true
		how(r.slot)
	}
}

// answered ends a slot whose request the service may have counted.
func answered(s Seen) func(Slot) { return func(slot Slot) { slot.Done(s) } }
