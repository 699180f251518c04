package work

import (
	"context"
	"sync"
	"time"

	"eventbatch/batch/postgres"
)

// active are the shares that this worker carries now.
type active struct {
	mu   sync.Mutex
	stop map[string]map[*context.CancelCauseFunc]time.Time // by run: since when
}

// begin notes that a share of a run is carried until done is called.
func (a *active) begin(ctx context.Context, run string) (carried context.Context, done func()) {
	carried, stop := context.WithCancelCause(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		a.stop = map[string]map[*context.CancelCauseFunc]time.Time{}
	}
	if a.stop[run] == nil {
		a.stop[run] = map[*context.CancelCauseFunc]time.Time{}
	}
	a.stop[run][&stop] = time.Now()
	return carried, func() {
		stop(nil)
		a.mu.Lock()
		defer a.mu.Unlock()
		if delete(a.stop[run], &stop); len(a.stop[run]) == 0 {
			delete(a.stop, run)
		}
	}
}

// hangs reports whether a share has been carried for longer than any is that was told to end.
func (a *active) hangs() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, shares := range a.stop {
		for _, since := range shares {
			if time.Since(since) > stuck {
				return true
			}
		}
	}
	return false
}

// restart stops all shares.
func (a *active) restart() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, shares := range a.stop {
		for stop := range shares {
			(*stop)(ErrRestarted)
		}
	}
}

// withdraw stops the shares of runs that were taken from the workers.
func (a *active) withdraw(db *postgres.DB) error {
	a.mu.Lock()
	runs := make([]string, 0, len(a.stop))
	for run := range a.stop {
		runs = append(runs, run)
	}
	a.mu.Unlock()
	if len(runs) == 0 {
		return nil
	}
	gone, err := db.Withdrawn(runs)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, run := range gone {
		for stop := range a.stop[run] {
			(*stop)(ErrWithdrawn)
		}
	}
	return err
}
