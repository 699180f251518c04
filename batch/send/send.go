package send

import (
	"context"
	"errors"
	"fmt"

	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/semaphore"
)

// Run sends every task, or returns why it could not go on. A failed row is an
// outcome, not an error: outcomes are in the journal. When ctx ends, nothing new
// leaves, what has left is waited for, and the cause is returned. A panic of any
// of its goroutines is raised again here, with its stack.
func Run(ctx context.Context, config Config) error {
	given := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{
		Config: config, claims: newClaims(), crew: semaphore.NewWeighted(crew), stop: stop,
		interrupted: func() bool { return given.Err() != nil },
	}
	r.lanes = make([]*lane, len(config.Lanes))
	for i := range config.Lanes {
		r.lanes[i] = newLane(r, config.Lanes[i])
		r.open.Add(int64(len(config.Lanes[i].Tasks)))
	}
	r.fail(config.Failed)
	lanes := pool.New().WithContext(ctx)
	for _, l := range r.lanes {
		if l.Client == nil {
			continue
		}
		lanes.Go(func(ctx context.Context) error {
			whole := false
			defer func() {
				if !whole {
					stop(errDefect) // the other lanes need not go on
				}
			}()
			err := l.send(ctx)
			whole = true
			return err
		})
	}
	err := lanes.Wait()
	if cause := context.Cause(ctx); cause != nil && !r.spent(cause) {
		if errors.Is(given.Err(), context.DeadlineExceeded) {
			cause = r.behind(cause)
		}
		if _, told := errors.AsType[*JournalError](cause); told || r.unwritten.Load() == nil {
			return cause
		}
		return errors.Join(cause, r.unwritten.Load()) // broken after the stop, by what had left
	}
	if err != nil {
		return err
	}
	return errors.Join(r.throttlings(), r.refusals())
}

// behind returns the end of the run's time, with why the service could not be reached then.
func (r *run) behind(cause error) error {
	for _, l := range r.lanes {
		if why := l.silence(); why != nil {
			return fmt.Errorf("%w: %w", cause, &UnreachableError{Err: why})
		}
	}
	return cause
}

// throttlings returns for how long the service asks to wait, once for each owner.
func (r *run) throttlings() error {
	var errs []error
	said := map[string]bool{}
	for _, l := range r.lanes {
		if err := l.throttling(); err != nil && !said[err.Error()] {
			said[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// refusals returns the calendars whose key was refused, as one error.
func (r *run) refusals() error {
	refused := &CredentialError{Calendars: map[string]error{}}
	for _, l := range r.lanes {
		if err := l.refusal(); err != nil {
			refused.Calendars[l.Calendar] = err
		}
	}
	if len(refused.Calendars) == 0 {
		return nil
	}
	return refused
}
