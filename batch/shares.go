package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// HandOver leaves a run to the workers of a database: what the run that it undoes has open is settled here.
func HandOver(ctx context.Context, db *postgres.DB, config ApplyConfig) error {
	if err := begin(ctx, &config); err != nil {
		return err
	}
	run := config.Run
	failed, err := db.Failed(run.ID())
	if err != nil {
		return err
	}
	rules, err := json.Marshal(work.Rules{
		Concurrency: config.Concurrency, MaxErrors: config.MaxErrors, Failed: failed, Fresh: config.Fresh,
	})
	if err != nil {
		return err
	}
	shares, err := sharesOf(ctx, config.Service, run)
	if err == nil {
		err = config.Service.Yield() // what planning has sent counts with the workers
	}
	if err == nil {
		err = work.HandOver(ctx, db, run.ID(), rules, shares)
	}
	return err
}

// ByWorkers reports whether the workers of a database send what is planned: where some are at work, or detach says that they
// shall be. Pictures are files of this machine. The database is nil where no worker reaches what is planned.
func (p *Planned) ByWorkers(ctx context.Context, db *postgres.DB, detach bool) (bool, error) {
	switch pictures := len(p.Pictures) > 0; {
	case db == nil, p.Total() == 0, pictures && !detach:
		return false, nil
	case pictures:
		err := errors.New("--detach: the run has pictures, which only this machine has")
		return false, failure.New(failure.Usage, err, "to send it from here: eventbatch apply "+p.Run.ID())
	case detach:
		return true, nil
	}
	alive, err := work.Alive(ctx, db)
	if err != nil {
		return false, failure.New(failure.Away, err, "nothing was sent")
	}
	return alive, nil
}

// sharesOf returns the shares of a run, one for the owner of each quota. That of a calendar without a
// key here is its own: a worker may have one.
func sharesOf(ctx context.Context, service *service.Service, run *journal.Run) ([]postgres.Share, error) {
	open, err := journal.OpenOf(run)
	if err != nil {
		return nil, err
	}
	if header := run.Header(); header.Agreed > 0 { // which is recorded without anything being sent
		for calendar := range header.Target.Calendars {
			open[calendar] += 0
		}
	}
	shares := map[string]postgres.Share{}
	for calendar, waiting := range open {
		owner, err := service.Owner(ctx, calendar)
		if err != nil {
			owner = "calendar " + service.BaseURL() + " " + calendar
		}
		s := shares[owner]
		s.Owner, s.Waiting, s.Calendars = owner, s.Waiting+waiting, append(s.Calendars, calendar)
		shares[owner] = s
	}
	return slices.SortedFunc(maps.Values(shares), func(a, b postgres.Share) int { return cmp.Compare(a.Owner, b.Owner) }), nil
}

// Carrier sends the shares of a worker, by the keys that this has.
type Carrier struct {
	db          *postgres.DB
	store       journal.Shared
	service     *service.Service
	concurrency int
	failures    *work.Failures
	keys        atomic.Pointer[profile.Connection] // those of the service, or newer ones

	mu       sync.Mutex
	services map[*service.Service]*progress // in use
	past     work.Figures                   // of the others, and all take-overs
}

// progress is what a share has sent, and when that was last seen to have become more.
type progress struct {
	requests journal.Made
	at       time.Time
}

// NewCarrier returns a Carrier that has sent nothing yet, at most so many requests of a calendar at once.
func NewCarrier(
	db *postgres.DB, store journal.Shared, way *service.Service, keys *profile.Connection, concurrency int,
) *Carrier {
	c := &Carrier{
		db: db, store: store, service: way, concurrency: concurrency, failures: work.NewFailures(db),
		services: map[*service.Service]*progress{},
	}
	c.keys.Store(keys)
	return c
}

// Renew has the shares that begin from now on be sent by the keys of a profile that was read anew. Those of before stay where it
// cannot be used, or says otherwise what a worker takes at its start.
func (c *Carrier) Renew(keys *profile.Connection) error {
	if err := keys.Ready(); err != nil {
		return err
	}
	if was := c.keys.Load(); keys.Limits != was.Limits || keys.CAFile != was.CAFile || keys.Shared != was.Shared {
		return failure.New(failure.Config, errors.New("limits, ca_file or store has changed, which a worker takes at its start"),
			"end the worker, and start another one")
	}
	c.keys.Store(keys)
	return nil
}

