package postgres

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
)

func isLocked(err error) bool {
	_, locked := errors.AsType[*journal.LockedError](err)
	return locked
}

// quick has what is opened in this test beat often.
func quick(t *testing.T) {
	t.Helper()
	was := Beats
	Beats = Rhythm{Every: 50 * time.Millisecond, Missed: 700 * time.Millisecond}
	t.Cleanup(func() { Beats = was })
}

// A process that does not get on any more, but whose connections live, is succeeded in whatever it has: the owner of a
// quota, a run, and the right to plan.
func TestWhoeverDoesNotBeatIsSucceeded(t *testing.T) {
	quick(t)
	_, a, b, id := twoOf(t)
	hangs := func() bool { return false }
	var told []Hung
	b.Hangs(func(h Hung) { told = append(told, h) })
	lease, err := a.Lease("cal-1")
	if err != nil {
		t.Fatal(err)
	}
	run := take(t, a, id)
	if _, err := a.Lock(t.Context(), journal.Runs); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(2 * b.heart.Missed)
	pgtest.Eventually(t, func() bool {
		var all bool
		err := b.one("select count(*) > 0 and bool_and(beat > $1) from "+beating, []any{later}, &all)
		return err == nil && all
	})
	if _, err := b.Lease("cal-1"); !isLocked(err) {
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
	pgtest.Eventually(t, func() bool {
		free, err := b.Unworked([]string{"cal-1"})
		return err == nil && len(free) == 1
	})
	if n, err := b.LiveWorkers(); n != 0 || err != nil {
		t.Errorf("%d workers live, %v", n, err)
	}
	second, err := b.Lease("cal-1")
	if err != nil || second.Epoch != lease.Epoch+1 || !second.Left.Known || second.Left.Released {
		t.Fatalf("%+v, %v", second, err)
	}
	unlock, err := b.Lock(t.Context(), journal.Runs)
	if err != nil {
		t.Fatal(err)
	}
	next := take(t, b, id)
	for _, err := range []error{lease.Share(nil).Keep("nights", "members", []byte("one")), run.Commit(t.Context(), intent(0))} {
		if !isFenced(err) {
			t.Errorf("whoever has woken up goes on: %v", err)
		}
	}
	// What it gives up is another's by now.
	if err := lease.Release([]byte("slots")); err != nil {
		t.Error(err)
	}
	if err := run.Close(); !isFenced(err) {
		t.Error(err)
	}
	if err := next.Commit(t.Context(), intent(0)); err != nil {
		t.Error(err)
	}
	if _, err := a.Lease("cal-1"); !isLocked(err) {
		t.Errorf("it has the lease again: %v", err)
	}
	if err := errors.Join(unlock(), next.Close(), second.Release(nil)); err != nil {
		t.Error(err)
	}
	if len(told) != 1 || !told[0].Ended || told[0].Has != "cal-1" || told[0].PID != os.Getpid() || told[0].Host != journal.Hostname() ||
		time.Since(told[0].Beat) < b.heart.Missed {
		t.Errorf("it is told of %v", told)
	}
}

// Who may not end a process that does not get on says once for whom it waits.
func TestAProcessOfAnotherUserIsWaitedFor(t *testing.T) {
	quick(t)
	p, _, b, _ := twoOf(t)
	of, err := Open(t.Context(), told(t, strings.Replace(p.address, "plain@", "postgres@", 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	if _, err := of.lock(t.Context(), runsLock, alone); err != nil {
		t.Fatal(err)
	}
	if err := of.Works(func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var hung []Hung
	b.Hangs(func(h Hung) { hung = append(hung, h) })
	defer time.AfterFunc(3*b.heart.Missed, cancel).Stop() // it is told of once, and never again
	if _, err := b.Lock(ctx, journal.Runs); !errors.Is(err, context.Canceled) {
		t.Errorf("it has what another one has: %v", err)
	}
	if len(hung) != 1 || hung[0].Ended || hung[0].User != "postgres" ||
		!strings.Contains(hung[0].String(), "another user of the database, postgres") {
		t.Errorf("it is told of %v", hung)
	}
}

// Whoever waits for the right to plan gets it from a process that stopped in the meantime.
func TestTheRightToPlanIsTakenOver(t *testing.T) {
	quick(t)
	_, a, b, _ := twoOf(t)
	if _, err := a.Lock(t.Context(), journal.Runs); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := b.Lock(t.Context(), journal.Runs)
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
	p, a, b, _ := twoOf(t)
	if _, err := a.Lock(t.Context(), journal.Runs); err != nil {
		t.Fatal(err)
	}
	p.exec("select pg_terminate_backend($1, 5000)", a.locks.PgConn().PID())
	if _, err := b.Lock(t.Context(), journal.Runs); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := b.one("select count(*) from beats", nil, &n); err != nil || n != 1 {
		t.Errorf("%d beats, %v", n, err)
	}
}
