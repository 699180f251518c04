package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// Attach takes the run up, or the share of it: it locks it against every other process, checks the target, and
// records the attachment, with doubts of the creates whose outcomes may be lost. The errors of its own are
// [journal.LockedError], [journal.StaleTargetError], [journal.DamagedError] and [journal.PoisonedError].
func (r *run) Attach(a journal.Attachment) (journal.Journal, *journal.State, error) {
	held, holder, err := r.hold()
	if err != nil {
		return nil, nil, r.of.unusable("taking run "+r.id, err)
	}
	if held == nil {
		return nil, nil, &journal.LockedError{What: "run " + r.id, Holder: holder}
	}
	j, state, err := r.attach(held, a)
	if err != nil {
		return nil, nil, fmt.Errorf("attaching to run %s: %w", r.id, err)
	}
	return j, state, nil
}

// hold locks the run, or the share; nil where another process has it.
func (r *run) hold() (*held, journal.Holder, error) {
	l := r.of.lease
	if l != nil && !l.busy.CompareAndSwap(false, true) {
		return nil, journal.Holder{}, nil // by this process: another share may be about the same keys
	}
	h, holder, err := r.of.DB.hold(r.id, l)
	if l != nil && (h == nil || err != nil) {
		l.busy.Store(false)
	}
	return h, holder, err
}

// takeUp makes this process the one that records what becomes of the run, or of the share, and returns what it finds.
func (r *run) takeUp(h *held, last *kept) (state *journal.State, here plan.Home, err error) {
	if r.of.lease == nil {
		return r.take(h.takeRun)
	}
	h.calendars = r.of.calendars
	if last != nil && last.state.Lost == "" {
		b := &pgx.Batch{}
		h.takeShare(b)
		err := r.of.DB.together(b)
		if err != nil || h.epoch > 0 && h.all == last.commits { // nothing was stored since it was read
			return last.state.Clone(), last.here, err
		}
	}
	state, here, err = r.take(h.takeShare)
	if err != nil || h.epoch > 0 {
		return state, here, err
	}
	unlock, err := h.succeed()
	if err != nil {
		return nil, here, err
	}
	if state, here, err = r.take(h.takeShare); err == nil && h.epoch == 0 {
		err = &journal.FencedError{What: h.owner()}
	}
	return state, here, errors.Join(err, unlock())
}

