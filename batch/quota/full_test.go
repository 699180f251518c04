package quota

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever waits for a window is told when the first slot comes free, and not for the pace, or for others.
func TestAFullWindowIsToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const window = time.Minute
		s, err := New(Config{Window: window})
		if err != nil {
			t.Fatal(err)
		}
		one, other := Owner{Kind: "calendar", ID: "1", Limit: 2}, Owner{Kind: "calendar", ID: "2", Limit: 2}
		l := s.Lane(LaneConfig{Owners: []Owner{one}})
		begin := time.Now()
		for range 2 {
			slot, err := l.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slot.Done(Seen{-1, -1})
			time.Sleep(time.Second)
		}
		if free := s.Full(one); !free.IsZero() {
			t.Errorf("nobody waits, and it is full until %v", free)
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() { _, _ = l.Take(ctx) }()
		synctest.Wait()
		if took := s.Full(one).Sub(begin).Round(time.Second); took != window {
			t.Errorf("a slot comes free after %v", took)
		}
		if free := s.Full(other); !free.IsZero() {
			t.Errorf("nobody waits for the other one, and it is full until %v", free)
		}
		stop()
		synctest.Wait()
		if free := s.Full(one); !free.IsZero() {
			t.Errorf("nobody waits any more, and it is full until %v", free)
		}
		_ = s.Close()
	})
}

// While requests that have all slots are under way it is not known when one comes free: not at the end of their
// leases, as if their process had died.
func TestAWindowOfRequestsUnderWayIsNotFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Config{Window: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		one := Owner{Kind: "calendar", ID: "1", Limit: 1}
		l := s.Lane(LaneConfig{Owners: []Owner{one}})
		slot, err := l.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() { _, _ = l.Take(ctx) }()
		synctest.Wait()
		if free := s.Full(one); !free.IsZero() {
			t.Errorf("a request is under way, and it is full for %v", time.Until(free))
		}
		slot.Done(Seen{-1, -1})
		synctest.Wait()
		if wait := time.Until(s.Full(one)).Round(time.Second); wait != time.Minute {
			t.Errorf("once that is answered it is full for %v", wait)
		}
		stop()
		synctest.Wait()
		_ = s.Close()
	})
}
