package postgres

import (
	"errors"
	"testing"
	"time"

	"eventbatch/batch/journal"
)

// quick has what is opened in this test beat often.
func quick(t *testing.T) {
	t.Helper()
	was := Beats
	Beats = Rhythm{Every: 50 * time.Millisecond, Missed: 700 * time.Millisecond}
	t.Cleanup(func() { Beats = was })
}

// eventually waits until something is so.
func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for range 500 {
		if so() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("it does not come to be so")
}

// A process that does not get on any more, but whose connections live, is succeeded in whatever it has: the owner of a
// quota, a run, and the right to plan.
func TestWhoeverDoesNotBeatIsSucceeded(t *testing.T) {
	quick(t)
	_, a, b := stored(t)
	hangs := func() bool { return false }
	lease, _, _, err := a.Lease("cal-1")
	if err != nil {
		t.Fatal(err)
	}
	run := hold(t, a)
	if _, err := a.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * b.heart.Missed)
	if l, _, _, err := b.Lease("cal-1"); l != nil || err != nil {
		t.Fatalf("whoever beats is robbed: %v", err)
	}
	if free, err := b.Unworked([]string{"cal-1", "cal-2"}); err != nil || len(free) != 1 {
		t.Fatalf("nobody works %v, %v", free, err)
	}
	if err := a.Works(hangs); err != nil {
		t.Fatal(err)
	}
	if n, err := b.LiveWorkers(); n != 1 || err != nil {
		t.Errorf("%d workers live, %v", n, err)
	}
	eventually(t, func() bool {
		free, err := b.Unworked([]string{"cal-1"})
		return err == nil && len(free) == 1
	})
	if n, err := b.LiveWorkers(); n != 0 || err != nil {
		t.Errorf("%d workers live, %v", n, err)
	}
	second, left, _, err := b.Lease("cal-1")
	if err != nil || second == nil || second.Epoch() != lease.Epoch()+1 || !left.Known || left.Released {
		t.Fatalf("%v, after %+v, %v", second, left, err)
	}
	unlock, err := b.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := hold(t, b)
	for _, err := range []error{lease.Keep("nights", "members", []byte("one")), run.Append([]byte("one\n"), 0, 1, 0)} {
		if _, fenced := errors.AsType[*journal.FencedError](err); !fenced {
			t.Errorf("whoever has woken up goes on: %v", err)
		}
	}
	// What it gives up is another's by now.
	if err := errors.Join(lease.Release([]byte("slots")), run.Release()); err != nil {
		t.Error(err)
	}
	if err := next.Append([]byte("two\n"), 0, 1, 0); err != nil {
		t.Error(err)
	}
	if l, _, _, err := a.Lease("cal-1"); l != nil || err != nil {
		t.Errorf("it has the lease again: %v", err)
	}
	if err := errors.Join(unlock(), next.Release(), second.Release(nil)); err != nil {
		t.Error(err)
	}
}

// Whoever waits for the right to plan gets it from a process that stopped in the meantime.
func TestTheRightToPlanIsTakenOver(t *testing.T) {
	quick(t)
	_, a, b := stored(t)
	if _, err := a.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := b.Lock(t.Context())
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("two processes plan: %v", err)
	case <-time.After(2 * b.heart.Missed):
	}
	if err := a.Works(func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

// Of sessions that have ended nothing is left.
func TestTheBeatsOfTheDeadAreRemoved(t *testing.T) {
	p, a, b := stored(t)
	if _, err := a.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.exec("select pg_terminate_backend($1, 5000)", a.locks.PgConn().PID())
	if _, err := b.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := b.one("select count(*) from beats", nil, &n); err != nil || n != 1 {
		t.Errorf("%d beats, %v", n, err)
	}
}
