package api

import (
	"context"
	"math/rand/v2"
	"time"

	"eventbatch/mapping/failure"
)

// Retry says how often a request is made again whose failure may pass.
type Retry struct {
	Lost    int           // attempts in doubt; the last of them stands
	NotDone int           // attempts that were certainly not carried out; 0 means any number
	Longest time.Duration // pause between two attempts
}

// The policies of requests.
var (
	// Sending is patient: an outage is bounded by the run's patience, and a 429 by
	// the quota's.
	Sending = Retry{Lost: 8, Longest: 30 * time.Second}
	// Asking has somebody waiting: it ends after some three seconds where nothing can
	// be reached, and after some ten where the service fails.
	Asking = Retry{Lost: 8, NotDone: 5, Longest: 2 * time.Second}
)

// Attempts counts the attempts at one request.
type Attempts struct {
	Retry

	made, lost, notDone int
}

// Failed counts a failed attempt. It returns how long to wait before the next one,
// longer each time and not at all after a 429, which the gate waits out; again is
// false where the failure stands.
func (a *Attempts) Failed(err error) (wait time.Duration, again bool) {
	switch ClassOf(err) {
	case NotDone:
		a.notDone++
	case InDoubt:
		a.lost++
	default:
		return 0, false
	}
	if a.lost >= a.Lost || a.NotDone > 0 && a.notDone >= a.NotDone {
		return 0, false
	}
	if !failure.Is[*RateLimitedError](err) {
		wait = min(250*time.Millisecond<<min(a.made, 10), a.Longest)
		wait = wait/2 + rand.N(wait/2+1)
	}
	a.made++
	return wait, true
}

// Again counts a failed attempt and waits for the next one. It returns the error that
// stands where there is none.
func (a *Attempts) Again(ctx context.Context, err error) error {
	wait, again := a.Failed(err)
	if !again {
		return err
	}
	return Pause(ctx, wait)
}

// Pause waits, or returns why the context ended first.
func Pause(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
