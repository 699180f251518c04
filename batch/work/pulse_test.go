package work

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
)

// A worker gets on as long as it comes to go through what it carries, and nothing of that hangs.
func TestAWorkerThatHangsDoesNotBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New(Config{Figures: noFigures})
		ctx, stop := context.WithCancel(t.Context())
		go w.carryOn(ctx)
		_, done := w.active.begin(t.Context(), "run")
		time.Sleep(stuck)
		if !w.moves() {
			t.Error("it carries a share, and does not get on")
		}
		time.Sleep(beatWithin - pulseEvery)
		if !w.moves() {
			t.Error("a share has just come to hang, and it does not get on")
		}
		time.Sleep(3 * pulseEvery)
		if w.moves() || w.lives() != nil {
			t.Errorf("a share hangs, and it gets on: %v, %v", w.moves(), w.lives())
		}
		time.Sleep(livesWithin)
		if w.lives() == nil {
			t.Error("a share has been hanging for a while, and nobody begins the worker anew")
		}
		done()
		time.Sleep(2 * pulseEvery)
		if !w.moves() || w.lives() != nil {
			t.Error("the share has ended, and it does not get on")
		}
		stop()
		time.Sleep(beatWithin + time.Nanosecond)
		if w.moves() {
			t.Error("it does not go through it any more, and gets on")
		}
	})
}

// The job of a worker that hangs goes on with another one.
func TestTheJobOfAHungWorkerIsPutBack(t *testing.T) {
	was := postgres.Beats
	postgres.Beats = postgres.Rhythm{Every: 50 * time.Millisecond, Missed: 700 * time.Millisecond}
	t.Cleanup(func() { postgres.Beats = was })
	db, exec := newStore(t, "one")
	at, goOn := make(chan struct{}), make(chan struct{})
	var carries atomic.Bool
	hung := &carrier{outcome: func(s postgres.Share) Outcome {
		if carries.Swap(true) { // the job that was put back may come to it first, and it has the lease as far as it knows
			return Outcome{Again: time.Second}
		}
		lease, err := postgres.OpenStore(db, nil).Lease(s.Owner)
		must(t, err)
		close(at)
		<-goOn
		must(t, lease.Release(nil))
		return Outcome{Over: true}
	}}
	start(t, db, hung)
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), []postgres.Share{{Owner: "cal-1"}}))
	<-at
	must(t, db.Works(func() bool { return false }))
	pgtest.Eventually(t, func() bool {
		live, err := db.LiveWorkers()
		must(t, err)
		return live == 0
	})
	exec("update river_job set attempted_at = now() - interval '1 minute'")
	other, err := db.Beside(t.Context(), db.Schema())
	must(t, err)
	t.Cleanup(func() { _ = other.Close() })
	took := make(chan bool, 1)
	c := &carrier{outcome: func(s postgres.Share) Outcome {
		lease, err := postgres.OpenStore(other, nil).Lease(s.Owner)
		must(t, err)
		took <- lease.Left.Known && !lease.Left.Released
		must(t, lease.Release(nil))
		return Outcome{Over: true}
	}}
	w := start(t, other, c)
	must(t, w.putBack(t.Context()))
	if !<-took {
		t.Error("its lease was given up")
	}
	pgtest.Eventually(t, none(t, other, "cal-1"))
	close(goOn)
}