// Figures returns what the Carrier has come to.
func (c *Carrier) Figures() work.Figures {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, now := c.past, time.Now()
	for s, last := range c.services {
		requests := s.Requests()
		if requests != last.requests {
			*last = progress{requests, now}
		}
		all.Requests.Add(requests)
		all.Stands = max(all.Stands, now.Sub(last.at))
	}
	return all
}

// opened counts what a service sends until closed is called.
func (c *Carrier) opened(s *service.Service) (closed func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.services[s] = &progress{s.Requests(), time.Now()}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.services, s)
		c.past.Requests.Add(s.Requests())
	}
}

// tookOver counts a lease whose last holder has not given it up.
func (c *Carrier) tookOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.past.TakeOvers++
}

// Carry sends what is open of a share for one turn.
func (c *Carrier) Carry(ctx context.Context, share postgres.Share, turn time.Duration) work.Turn {
	t := taking{Carrier: c, share: &share, end: time.Now().Add(turn), service: c.service.Apart(c.keys.Load())}
	defer c.opened(t.service)()
	t.turn.Err = t.send(ctx)
	t.turn.Outcome = outcomeOf(t.turn.Err)
	if errors.Is(t.turn.Err, work.ErrFull) {
		t.turn.Again, t.turn.Full = max(time.Until(t.free), time.Millisecond), true
	}
	if locked, is := errors.AsType[*journal.LockedError](t.turn.Err); is && t.turn.Why == "" {
		t.turn.Why = c.heldBy(locked.Holder)
	}
	return t.turn
}

// heldLong is how long another process may have a lease before that is told.
const heldLong = 30 * time.Second

// heldBy says who has a lease, where that has been for long: it may be a command that nobody sees to.
func (c *Carrier) heldBy(holder journal.Holder) string {
	now, err := c.db.Clock()
	if err != nil || holder.Since.IsZero() || now.Sub(holder.Since) < heldLong {
		return ""
	}
	return fmt.Sprintf(postgres.HeldBy+"process %d on %s since %s",
		holder.PID, printable.Clean(cmp.Or(holder.Host, journal.Hostname())), holder.Since.UTC().Format("2 Jan 2006 15:04 MST"))
}

// taking is a share while it is sent.
type taking struct {
	*Carrier

	turn    work.Turn
	share   *postgres.Share
	rules   work.Rules
	service *service.Service
	end     time.Time // of the turn
	free    time.Time // when something may leave again, where a full window has ended the turn
}

// send sends what is open of the share, under the leases of those who own its quota by the keys of
// this worker. Those may be others than by the keys of the command.
func (t *taking) send(ctx context.Context) (err error) {
	if t.rules, err = work.RulesOf(t.share); err != nil {
		return err
	}
	sending, done, err := t.failures.Limit(ctx, t.share.Run, &t.rules)
	if err != nil {
		return err
	}
	defer done()
	owners, err := t.owners(sending)
	if _, same := owners[t.share.Owner]; len(owners) > 1 || len(owners) == 1 && !same {
		worked, locked := t.db.Work(t.share.Owner) // no lease tells others that somebody has the job
		if locked != nil || worked == nil {
			return cmp.Or(locked, error(&journal.LockedError{What: t.share.Owner}))
		}
		defer worked()
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		if ctx.Err() == nil {
			err = errors.Join(err, t.under(sending, owner, owners[owner]))
		}
	}
	if t.rules.Reached() && errors.Is(err, failure.NoKey) {
		err = errors.Join(&send.TooManyErrorsError{Failed: t.rules.Failed}, err) // nobody waits for the key
	}
	return errors.Join(err, ctx.Err())
}

