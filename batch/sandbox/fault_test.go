package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestParseFault(t *testing.T) {
	good := map[string]Fault{
		"reset-after:0.03": {Kind: ResetAfter, Rate: 0.03},
		"500-before:3%":    {Kind: ErrorBefore, Rate: 0.03},
		"429:1":            {Kind: Throttle, Rate: 1},
		"429-bare:0":       {Kind: ThrottleBare},
		"slow:0.5:250ms":   {Kind: Slow, Rate: 0.5, Delay: 250 * time.Millisecond},
	}
	for text, want := range good {
		if got, err := ParseFault(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "slow", "slow:", "slow:x", "slow:2", "slow:-1", "slow:NaN", "slow:0.1:", "slow:0.1:-5s", "slow:0.1:x", "cut-body:0.1:5s",
		"meteor:0.1",
	} {
		if got, err := ParseFault(text); err == nil {
			t.Errorf("%q gives %+v", text, got)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, seed := range []string{"reset-after:0.03", "500-before:3%", "slow:0.5:250ms", "429:1e-3", ":::"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseFault(text)
		if err != nil {
			return
		}
		if _, err := New(Config{Faults: []Fault{fault}}); err != nil {
			t.Errorf("%q is read but not taken: %v", text, err)
		}
	})
}

func TestFaultsThatMakeNoSense(t *testing.T) {
	for _, list := range [][]Fault{
		{{Kind: "meteor", Rate: 0.1}},
		{{Kind: Slow, Rate: 1.1}},
		{{Kind: Slow, Rate: 0.6}, {Kind: CutBody, Rate: 0.6}},
	} {
		if _, err := New(Config{Faults: list}); err == nil {
			t.Errorf("accepted: %+v", list)
		}
	}
}

// spoiled is what a client sees of a fault, and whether the request took effect.
var spoiled = []struct {
	kind   FaultKind
	status int
	err    error
	effect bool
	media  string
}{
	{kind: ResetBefore, err: syscall.ECONNRESET},
	{kind: ResetAfter, err: syscall.ECONNRESET, effect: true},
	{kind: ErrorBefore, status: 500, media: "application/json"},
	{kind: ErrorAfter, status: 500, media: "application/json", effect: true},
	{kind: CutBody, status: 200, err: io.ErrUnexpectedEOF, effect: true, media: "application/json"},
	{kind: Slow, status: 200, effect: true, media: "application/json"},
	{kind: Throttle, status: 429, media: "application/json"},
	{kind: ThrottleBare, status: 429, media: "application/json"},
	{kind: WrongPage, status: 200, media: "text/html"},
	{kind: Redirect, status: 302, media: "text/html"},
}

func TestFaults(t *testing.T) {
	for _, want := range spoiled {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, Config{Faults: []Fault{{Kind: want.kind, Rate: 1}}})
			start := time.Now()
			r, err := clientOf(t, s).send("POST /v1/events/create " + tea)
			if !errors.Is(err, want.err) || r.status != want.status {
				t.Errorf("%s: %d, %v", want.kind, r.status, err)
			}
			if effect := len(s.Events()) == 1; effect != want.effect {
				t.Errorf("%s: took effect: %t", want.kind, effect)
			}
			if err == nil && !strings.HasPrefix(r.header.Get("Content-Type"), want.media) {
				t.Errorf("%s: Content-Type %q", want.kind, r.header.Get("Content-Type"))
			}
			if took := time.Since(start); took != map[bool]time.Duration{true: time.Second}[want.kind == Slow] {
				t.Errorf("%s: took %s", want.kind, took)
			}
			if told := r.header.Get("Retry-After"); (told == "60") != (want.kind == Throttle) {
				t.Errorf("%s: Retry-After %q", want.kind, told)
			}
			if to := r.header.Get("Location"); (to == "/login") != (want.kind == Redirect) {
				t.Errorf("%s: Location %q", want.kind, to)
			}
			if got := s.Stats().Faults[want.kind]; got != 1 {
				t.Errorf("%s: counted %d times", want.kind, got)
			}
			if got := s.Stats(); got.Statuses[want.status] != 1 || got.Requests["/v1/events/create"] != 1 {
				t.Errorf("%s: counted %+v", want.kind, got)
			}
		})
	}
}