func (r *run) attach(h *held, a journal.Attachment) (*rowJournal, *journal.State, error) {
	j := &rowJournal{run: r, held: h, now: r.of.now, sent: map[int][]time.Time{}, changed: newRound()}
	err := r.CheckTarget(a.Target)
	var here plan.Home
	if err == nil {
		j.state, here, err = r.takeUp(h, r.last.Swap(nil))
	}
	var doubts []journal.Record
	if err == nil && j.state.Moved(here) != "" {
		doubts, err = r.Suspects(j.state)
	}
	turn := 0
	if err == nil {
		turn, err = r.of.Turn(a.Turn)
	}
	if err != nil {
		j.closed = true
		return nil, nil, errors.Join(err, h.Release())
	}
	for i := range doubts {
		doubts[i].Turn = turn
		err = cmp.Or(err, j.Append(doubts[i]))
	}
	if err == nil {
		err = j.commit(context.Background(), &journal.Record{Type: journal.Attach, Turn: turn, Home: &here})
	}
	if err != nil {
		_ = j.Close() // its error is this one
		return nil, nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j, j.state.Clone(), nil
}

// rowJournal is the journal of a run, or of a share of one, that this process has. What is recorded is folded at once;
// the committer of the database stores the rows that have changed, for all journals of the process together.
type rowJournal struct {
	run  *run
	held *held
	now  func() time.Time

	mu     sync.Mutex
	state  *journal.State      // with all that was recorded
	sent   map[int][]time.Time // by the ops that were not stored as they are: when requests left of which each is the first
	attach *journal.Record     // that was not stored yet
	end    *journal.Record
	failed int // ops, since then

	recanted []journal.Entry // what ops had said before, and may not say any more
	changed  *round          // of all that
	err      error           // why nothing more is stored
	closed   bool
}

// round is what is stored at once, and those who wait for it.
type round struct {
	done chan struct{}
	err  error // set before done is closed
}

func newRound() *round { return &round{done: make(chan struct{})} }

// Append stores a record within a second; it does not wait.
func (j *rowJournal) Append(r journal.Record) error {
	if r.Type == journal.End {
		return fmt.Errorf("recording %s: an end has to be committed", r.Type)
	}
	_, err := j.add(&r, false)
	return err
}

// Commit returns once its record, and whatever was appended before, is stored.
func (j *rowJournal) Commit(ctx context.Context, r journal.Record) error {
	if err := r.Check(j.run.Len()); err != nil {
		return err
	}
	return j.commit(ctx, &r)
}

func (j *rowJournal) commit(ctx context.Context, r *journal.Record) error {
	round, err := j.add(r, true)
	if err != nil {
		return err
	}
	select {
	case <-round.done:
		return journal.Raised(round.err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add folds a record in, and leaves what has changed to the committer.
func (j *rowJournal) add(r *journal.Record, urgent bool) (*round, error) {
	if r.Type != journal.Attach {
		if err := r.Check(j.run.Len()); err != nil {
			return nil, err
		}
	}
	round, err := j.fold(r)
	if err == nil {
		j.run.of.committer.wake(j, urgent)
	}
	return round, err
}

// fold folds a record in, and returns the round in which what it has changed is stored.
func (j *rowJournal) fold(r *journal.Record) (*round, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.err != nil:
		return nil, journal.Raised(j.err)
	case j.closed:
		return nil, journal.ErrClosed
	}
	if r.At.IsZero() {
		r.At = j.now()
	}
	r.At = r.At.Truncate(time.Millisecond)
	said := j.said(r)
	if err := j.state.Apply(r); err != nil {
		return nil, fmt.Errorf("recording %s: %w", r.Type, err)
	}
	switch r.Type {
	case journal.Attach:
		j.attach = r
	case journal.End:
		j.end = r
	default:
		j.recanted = append(j.recanted, said...)
		j.note(r)
	}
	return j.changed, nil
}

// said returns of the keys and events of which the ops of a record have said something by their outcomes that they say
// nothing: an outcome may turn out to be that of another op.
func (j *rowJournal) said(r *journal.Record) (list []journal.Entry) {
	for _, n := range r.Each() {
		at, has := j.state.Position(n)
		if !has || j.state.Ops[at].Status.Open() {
			continue
		}
		j.state.Say(at, 0, func(of journal.Subject, f *journal.Fact) {
			nothing := journal.NewFact()
			nothing.Last = f.Last
			list = append(list, journal.Entry{Subject: of, Fact: nothing})
		})
	}
	return list
}

// note notes which ops a record has changed.
func (j *rowJournal) note(r *journal.Record) {
	if r.Type == journal.Fail {
		j.failed++
	}
	ops := r.Each()
	for _, n := range ops {
		sent := j.sent[n]
		if r.Type == journal.Intent && n == ops[0] {
			sent = append(sent, r.At)
		}
		j.sent[n] = sent
	}
}

// Err returns why nothing more is stored, nil while the journal is sound.
func (j *rowJournal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Close stores what is left, and gives up the run. A second Close does nothing.
func (j *rowJournal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	last, err := j.changed, j.err
	if j.empty() {
		last = nil
	}
	j.mu.Unlock()
	if err == nil && last != nil {
		j.run.of.committer.wake(j, true)
		<-last.done
	}
	if under := j.run.of.committer.leave(j); under != nil {
		<-under.done
	}
	if err = j.Err(); err != nil {
		_ = j.held.Release() // whatever ended it is the error
		return journal.Raised(err)
	}
	if releasing := j.held.Release(); releasing != nil {
		return fmt.Errorf("unlocking run %s: %w", j.run.id, releasing)
	}
	if j.held.lease != nil {
		j.run.last.Store(&kept{state: j.state, commits: -1}) // nobody else has the share before the lease is given up
	}
	return nil
}

// empty reports whether there is nothing to store. The journal is locked.
func (j *rowJournal) empty() bool { return len(j.sent) == 0 && j.attach == nil && j.end == nil }

// poison ends all storing, and all waiting.
func (j *rowJournal) poison(cause error, under *round) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = &journal.PoisonedError{Path: "the record of run " + j.run.id + " in " + j.run.of.Name(), Err: cause}
	}
	j.sent, j.attach, j.end = map[int][]time.Time{}, nil, nil
	for _, r := range []*round{under, j.changed} {
		r.err = j.err
		close(r.done)
	}
	j.changed = newRound()
}

// take takes what there is to store, nil where there is nothing.
func (j *rowJournal) take() *part {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.empty() || j.err != nil {
		return nil
	}
	p := &part{journal: j, round: j.changed, attach: j.attach, end: j.end, failed: j.failed, at: j.state.At, sent: j.sent}
	facts := map[journal.Subject]*journal.Fact{}
	for n := range j.sent {
		at, _ := j.state.Position(n)
		o := j.state.Outcome(at)
		if p.ops = append(p.ops, o); !o.Status.Open() {
			say(facts, j.state, at)
		}
	}
	slices.SortFunc(p.ops, func(a, b journal.Outcome) int { return a.Op - b.Op })
	for _, row := range j.recanted {
		if facts[row.Subject] == nil {
			facts[row.Subject] = row.Fact
		}
	}
	for of, f := range facts {
		p.keys = append(p.keys, journal.Entry{Subject: of, Fact: f})
	}
	slices.SortFunc(p.keys, inOrder)
	j.sent, j.recanted, j.attach, j.end, j.failed, j.changed = map[int][]time.Time{}, nil, nil, nil, 0, newRound()
	return p
}

// say adds what a settled op says to facts.
func say(facts map[journal.Subject]*journal.Fact, s *journal.State, at int) {
	s.Say(at, 0, func(of journal.Subject, f *journal.Fact) {
		if facts[of] == nil {
			facts[of] = f
		} else {
			facts[of].Add(f, []string{s.Run})
		}
	})
}
