package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestALagIsTheTimeOutAndSomeSecondsUnlessItIsSaid(t *testing.T) {
	for _, tt := range []struct {
		timeout, whole time.Duration
		want           Lag
	}{
		{30 * time.Second, 0, Lag{30 * time.Second, 5 * time.Second}},
		{30 * time.Second, 70 * time.Second, Lag{60 * time.Second, 10 * time.Second}},
		{30 * time.Second, 700 * time.Millisecond, Lag{600 * time.Millisecond, 100 * time.Millisecond}},
	} {
		if got := NewLag(tt.timeout, tt.whole); got != tt.want {
			t.Errorf("of %s and %s: %+v", tt.timeout, tt.whole, got)
		}
	}
}

func TestAListShowsAnAnswerOnceTheLagIsOver(t *testing.T) {
	lag, answered := NewLag(30*time.Second, 0), time.Date(2027, 4, 3, 18, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		after time.Duration
		shows bool
		left  time.Duration
	}{
		{0, false, 35 * time.Second},
		{34 * time.Second, false, time.Second},
		{35 * time.Second, true, 0},
		{time.Hour, true, 0},
		{-time.Hour, false, 35 * time.Second}, // the clock that told the moment was ahead
	} {
		now := answered.Add(tt.after)
		if shows, left := lag.Shows(now, answered), lag.Left(answered, now); shows != tt.shows || left != tt.left {
			t.Errorf("%s after: %t, %s left", tt.after, shows, left)
		}
	}
	if lag.Left(time.Time{}, answered) != 0 || !lag.Shows(answered, time.Time{}) {
		t.Error("what was never answered is waited for")
	}
}

func TestAwaitTellsOfAWaitBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lag, begin := NewLag(30*time.Second, 0), time.Now()
		var told []time.Duration
		waits := func(d time.Duration) {
			if time.Since(begin) > 0 {
				t.Error("it is told of when it is over")
			}
			told = append(told, d)
		}
		if err := lag.Await(t.Context(), begin.Add(-10*time.Second), waits); err != nil || time.Since(begin) != 25*time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		for _, silent := range []time.Duration{time.Hour, 35*time.Second - 500*time.Millisecond} {
			if err := lag.Await(t.Context(), time.Now().Add(-silent), waits); err != nil {
				t.Error(err)
			}
		}
		if len(told) != 1 || told[0] != 25*time.Second {
			t.Errorf("told of %s", told)
		}
		why := errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		stop(why)
		if err := lag.Await(ctx, time.Now(), func(time.Duration) {}); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}