// An answer that is replayed names a record that is there already.
func TestReplayedAnswersNameAnotherRecord(t *testing.T) {
	for _, kind := range []FaultKind{ReplayBefore, ReplayAfter} {
		s := newService(t, Config{Existing: []Existing{
			{ID: "evt-1", Calendar: "cal-sandbox", Name: "Old", Slug: "old", StartAt: "2026-05-01T18:30Z", Timezone: "UTC"},
		}})
		c := clientOf(t, s)
		ticket := func(name string) any {
			return c.ok(`POST /v1/events/ticket-types/create {"event_id":"evt-1","name":"` + name + `","type":"free"}`)["id"]
		}
		first := ticket("Early")
		if err := s.SetFaults([]Fault{
			{Kind: kind, Rate: 1, Path: "/events/create", Times: 1},
			{Kind: kind, Rate: 1, Path: "/ticket-types/create", Times: 1},
			{Kind: kind, Rate: 1, Path: "/guests/add"},
			{Kind: kind, Rate: 1, Path: "/coupons/create"},
		}); err != nil {
			t.Fatal(err)
		}
		made := map[FaultKind]int{ReplayAfter: 1}[kind]
		if id := c.create("Tea", ""); id != "evt-1" || len(s.Events()) != 1+made {
			t.Errorf("%s: event %s, one of %d", kind, id, len(s.Events()))
		}
		if id := ticket("Late"); id != first {
			t.Errorf("%s: ticket type %v, not %v", kind, id, first)
		}
		list := c.ok("GET /v1/events/ticket-types/list?event_id=evt-1")["entries"].([]any)
		if len(list) != 2+made {
			t.Errorf("%s: %d ticket types", kind, len(list))
		}
		c.ok(`POST /v1/events/guests/add {"event_id":"evt-1","guests":[{"email":"ada@example.org"}]}`)
		c.ok(`POST /v1/events/coupons/create {"event_id":"evt-1","code":"A","discount":{"discount_type":"percent","percent_off":5}}`)
		if n := s.Stats().Faults[kind]; n != 2 {
			t.Errorf("%s: %d answers were replayed, though there is none for guests, nor an older one for coupons", kind, n)
		}
		if id := c.create("Cake", ""); id == "evt-1" {
			t.Errorf("%s: more than once", kind)
		}
	}
}

// Of a request of several records half is carried out before it fails.
func TestHalfOfARequestTakesEffect(t *testing.T) {
	for _, want := range []struct {
		kind   FaultKind
		status int
		err    error
	}{{ErrorHalf, 500, nil}, {CutHalf, 200, io.ErrUnexpectedEOF}} {
		_, c := unlimited(t)
		event, other := c.create("Tea", ""), c.create("Cake", "")
		tag := c.ok(`POST /v1/calendars/event-tags/create {"name":"Spring"}`)["id"].(string)
		people := strings.TrimSuffix(strings.Repeat(`{"email":"@@example.org"},`, 5), ",")
		for n := range 5 {
			people = strings.Replace(people, "@@", fmt.Sprint("guest", n, "@"), 1)
		}
		s := c.rt.(inProcess).service.(*Service)
		if err := s.SetFaults([]Fault{{Kind: want.kind, Rate: 1}}); err != nil {
			t.Fatal(err)
		}
		for _, request := range []string{
			`events/guests/add {"event_id":"` + event + `","guests":[` + people + `]}`,
			`calendars/contacts/import {"contacts":[` + people + `]}`,
			`calendars/event-tags/apply {"tag":"` + tag + `","event_ids":["` + event + `","` + other + `"]}`,
		} {
			if r, err := c.send("POST /v1/" + request); r.status != want.status || !errors.Is(err, want.err) {
				t.Errorf("%s: %.40s: %d, %v", want.kind, request, r.status, err)
			}
		}
		c.ok(`POST /v1/events/guests/add {"event_id":"` + other + `","guests":[{"email":"ada@example.org"}]}`) // one has no half
		if got := c.people(event); !slices.Equal(got, []string{"guest0@example.org approved", "guest1@example.org approved"}) {
			t.Errorf("%s: guests %v", want.kind, got)
		}
		if got := c.ok("GET /v1/calendars/contacts/list")["entries"].([]any); len(got) != 2 {
			t.Errorf("%s: contacts %v", want.kind, got)
		}
		tagged := 0
		for _, e := range c.ok("GET /v1/calendars/events/list")["entries"].([]any) {
			tagged += len(e.(map[string]any)["tags"].([]any))
		}
		if mailed := len(s.Outbox()); tagged != 1 || mailed != 3 {
			t.Errorf("%s: %d events are tagged, %d people mailed", want.kind, tagged, mailed)
		}
	}
}

func TestThrottleFaultBlocksTheOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, Config{Faults: []Fault{{Kind: ThrottleBare, Rate: 1, Times: 1}}})
		c := clientOf(t, s)
		if r := c.must(probe); r.status != 429 || r.header.Get("Retry-After") != "" {
			t.Errorf("the fault: %d, %v", r.status, r.header)
		}
		time.Sleep(time.Minute - 1)
		if r := c.must(probe); r.status != 429 {
			t.Errorf("within the block: %d", r.status)
		}
		time.Sleep(time.Nanosecond)
		if r := c.must(probe); r.status != 200 {
			t.Errorf("after the block: %d", r.status)
		}
	})
}

func TestBadGatewayMayHaveLetTheRequestThrough(t *testing.T) {
	s := newService(t, Config{Faults: []Fault{{Kind: BadGateway, Rate: 1}}, Seed: 1})
	c := clientOf(t, s)
	for range 100 {
		if r := c.must("POST /v1/events/create " + tea); r.status != 502 || !strings.Contains(r.body, "<title>502 Bad Gateway</title>") {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	if n := len(s.Events()); n < 25 || n > 75 {
		t.Errorf("%d of 100 requests took effect, want about half", n)
	}
}

func TestFaultsComeAtTheirRates(t *testing.T) {
	faults := []Fault{
		{Kind: ErrorBefore, Rate: 0.1},
		{Kind: ErrorAfter, Rate: 0.2},
		{Kind: CutBody, Rate: 1, Path: "/users/get-self", Times: 5},
	}
	run := func(seed uint64) Stats {
		s := newService(t, Config{Faults: faults, Seed: seed, Limits: Limits{Calendar: -1}})
		c := clientOf(t, s)
		for range 2000 {
			c.must("GET /v1/calendars/get")
		}
		for range 10 {
			_, _ = c.send(probe)
		}
		return s.Stats()
	}
	got := run(1)
	if n := got.Faults[ErrorBefore]; n < 150 || n > 250 {
		t.Errorf("%d of 2000 at a rate of 0.1", n)
	}
	if n := got.Faults[ErrorAfter]; n < 330 || n > 470 {
		t.Errorf("%d of 2000 at a rate of 0.2", n)
	}
	if n := got.Faults[CutBody]; n != 5 {
		t.Errorf("%d faults, want those of one path, five times", n)
	}
	again, other := run(1), run(2)
	if got.Faults[ErrorBefore] != again.Faults[ErrorBefore] || got.Faults[ErrorAfter] != again.Faults[ErrorAfter] {
		t.Error("the same seed gives other faults")
	}
	if got.Faults[ErrorBefore] == other.Faults[ErrorBefore] && got.Faults[ErrorAfter] == other.Faults[ErrorAfter] {
		t.Error("another seed gives the same faults")
	}
}

func TestClientThatGoesAwayUndoesNothing(t *testing.T) {
	for name, config := range map[string]Config{
		"latency": {Latency: time.Minute},
		"slow":    {Faults: []Fault{{Kind: Slow, Rate: 1, Delay: time.Minute}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, config)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://sandbox.test/v1/events/create", strings.NewReader(tea))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("x-service-api-key", "sandbox")
			start := time.Now()
			if _, err := s.Transport().RoundTrip(req); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %s", name, err, time.Since(start))
			}
			if len(s.Events()) != 1 {
				t.Errorf("%s: the request took no effect", name)
			}
		})
	}
}

func TestFaultsOverAListener(t *testing.T) {
	s := newService(t, Config{Limits: Limits{Calendar: -1, Block: time.Nanosecond}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	c := clientOf(t, s)
	transport := &http.Transport{}
	c.rt, c.base = transport, "http://"+l.Addr().String()+"/base"

	for _, want := range spoiled {
		if err := s.SetFaults([]Fault{{Kind: want.kind, Rate: 1, Delay: time.Millisecond}}); err != nil {
			t.Fatal(err)
		}
		before := len(s.Events())
		r, err := c.send("POST /v1/events/create " + tea)
		if !errors.Is(err, want.err) || r.status != want.status {
			t.Errorf("%s: %d, %v", want.kind, r.status, err)
		}
		if effect := len(s.Events()) > before; effect != want.effect {
			t.Errorf("%s: took effect: %t", want.kind, effect)
		}
		if to := r.header.Get("Location"); (to == "/base/login") != (want.kind == Redirect) {
			t.Errorf("%s: Location %q", want.kind, to)
		}
	}
	if err := s.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	slot := c.ok(`POST /v1/images/create-upload-url {"content_type":"image/png"}`)
	if to := slot["upload_url"].(string); !strings.HasPrefix(to, c.base+"/upload/") {
		t.Errorf("upload_url %s", to)
	}
	transport.CloseIdleConnections()
	stop()
	if err := <-served; err != nil {
		t.Errorf("stopping: %v", err)
	}
	if _, err := c.send(probe); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the end: %v", err)
	}
}
