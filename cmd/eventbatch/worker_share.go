package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
)

// taking is a share while a worker sends it.
type taking struct {
	*carrier

	share    *postgres.Share
	end      time.Time // of the turn
	epoch    int64
	requests journal.Requests
	tally    journal.Tally
}

// send sends what is open of the share, under the leases of those who own its quota by the keys of
// this worker. Those may be others than by the keys of the command.
func (t *taking) send(ctx context.Context) error {
	var rules sendRules
	if err := json.Unmarshal(t.share.Rules, &rules); err != nil {
		return failure.New(failure.Stale, fmt.Errorf("reading the rules of run %s: %w", t.share.Run, err), "")
	}
	service := t.conn.Apart(t.keys.Load())
	t.opened(service)
	defer t.closed(service)
	sending, done, err := t.limited(ctx, &rules)
	if err != nil {
		return err
	}
	defer done()
	owners, err := t.owners(sending, service)
	if _, same := owners[t.share.Owner]; len(owners) > 1 || len(owners) == 1 && !same {
		worked, locked := t.db.Work(t.share.Owner) // no lease tells others that somebody has the job
		if locked != nil || worked == nil {
			return cmp.Or(locked, error(&journal.LockedError{What: t.share.Owner}))
		}
		defer worked()
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		if ctx.Err() == nil {
			err = errors.Join(err, t.under(sending, service, owner, owners[owner], &rules))
		}
	}
	if rules.reached() && errors.Is(err, failure.NoKey) {
		err = errors.Join(&send.TooManyErrorsError{Failed: rules.Failed}, err) // nobody waits for the key
	}
	return errors.Join(err, ctx.Err())
}

// failedEvery is how often a worker looks for rows of a run that have failed elsewhere.
const failedEvery = time.Second

// limited has a context end once too many rows of the run have failed, whoever sent them. The rules get
// those that have by now.
func (t *taking) limited(ctx context.Context, rules *sendRules) (sending context.Context, done func(), err error) {
	if rules.MaxErrors == 0 {
		return ctx, func() {}, nil
	}
	limit, before := rules.MaxErrors, rules.Failed
	look := func() (int, error) {
		n, err := t.failed(t.share.Run)
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

// reached reports whether so many rows have failed that the run stops.
func (r *sendRules) reached() bool { return r.MaxErrors > 0 && r.Failed >= r.MaxErrors }

// failures are how many rows of runs have failed, as this worker has counted them last.
type failures struct {
	mu sync.Mutex
	of map[string]counted
}

type counted struct {
	n  int
	at time.Time
}

// failed returns how many rows of a run have failed. The database is asked once for all shares that this
// worker has of it.
func (c *carrier) failed(run string) (int, error) {
	c.failures.mu.Lock()
	defer c.failures.mu.Unlock()
	if last := c.failures.of[run]; time.Since(last.at) < failedEvery/2 {
		return last.n, nil
	}
	n, err := c.db.Failed(run)
	if err != nil {
		return 0, err
	}
	maps.DeleteFunc(c.failures.of, func(_ string, last counted) bool { return time.Since(last.at) > time.Minute })
	if c.failures.of == nil {
		c.failures.of = map[string]counted{}
	}
	c.failures.of[run] = counted{n, time.Now()}
	return n, nil
}

// owners returns the calendars of the share by the owner of their quota, and an error where the key of
// some is missing.
func (t *taking) owners(ctx context.Context, service *service.Service) (owners map[string][]string, err error) {
	if t.share.BaseURL != service.BaseURL() {
		err := fmt.Errorf("run %s is for %s, and this worker has keys for %s", t.share.Run, t.share.BaseURL, service.BaseURL())
		return nil, failure.New(failure.NoKey, err, "")
	}
	owners = map[string][]string{}
	var without []string
	for _, calendar := range slices.Sorted(slices.Values(t.share.Calendars)) {
		owner, missing := service.Owner(ctx, calendar)
		if missing != nil {
			without, err = append(without, calendar), cmp.Or(err, missing)
			continue
		}
		owners[owner] = append(owners[owner], calendar)
	}
	if err != nil {
		err = failure.New(failure.NoKey, fmt.Errorf("no key for calendar %s: %w", printable.Names(without), err), "")
	}
	return owners, err
}

// under sends calendars under the lease of their owner.
func (t *taking) under(ctx context.Context, service *service.Service, owner string, calendars []string, rules *sendRules) error {
	lease, err := t.shared.Lease(owner)
	if err != nil {
		return err
	}
	t.epoch = lease.Epoch
	if lease.Left.Known && !lease.Left.Released {
		t.takeOvers.Add(1)
	}
	store := lease.Share(calendars)
	run, err := store.Find(t.share.Run)
	if err == nil {
		err = service.Restore(owner, lease.Left)
	}
	if err == nil {
		var applied *batch.Applied
		applied, err = batch.Apply(ctx, batch.ApplyConfig{
			Run: run, Workspace: store, Service: service, Concurrency: min(rules.Concurrency, t.pace.concurrency),
			MaxErrors: rules.MaxErrors, Failed: rules.Failed,
			MaxDuration: max(time.Until(t.end), time.Second), Fresh: rules.Fresh, Version: version(),
		})
		if applied != nil {
			t.requests.Add(applied.Requests)
			if applied.State != nil {
				for status, n := range applied.State.Tally() {
					t.tally[status] += n
				}
			}
		}
	}
	return errors.Join(err, lease.Release(service.Account(owner)))
}
