package quota

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/trial"
)

// schedule is a world to prove the scheduler in: some processes share the
// ledgers of some calendars under an organization.
type schedule struct {
	Processes, Calendars, Workers, Rows int // each process sends Rows to each calendar
	CalendarLimit, OrganizationLimit    int // 0: no organization
	Latency                             time.Duration
	Cancel, Unsent, Throttle            float64 // how often
	Fixed, Headers, Disk                bool
	Seed                                uint64
}

func drawSchedule(t *rapid.T) schedule {
	odd := func(label string) float64 { return rapid.SampledFrom([]float64{0, 0, 0.02, 0.2}).Draw(t, label) }
	w := schedule{
		Processes:     rapid.IntRange(1, 3).Draw(t, "processes"),
		Calendars:     rapid.IntRange(1, 3).Draw(t, "calendars"),
		Workers:       rapid.IntRange(1, 12).Draw(t, "workers"),
		CalendarLimit: rapid.IntRange(1, 30).Draw(t, "calendar limit"),
		Latency:       time.Duration(rapid.IntRange(0, 20_000).Draw(t, "latency ms")) * time.Millisecond,
		Cancel:        odd("cancel"),
		Unsent:        odd("unsent"),
		Throttle:      odd("throttle"),
		Fixed:         rapid.Bool().Draw(t, "fixed"),
		Headers:       rapid.Bool().Draw(t, "headers"),
		Seed:          rapid.Uint64().Draw(t, "seed"),
	}
	if rapid.Bool().Draw(t, "nested") {
		w.OrganizationLimit = rapid.IntRange(1, 60).Draw(t, "organization limit")
	}
	// Few windows are as good as many, and quicker.
	least := w.CalendarLimit
	if w.OrganizationLimit > 0 {
		least = min(least, w.OrganizationLimit)
	}
	w.Rows = rapid.IntRange(1, min(60, 6*least)).Draw(t, "rows")
	w.Disk = w.Processes > 1 || rapid.Bool().Draw(t, "disk")
	return w
}

// world is a schedule under way.
type world struct {
	schedule
	mu        sync.Mutex
	rng       *rand.Rand
	servers   map[Owner]*service
	throttled map[Owner]time.Time // when the owner was last throttled
	faults    []string
	sent      atomic.Int64
}

func (w *world) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) < 5 {
		w.faults = append(w.faults, fmt.Sprintf(format, args...))
	}
}

func (w *world) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.Float64() < p
}

func (w *world) duration(most time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.rng.Int64N(int64(most) + 1))
}

func (w *world) owners(calendarIndex int) []Owner {
	owners := []Owner{calendar(fmt.Sprint(calendarIndex), w.CalendarLimit)}
	if w.OrganizationLimit > 0 {
		owners = append(owners, organization(w.OrganizationLimit))
	}
	return owners
}

// run sends everything, and returns what was wrong and how long it took.
func (w schedule) run(t *testing.T, dir string) (faults []string, took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		state := &world{
			schedule: w, rng: rand.New(rand.NewPCG(w.Seed, 1)),
			servers: map[Owner]*service{}, throttled: map[Owner]time.Time{},
		}
		for i := range w.Calendars {
			for _, o := range state.owners(i) {
				state.servers[o] = &service{limit: o.Limit, window: minute, fixed: w.Fixed}
			}
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range w.Processes {
			s := scheduler(t, Config{Dir: dir, Lease: 2 * w.Latency})
			for c := range w.Calendars {
				var left atomic.Int64
				left.Store(int64(w.Rows))
				lane := s.Lane(LaneConfig{Owners: state.owners(c), Backlog: func() int { return int(left.Load()) }})
				for range w.Workers {
					wg.Go(func() {
						for left.Add(-1) >= 0 {
							for !state.request(t.Context(), lane) {
							}
						}
					})
				}
			}
		}
		wg.Wait()
		faults, took = state.faults, time.Since(start)
		if got, want := int(state.sent.Load()), w.Processes*w.Calendars*w.Rows; got != want {
			faults = append(faults, fmt.Sprintf("%d rows sent, want %d", got, want))
		}
		trial.Say(t, trial.Requests, state.sent.Load())
		for o, srv := range state.servers {
			trial.Say(t, trial.Refused, len(srv.breaches))
			for _, b := range srv.breaches {
				faults = append(faults, fmt.Sprintf("%s %s: %s", o.Kind, o.ID, b))
			}
		}
	})
	return faults, took
}

// request makes one attempt, and reports whether the row is through.
func (w *world) request(ctx context.Context, l *Lane) bool {
	if w.chance(w.Cancel) {
		short, cancel := context.WithTimeout(ctx, w.duration(minute))
		defer cancel()
		ctx = short
	}
	slot, err := l.Take(ctx)
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			w.fault("Take: %v", err)
			return true
		}
		if deadline, _ := ctx.Deadline(); !time.Now().Equal(deadline) {
			w.fault("Take came back %v after its deadline", time.Since(deadline))
		}
		return false
	}
	for _, o := range l.owners {
		w.mu.Lock()
		throttled := w.throttled[o.Owner]
		w.mu.Unlock()
		if since := time.Since(throttled); since > 0 && since < minute {
			w.fault("%s sends %v after its 429", o.Kind, since)
		}
	}
	if w.chance(w.Unsent) {
		time.Sleep(w.duration(w.Latency))
		slot.Unsent()
		return false
	}
	time.Sleep(w.duration(w.Latency))
	seen, ok := Seen{-1, -1}, !w.chance(w.Throttle)
	for _, o := range l.owners {
		remaining, served := w.servers[o.Owner].serve()
		ok = ok && served
		if w.Headers {
			seen = Seen{Limit: o.Owner.Limit, Remaining: remaining}
		}
	}
	time.Sleep(w.duration(w.Latency))
	if !ok {
		w.mu.Lock()
		for _, o := range l.owners {
			w.throttled[o.Owner] = time.Now()
		}
		w.mu.Unlock()
		slot.Throttled(0)
		return false
	}
	slot.Done(seen)
	w.sent.Add(1)
	return true
}

func TestNoScheduleExceedsTheLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawSchedule(rt)
		dir := ""
		if w.Disk {
			dir = t.TempDir()
		}
		if faults, took := w.run(t, dir); len(faults) > 0 {
			rt.Fatalf("%+v took %v:\n%q", w, took, faults)
		}
	})
}

func TestNoScheduleTakesLongerThanItsWindows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawSchedule(rt)
		// Enough at once that only the limit holds it up.
		w.Calendars, w.OrganizationLimit, w.Processes, w.Workers = 1, 0, 1, 40
		w.Cancel, w.Unsent, w.Throttle = 0, 0, 0
		w.Latency = min(w.Latency, 800*time.Millisecond)
		dir := ""
		if w.Disk {
			dir = t.TempDir()
		}
		faults, took := w.run(t, dir)
		windows := time.Duration((w.Rows-1)/w.CalendarLimit) * minute
		// The last burst is one round there and back.
		if len(faults) > 0 || took < windows || took > windows*103/100+2*w.Latency {
			rt.Fatalf("%+v took %v of %v: %q", w, took, windows, faults)
		}
	})
}
