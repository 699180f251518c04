package quota

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestForecast(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	second := time.Second
	window := minute + 60*time.Millisecond
	one := func(n int) []LaneForecast { return []LaneForecast{{[]Owner{calendar("c", 200)}, n}} }
	var nested []LaneForecast
	for i := range 3 {
		nested = append(nested, LaneForecast{[]Owner{calendar(fmt.Sprint(i), 200), organization(500)}, 500})
	}
	for _, c := range []struct {
		name  string
		lanes []LaneForecast
		pace  float64
		usage []Usage
		want  time.Duration
	}{
		{"nothing", nil, 50, nil, 0},
		{"no requests", one(0), 50, nil, 0},
		{"one request", one(1), 50, nil, 0},
		{"a programme", one(150), 50, nil, 2980 * time.Millisecond},
		{"one window", one(200), 0, nil, 0},
		{"one more", one(201), 0, nil, window},
		{"two thousand", one(2000), 50, nil, 9*window + 3980*time.Millisecond},
		{"slower than the limit", one(600), 2, nil, 599 * second / 2},
		{"a lane without an owner", []LaneForecast{{nil, 101}}, 10, nil, 10 * second},
		{"some out", one(100), 0, []Usage{{Owner: calendar("c", 200), Limit: 200, Left: 50, AllFree: now.Add(30 * second)}}, 30 * second},
		{"a share of it", one(100), 0, []Usage{{Owner: calendar("c", 200), Limit: 50, Left: 50}}, window},
		{"throttled", one(1), 0, []Usage{{Owner: calendar("c", 200), Limit: 200, ThrottledUntil: now.Add(50 * second)}}, 50 * second},
		{"three calendars", nested, 0, nil, 2 * window},
		{"never ending", one(1 << 40), 1e-9, nil, 10 * 365 * 24 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Forecast(c.lanes, now, minute, c.pace, c.usage).Sub(now)
			if diff := (got - c.want).Abs(); diff > time.Millisecond {
				t.Errorf("in %v, want %v", got, c.want)
			}
		})
	}
}

func TestForecastComesTrue(t *testing.T) {
	for _, c := range []struct {
		rows         []int
		organization int
		pace         float64
	}{
		{[]int{150}, 0, 50},
		{[]int{1234}, 0, 50},
		{[]int{500, 500, 500}, 500, 0},
		{[]int{500, 500, 500}, 500, 50},
		{[]int{900, 300, 20, 500}, 500, 50},
		{[]int{400, 700}, 0, 20},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scheduler(t, Config{Pace: c.pace})
				var lanes []LaneForecast
				for i, n := range c.rows {
					owners := []Owner{calendar(fmt.Sprint(i), 200)}
					if c.organization > 0 {
						owners = append(owners, organization(c.organization))
					}
					lanes = append(lanes, LaneForecast{owners, n})
				}
				start := time.Now()
				want := Forecast(lanes, start, minute, c.pace, s.Usage()).Sub(start)
				ends := make([]time.Time, len(lanes))
				var wg sync.WaitGroup
				for i, l := range lanes {
					wg.Go(func() {
						ends[i] = send(t, s, l.Owners, l.Requests, 10, func() (Seen, bool) {
							time.Sleep(10 * time.Millisecond)
							return Seen{-1, -1}, true
						})
					})
				}
				wg.Wait()
				got := slices.MaxFunc(ends, time.Time.Compare).Sub(start)
				t.Logf("took %v, forecast %v", got, want)
				if diff := (got - want).Abs(); diff > want*3/100+time.Second {
					t.Errorf("took %v, forecast %v", got, want)
				}
			})
		})
	}
}
