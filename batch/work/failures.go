package work

import (
	"context"
	"maps"
	"sync"
	"time"

	"eventbatch/batch/postgres"
	"eventbatch/batch/send"
)

// failedEvery is how often a worker looks for rows of a run that have failed elsewhere.
const failedEvery = time.Second

// Failures are how many rows of runs have failed, as this worker has counted them last.
type Failures struct {
	db *postgres.DB

	mu sync.Mutex
	of map[string]counted
}

type counted struct {
	n  int
	at time.Time
}

// NewFailures returns Failures that nothing is known of yet.
func NewFailures(db *postgres.DB) *Failures { return &Failures{db: db, of: map[string]counted{}} }

// count returns how many rows of a run have failed. The database is asked once for all shares that this
// worker has of it.
func (f *Failures) count(run string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last := f.of[run]; time.Since(last.at) < failedEvery/2 {
		return last.n, nil
	}
	n, err := f.db.Failed(run)
	if err != nil {
		return 0, err
	}
	maps.DeleteFunc(f.of, func(_ string, last counted) bool { return time.Since(last.at) > time.Minute })
	f.of[run] = counted{n, time.Now()}
	return n, nil
}

// Limit has a context end once too many rows of the run have failed, whoever sent them. The rules get
// those that have by now.
func (f *Failures) Limit(ctx context.Context, run string, rules *Rules) (sending context.Context, done func(), err error) {
	if rules.MaxErrors == 0 {
		return ctx, func() {}, nil
	}
	limit, before := rules.MaxErrors, rules.Failed
	look := func() (int, error) {
		n, err := f.count(run)
		return n - before, err
	}
	if rules.Failed, err = look(); err != nil {
		return nil, nil, err
	}
	sending, stop := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-sending.Done():
				return
			case <-time.After(failedEvery):
			}
			// A database that is away is seen where it is written to.
			if failed, err := look(); err == nil && failed >= limit {
				stop(&send.TooManyErrorsError{Failed: failed})
			}
		}
	})
	return sending, func() {
		stop(nil)
		looking.Wait()
	}, nil
}
