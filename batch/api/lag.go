package api

import (
	"context"
	"time"
)

// Settle is how long after the time-out of a request a list may still not tell of it, unless
// somebody says otherwise.
const Settle = 5 * time.Second

// Lag is how long it takes until the platform shows what became of a request.
//
// The platform carries some requests out in the background, and its lists lag behind its writes: for a
// while after an answer a list may lack what was made, or show what was changed as it was before. What
// an answer has told therefore outweighs a list until the Lag is over. Whoever asks a list about a
// record waits until then, or reads the record by its id, and takes nothing that a list lacks for gone
// after one look.
type Lag struct {
	// Flight is how long the platform may be at work on a request, from when it left: as long as
	// its answer is waited for. Settle is how long after that a list may still not tell of it.
	Flight, Settle time.Duration
}

// NewLag returns the lag of requests with that time-out. A whole lag that is not zero is another
// one altogether, and divided as usual.
func NewLag(timeout, whole time.Duration) Lag {
	if whole == 0 {
		return Lag{timeout, Settle}
	}
	return Lag{whole - whole/7, whole / 7}
}

// Leaves returns how long after its intent a request leaves, or not at all, where another process may look for it: half
// of the flight, so that what leaves last has the other half to be worked on. If it left when the flight is nearly over,
// it would take effect after it was looked for.
func (l Lag) Leaves() time.Duration { return l.Flight / 2 }

// Whole returns how long it takes at most until lists show what became of a request.
func (l Lag) Whole() time.Duration { return l.Flight + l.Settle }

// Shows reports whether a list that was asked for at a moment shows what was answered at another.
func (l Lag) Shows(listed, answered time.Time) bool { return !listed.Before(answered.Add(l.Whole())) }

// Left returns how long it takes from now on until lists show what left, or was answered, at a
// moment. That is never longer than the lag: the clock that told the moment may have been ahead.
func (l Lag) Left(at, now time.Time) time.Duration {
	return max(0, min(at.Add(l.Whole()).Sub(now), l.Whole()))
}

// wonders is how long a wait may be at which nobody wonders.
const wonders = time.Second

// Await waits until lists show what was answered at a moment. It tells of a wait that somebody may
// wonder at before it begins.
func (l Lag) Await(ctx context.Context, answered time.Time, waits func(time.Duration)) error {
	wait := l.Left(answered, time.Now())
	if wait <= 0 {
		return nil
	}
	if wait >= wonders {
		waits(wait)
	}
	if Pause(ctx, wait) != nil {
		return context.Cause(ctx)
	}
	return nil
}
