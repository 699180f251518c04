package quota

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestRemainingBelowOursShrinksTheWindow(t *testing.T) {
	for _, taken := range []int{40, 120, 200} {
		synctest.Test(t, func(t *testing.T) {
			srv := &service{limit: 200, window: minute}
			srv.foreign(taken)
			s := scheduler(t, Config{Dir: t.TempDir(), Pace: 50})
			start := time.Now()
			last := send(t, s, []Owner{calendar("c", 200)}, 300, 10, func() (Seen, bool) {
				time.Sleep(70 * time.Millisecond)
				remaining, ok := srv.serve()
				time.Sleep(70 * time.Millisecond)
				return Seen{Limit: -1, Remaining: remaining}, ok
			})
			if taken == 200 {
				// Nothing was left even for the first: what it cost is one block.
				if len(srv.breaches) > 10 {
					t.Errorf("%d requests over the limit", len(srv.breaches))
				}
				return
			}
			if len(srv.breaches) > 0 {
				t.Errorf("%d taken by others: over the limit: %v", taken, srv.breaches[0])
			}
			within(t, "300 rows", last.Sub(start), time.Duration((taken+300-1)/200)*minute, 6*time.Second)
		})
	}
}

func TestRemainingAboveOursGrowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		start := time.Now()
		last := send(t, s, []Owner{calendar("c", 10)}, 25, 25, func() (Seen, bool) {
			return Seen{Limit: 1000, Remaining: 990}, true
		})
		if got, want := last.Sub(start), 2*(minute+60*time.Millisecond); got != want {
			t.Errorf("25 rows at 10 a minute took %v, want %v", got, want)
		}
	})
}

func TestSlotsOfOthersComeFreeOneWindowAfterTheyWereSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
		owners := []Owner{calendar("c", 10)}
		slot, err := one.Lane(LaneConfig{Owners: owners}).Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slot.Done(Seen{Limit: 10, Remaining: 2})
		two.Lane(LaneConfig{Owners: owners})
		if u := two.Usage()[0]; u.Left != 2 {
			t.Errorf("left %d, want 2", u.Left)
		}
		time.Sleep(minute + 60*time.Millisecond)
		if u := two.Usage()[0]; u.Left != 10 {
			t.Errorf("left %d a window later, want 10", u.Left)
		}
	})
}

func TestLowerLimitInAnAnswerHolds(t *testing.T) {
	for _, c := range []struct {
		name              string
		seen              Seen
		calendar, company int // limits afterwards
	}{
		{"nothing said", Seen{-1, -1}, 20, 50},
		{"the calendar's own", Seen{20, 19}, 20, 50},
		{"the organization's own", Seen{50, 49}, 20, 50},
		{"another: the key's", Seen{30, 29}, 20, 30},
		{"higher", Seen{500, 499}, 20, 50},
		{"nonsense", Seen{0, -1}, 20, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scheduler(t, Config{})
			slot, err := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 20), organization(50)}}).Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slot.Done(c.seen)
			u := s.Usage()
			if u[0].Limit != c.calendar || u[1].Limit != c.company {
				t.Errorf("limits %d and %d, want %d and %d", u[0].Limit, u[1].Limit, c.calendar, c.company)
			}
			if u[0].Left != c.calendar-1 || u[1].Left != c.company-1 {
				t.Errorf("left %d and %d, want all but one", u[0].Left, u[1].Left)
			}
		})
	}
}
