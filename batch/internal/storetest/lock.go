package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"eventbatch/batch/journal"
)

func oneWriter(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 2)
	again := found(t, p.Open(), run.ID())
	j, _ := attached(t, run)
	for _, r := range []*journal.Run{run, again} {
		_, _, err := r.Attach(journal.Attachment{Target: here})
		if held, locked := errors.AsType[*journal.LockedError](err); !locked || held.What != "run "+run.ID() || held.PID == 0 {
			t.Errorf("a second process got %v", err)
		}
	}
	must(t, j.Commit(t.Context(), intent(0)))
	if state, err := again.State(); err != nil || !state.Started || state.Ops[0].Status != journal.Sent {
		t.Errorf("who only looks sees %+v, %v", state, err)
	}
	must(t, j.Close())
	must(t, j.Close())
	if err := j.Append(intent(1)); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("a closed journal took a record: %v", err)
	}
	j, state := attached(t, again)
	if state.Attached != 2 || state.Ops[0].Status != journal.Sent {
		t.Errorf("the successor finds %+v", state)
	}
	p.Kill(run.ID())
	_ = j.Close() // of a process that is no more
	j, _ = attached(t, found(t, p.Open(), run.ID()))
	must(t, j.Close())
}

// manyPlanners has several processes plan at a time, which only whoever copies the store waits for.
func manyPlanners(t *testing.T, p Place) {
	a, b := p.Open(), p.Open()
	one, two := locked(t, a, journal.Planning), locked(t, b, journal.Planning)
	must(t, errors.Join(locked(t, b, journal.Runs)(), one()))
	busy(t, a, journal.Quiet)
	must(t, two())
	alone := locked(t, a, journal.Quiet)
	busy(t, b, journal.Planning)
	must(t, alone())
	must(t, locked(t, b, journal.Quiet)())
}

func oneLock(t *testing.T, p Place) {
	a, b := p.Open(), p.Open()
	unlock := locked(t, a, journal.Runs)
	busy(t, b, journal.Runs)
	must(t, unlock())
	must(t, locked(t, b, journal.Runs)())
}

// locked takes a lock that is free.
func locked(t *testing.T, s journal.Store, what journal.Lock) (unlock func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	unlock, err := s.Lock(ctx, what)
	must(t, err)
	return unlock
}

// busy has a lock not be taken.
func busy(t *testing.T, s journal.Store, what journal.Lock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Lock(ctx, what); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is not free: %v", err)
	}
}