// owners returns the calendars of the share by the owner of their quota, and an error where the key of
// some is missing.
func (t *taking) owners(ctx context.Context) (owners map[string][]string, err error) {
	if base := t.service.BaseURL(); t.share.BaseURL != base {
		err := fmt.Errorf("run %s is for %s, and this worker has keys for %s", t.share.Run, t.share.BaseURL, base)
		return nil, failure.New(failure.NoKey, err, "")
	}
	owners = map[string][]string{}
	var without []string
	for _, calendar := range slices.Sorted(slices.Values(t.share.Calendars)) {
		owner, missing := t.service.Owner(ctx, calendar)
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
func (t *taking) under(ctx context.Context, owner string, calendars []string) error {
	lease, err := t.store.Lease(owner)
	if err != nil {
		return err
	}
	t.turn.Epoch = lease.Epoch
	if t.share.Waits != "" {
		err = t.db.Wait(*t.share, "") // for nothing any more
	}
	if lease.Left.Known && !lease.Left.Released {
		t.tookOver()
	}
	store := lease.Share(calendars)
	var run *journal.Run
	if err == nil {
		run, err = store.Find(t.share.Run)
	}
	if err == nil {
		err = t.service.Restore(owner, lease.Left)
	}
	if err == nil {
		t.service.Answer(owner, lease.Epoch)
	}
	if err == nil {
		var applied *Applied
		sending, done := t.unlessFull(ctx, owner)
		applied, err = Apply(sending, ApplyConfig{
			Run: run, Workspace: store, Service: t.service, Concurrency: min(t.rules.Concurrency, t.concurrency),
			MaxErrors: t.rules.MaxErrors, Failed: t.rules.Failed,
			MaxDuration: max(time.Until(t.end), time.Second), Fresh: t.rules.Fresh,
		})
		done()
		if cause := context.Cause(sending); err != nil && errors.Is(cause, work.ErrFull) {
			err = errors.Join(err, cause)
		}
		if applied != nil {
			t.turn.Requests.Add(applied.Requests)
			if applied.State != nil {
				for status, n := range applied.State.Tally() {
					t.turn.Tally[status] += n
				}
			}
		}
	}
	return errors.Join(err, lease.Release(t.service.Account(owner)))
}

// A share waits for its window without a place where that takes longer than keepsPlace; it is looked at every lookFull.
const (
	keepsPlace = 5 * time.Second
	lookFull   = 500 * time.Millisecond
)

// unlessFull has a context end once nothing of an owner may leave for long. What is read is read to its end first,
// unless something was sent, or it has not begun: it would begin anew.
func (t *taking) unlessFull(ctx context.Context, owner string) (sending context.Context, done func()) {
	sending, stop := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		ticker := time.NewTicker(lookFull)
		defer ticker.Stop()
		for {
			select {
			case <-sending.Done():
				return
			case <-ticker.C:
			}
			free, requests := t.service.Full(owner), t.service.Requests()
			if time.Until(free) > keepsPlace && (requests.Sent > 0 || requests.Reads == 0) {
				if t.free.IsZero() || free.Before(t.free) {
					t.free = free
				}
				stop(work.ErrFull)
				return
			}
		}
	})
	return sending, func() {
		stop(nil)
		looking.Wait()
	}
}

// outcomeOf returns what comes after a turn that ended so.
func outcomeOf(err error) work.Outcome {
	var throttled *quota.ThrottledError
	var database *postgres.Error
	is := func(kinds ...error) bool {
		return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	}
	switch {
	case err == nil:
		return work.Outcome{Over: true}
	case is(ErrTimeUp, context.Canceled): // for whatever reason
		return work.Outcome{}
	case failure.Is[*journal.LockedError](err), failure.Is[*journal.FencedError](err):
		return work.Outcome{Again: work.AgainForHeld}
	case errors.As(err, &database):
		return work.Outcome{Again: work.AgainForHeld, Why: database.Error()}
	case failure.Is[*send.JournalError](err), is(failure.Disk, failure.Away):
		return work.Outcome{Again: work.AgainForHeld, Why: err.Error()}
	case errors.As(err, &throttled):
		return work.Outcome{Again: max(time.Until(throttled.Until), time.Second), Why: err.Error()}
	case failure.Is[*send.TooManyErrorsError](err), failure.Is[*journal.DamagedError](err), is(failure.Stale, failure.Refused):
		return work.Outcome{Over: true}
	case failure.Is[*send.CredentialError](err), failure.Is[*journal.StaleTargetError](err), is(failure.NoKey, failure.Config):
		return work.Outcome{NoKey: true, Why: err.Error()}
	}
	return work.Outcome{Again: work.AgainAtWorst, Why: err.Error()}
}
