package work

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
)

// Until something is tried again that others have to mend, or somebody else sends. A worker without
// the key hands the job back soon at first, for another one may have it.
const (
	againForKey  = time.Second
	AgainForHeld = 10 * time.Second
	AgainAtWorst = time.Minute

	soonForKey = 8 // times
)

// Outcome is what becomes of a share after a turn.
type Outcome struct {
	Over  bool          // there is nothing left to do, or nothing that another turn would change
	Again time.Duration // until there may be something to do again
	Why   string        // it waits; for people
	NoKey bool          // of this worker, where another one may have it
	Full  bool          // nothing may leave until then
}

// Turn is what a share has come to in one turn.
type Turn struct {
	Outcome
	Err      error // nil where all was sent
	Epoch    int64
	Requests journal.Requests
	Tally    journal.Tally
}

// Figures are what all shares of a worker have come to, those under way as well.
type Figures struct {
	Requests  journal.Requests
	TakeOvers int           // of leases, from processes that have died or did not get on
	Stands    time.Duration // for how long nothing was answered of a share under way, at most
}

// turn carries a share for one turn, and logs what it has come to.
func (w *Worker) turn(ctx context.Context, share postgres.Share, part time.Duration) Outcome {
	begin := time.Now()
	t := w.config.Carry(ctx, share, part)
	log, about := w.config.Log, []any{"owner", share.Owner, "epoch", t.Epoch, "run", share.Run}
	if t.Why != "" {
		times := w.waits(&share, t.Why)
		tells := times == 1
		if is[*postgres.Error](t.Err) { // as many shares as there are wait for it
			tells = w.outage.tells("waits")
		}
		if tells {
			log.Warn("waits", append(about, "why", t.Why)...)
		}
		if t.NoKey {
			wait := againForKey << max(0, min(times-soonForKey, 10))
			t.Again = min(wait, AgainAtWorst) + rand.N(againForKey) // or the same worker is the first again
		}
		return t.Outcome
	}
	w.waits(&share, "")
	about = append(about, "requests", t.Requests,
		"open", t.Tally.Open(), "failed", t.Tally[journal.Failed], "took", time.Since(begin).Round(time.Millisecond).String())
	switch {
	case t.Err == nil:
		log.Info("sent", about...)
	case is[*journal.FencedError](t.Err):
		w.fenced.Add(1)
		log.Warn("taken over", append(about, "why", t.Err.Error())...)
	case t.Over:
		log.Error("stopped", append(about, "error", t.Err.Error())...)
	case !is[*journal.LockedError](t.Err) && !t.Full: // somebody else has it, or it goes on with each window
		log.Info("goes on later", append(about, "reason", t.Err.Error())...)
	}
	return t.Outcome
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
