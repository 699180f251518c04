package sandbox

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const probe = "GET /v1/users/get-self"

// burst sends n requests at once and counts the statuses.
func (c *client) burst(n int) map[int]int {
	var mu sync.Mutex
	var wait sync.WaitGroup
	statuses := map[int]int{}
	for range n {
		wait.Go(func() {
			r := c.must(probe)
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
		})
	}
	wait.Wait()
	return statuses
}

func TestOverTheLimitBlocksForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, Config{})
		c := clientOf(t, s)
		if got := c.burst(200); got[200] != 200 {
			t.Fatalf("a burst of the limit: %v", got)
		}
		time.Sleep(59 * time.Second)
		r := c.must(probe)
		if r.status != 429 || r.header.Get("Retry-After") != "60" {
			t.Fatalf("request 201: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
		}
		// The window is empty a second later; the block goes on all the same.
		time.Sleep(30*time.Second + 500*time.Millisecond)
		if r := c.must(probe); r.status != 429 || r.header.Get("Retry-After") != "30" {
			t.Errorf("while blocked: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
		}
		time.Sleep(29*time.Second + 500*time.Millisecond - 1)
		if r := c.must(probe); r.status != 429 || r.header.Get("Retry-After") != "1" {
			t.Errorf("a nanosecond before the end: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
		}
		time.Sleep(time.Nanosecond)
		if got := c.burst(200); got[200] != 200 {
			t.Errorf("after the block: %v", got)
		}
		stats := s.Stats()
		if want := (Owner{Requests: 403, Refused: 3, MaxInWindow: 203}); stats.Owners["cal-sandbox"] != want || stats.Throttled != 3 {
			t.Errorf("%+v, want %+v", stats.Owners["cal-sandbox"], want)
		}
	})
}

func TestWindowSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, newService(t, Config{Limits: Limits{Calendar: 10, Window: 10 * time.Second}}))
		// Spread over the end of a fixed window, where such a one lets twice the limit through.
		time.Sleep(5 * time.Second)
		c.burst(5)
		time.Sleep(4 * time.Second)
		c.burst(5)
		time.Sleep(6 * time.Second)
		if got := c.burst(1); got[429] != 1 {
			t.Errorf("both ends of a window belong to it: %v", got)
		}
		time.Sleep(10 * time.Second)
		c.burst(5)
		time.Sleep(time.Second)
		c.burst(5)
		time.Sleep(9*time.Second + 1)
		if got := c.burst(5); got[200] != 5 {
			t.Errorf("five slots are free: %v", got)
		}
		if got := c.burst(1); got[429] != 1 {
			t.Errorf("no sixth: %v", got)
		}
	})
}

func TestQuotaHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, newService(t, Config{Limits: Limits{Calendar: 3}}))
		first := time.Now().Add(time.Minute).Unix()
		for _, remaining := range []string{"2", "1", "0", "0"} {
			r := c.must(probe)
			got := [3]string{r.header.Get("X-RateLimit-Limit"), r.header.Get("X-RateLimit-Remaining"), r.header.Get("X-RateLimit-Reset")}
			if want := [3]string{"3", remaining, strconv.FormatInt(first, 10)}; got != want {
				t.Errorf("headers %v, want %v", got, want)
			}
			if told := r.header.Get("Retry-After") != ""; told != (r.status == 429) {
				t.Errorf("status %d with Retry-After: %t", r.status, told)
			}
		}
	})
}

func TestStrictBlockStartsAnew(t *testing.T) {
	for strict, want := range map[bool]int{false: 200, true: 429} {
		synctest.Test(t, func(t *testing.T) {
			c := clientOf(t, newService(t, Config{Limits: Limits{Calendar: 1, Strict: strict}}))
			c.burst(2)
			time.Sleep(40 * time.Second)
			c.burst(1)
			time.Sleep(20 * time.Second)
			if r := c.must(probe); r.status != want {
				t.Errorf("strict %t: %d, want %d", strict, r.status, want)
			}
		})
	}
}

func TestOwnersPayApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, Config{
			Limits: Limits{Calendar: 4, Organization: 6},
			Keys: []Key{
				{Kind: OrganizationKey, Organization: "org", Secret: "org"},
				{Kind: CalendarKey, Calendar: "a", Organization: "org", Secret: "a"},
				{Kind: OAuthToken, Calendar: "a", Secret: "token"},
				{Kind: CalendarKey, Calendar: "b", Organization: "org", Secret: "b"},
			},
		})
		org := clientOf(t, s).with("x-service-api-key", "org")
		key := org.with("x-service-api-key", "a")
		token := org.with("x-service-api-key", "", "Authorization", "Bearer token")
		event := org.with("x-service-api-key", "b").create("Tea", "") // b 1

		check := func(name string, c *client, request string, status int) {
			t.Helper()
			if r := c.must(request); r.status != status {
				t.Errorf("%s: %d, want %d", name, r.status, status)
			}
		}
		key.burst(2)                                                                               // a 2
		token.burst(1)                                                                             // a 3
		check("the key shares with the token", org.with("x-service-calendar-id", "a"), probe, 200) // a 4, org 1
		check("calendar full under the organization", org.with("x-service-calendar-id", "a"), probe, 429)
		check("its own key is blocked too", key, probe, 429)
		check("the organization is not", org, probe, 200)                             // org 3
		check("b is not", org.with("x-service-calendar-id", "b"), probe, 200)         // b 2, org 4
		check("b pays for its event", org, "GET /v1/events/get?event_id="+event, 200) // b 3, org 5
		check("b pays for its event", org, "GET /v1/events/get?event_id="+event, 200) // b 4, org 6
		check("organization full", org, probe, 429)                                   // org 7
		check("organization blocked for its calendars", org.with("x-service-calendar-id", "b"), probe, 429)
		time.Sleep(time.Minute)
		check("a again", key, probe, 200)
		org.burst(2)
		check("unknown keys are nobody's", org.with("x-service-api-key", "x"), probe, 401)
		check("unknown paths count", key, "GET /v1/nothing", 404)
		if got := s.Stats().Owners["a"].Requests; got != 8 {
			t.Errorf("%d requests of a, want 8", got)
		}
		if got := len(s.Arrivals("org")); got != 10 {
			t.Errorf("%d requests of the organization, want 10", got)
		}
	})
}

// TestNoWindowHoldsMoreThanTheLimit compares with counting by brute force: what the
// limiter lets through never exceeds the limit, what it refuses first would have.
func TestNoWindowHoldsMoreThanTheLimit(t *testing.T) {
	const window = 1000
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		now := time.Unix(1_000_000, 0)
		limit := 1 + r.IntN(6)
		l := newLimiter(Limits{Calendar: limit, Window: window}, nil, func() time.Time { return now })
		var arrivals, passed []int64
		blocked := int64(0)
		for range 300 {
			now = now.Add(time.Duration(r.IntN(400)))
			at := now.UnixNano()
			inWindow := 0
			for _, p := range passed {
				if p >= at-window {
					inWindow++
				}
			}
			want := at < blocked || inWindow >= limit
			got := l.admit("cal").blocked
			// The instant at which a block ends is free, whatever left the window then.
			if got != want && at != blocked {
				t.Fatalf("seed %d, limit %d, at %d: blocked %t with %d in the window", seed, limit, at, got, inWindow)
			}
			if !got {
				passed = append(passed, at)
			} else if at >= blocked {
				blocked = at + window
			}
			arrivals = append(arrivals, at)
		}
		if got := maxInWindow(passed, window-1); got > limit {
			t.Errorf("seed %d: %d passed in a window, the limit is %d", seed, got, limit)
		}
		most := 0
		for i := range arrivals {
			n := 0
			for _, a := range arrivals[i:] {
				if a <= arrivals[i]+window {
					n++
				}
			}
			most = max(most, n)
		}
		if got := l.stats()["cal"].MaxInWindow; got != most {
			t.Errorf("seed %d: MaxInWindow %d, want %d", seed, got, most)
		}
	}
}

func TestKeysThatMakeNoSense(t *testing.T) {
	tests := []Config{
		{Keys: []Key{{Kind: CalendarKey, Calendar: "a"}}},
		{Keys: []Key{{Kind: CalendarKey, Secret: "s"}}},
		{Keys: []Key{{Kind: OrganizationKey, Calendar: "a", Secret: "s"}}},
		{Keys: []Key{{Kind: "master", Calendar: "a", Secret: "s"}}},
		{Keys: []Key{{Calendar: "a", Secret: "s"}, {Calendar: "b", Secret: "s"}}},
		{Keys: []Key{{Calendar: "a", Organization: "o", Secret: "s"}, {Calendar: "a", Organization: "p", Secret: "t"}}},
	}
	for i, config := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if _, err := New(config); err == nil {
				t.Errorf("accepted: %+v", config)
			}
		})
	}
}

// TestEventsCalendarPays has an organization that selects no calendar: the calendar
// of the event is known only once the body is read, and pays then.
func TestEventsCalendarPays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, Config{
			Limits: Limits{Calendar: 2, Organization: 100},
			Keys:   []Key{{Kind: OrganizationKey, Organization: "org", Calendar: "cal", Secret: "org"}},
		})
		c := clientOf(t, s).with("x-service-api-key", "org")
		id := c.with("x-service-calendar-id", "cal").create("Tea", "")
		c.ok("GET /v1/events/get?event_id=" + id)
		r := c.must(`POST /v1/events/update {"event_id":"` + id + `","name":"Coffee"}`)
		if r.status != 429 || r.header.Get("Retry-After") != "60" {
			t.Errorf("over the calendar's limit: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
		}
		if name := s.Events()[0].Name; name != "Tea" {
			t.Errorf("a refused update took effect: %s", name)
		}
		if r := c.must(probe); r.status != 200 {
			t.Errorf("the organization itself: %d", r.status)
		}
	})
}
