package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// served is the service in miniature on a loopback port, in the process of the
// test, which can so look into it while commands in processes of their own talk
// to it.
type served struct {
	*sandbox.Service
	url     string
	limits  sandbox.Limits
	arrived atomic.Int64 // requests so far
	ahead   atomic.Int64 // of its clock, see [served.later]

	// hook and asked, where set before the first request, are told of each request at its
	// arrival: as which it came, and for what it asks.
	hook  func(n int64)
	asked func(r *http.Request)
	// rejections has reasons for which events of a name are refused.
	rejections map[string][]string
	figures    map[trial.Figure]int // of the trial so far
}

// serve starts a service with the sandbox's usual keys and calendars.
func serve(t testing.TB, config sandbox.Config) *served {
	t.Helper()
	if config.Keys == nil {
		config.Keys = sandbox.BuiltIn("").Keys
	}
	config.Calendars = append(config.Calendars, sandbox.BuiltIn("").Calendars...)
	s := &served{limits: config.Limits, figures: map[trial.Figure]int{}}
	if config.Now == nil {
		config.Now = func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	}
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Service, s.url = service, "http://"+listener.Addr().String()
	server := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		s.say(t)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-done
	})
	return s
}

// say says what the service has seen of the trial, and what is known of its rows.
func (s *served) say(t testing.TB) {
	s.figures[trial.Requests] = int(s.arrived.Load())
	for _, n := range s.Stats().Faults {
		s.figures[trial.Answers] += n
	}
	for figure, n := range s.figures {
		trial.Say(t, figure, n)
	}
}

// fate counts so many records where others are wanted.
func (s *served) fate(want, got int) {
	s.figures[trial.Rows] += want
	s.figures[trial.Twice] += max(0, got-want)
	s.figures[trial.Lost] += max(0, want-got)
}

// mailed counts the mails that people got more often than once, of those that each should get.
func (s *served) mailed(mails map[string]int) {
	s.figures[trial.Mails] += 0
	for _, n := range mails {
		s.figures[trial.Mails] += max(0, n-1)
	}
}

// later has what the service does in the background be done.
func (s *served) later() { s.ahead.Add(int64(200 * time.Millisecond)) }

func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.arrived.Add(1)
	if s.hook != nil {
		s.hook(n)
	}
	if s.asked != nil {
		s.asked(r)
	}
	if s.rejections != nil {
		strict(s.Service, s.rejections).ServeHTTP(w, r)
		return
	}
	s.Service.ServeHTTP(w, r)
}

// faults reads the flags of eventbatch sandbox --fault.
func faults(t testing.TB, texts ...string) []sandbox.Fault {
	t.Helper()
	list := make([]sandbox.Fault, len(texts))
	for i, text := range texts {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = fault
	}
	return list
}

// profile is an eventbatch.yaml that reaches the service. The keys are in the
// environment of the commands, see [home.env].
func (s *served) profile() string {
	return profileOf(s.url, s.limits)
}

func profileOf(url string, limits sandbox.Limits) string {
	return fmt.Sprintf(`profiles:
  test:
    base_url: %s
    site_url: https://events.example
    limits: {calendar: %d, organization: %d, window: %s, lag: 700ms}
    keys:
      - {kind: calendar, calendar: %s, from: "env:CALENDAR_KEY"}
      - {kind: organization, organization: %s, from: "env:ORGANIZATION_KEY"}
`, url, limits.Calendar, max(limits.Organization, limits.Calendar), limits.Window, sandbox.CalendarID, sandbox.OrganizationID)
}

// throttledNever fails the test if the service answered any request with 429,
// or ever held more requests in a window than the owner's limit.
func (s *served) throttledNever(t *testing.T, limits map[string]int) {
	t.Helper()
	stats := s.Stats()
	s.figures[trial.Refused] = stats.Throttled
	if stats.Throttled > 0 {
		t.Errorf("%d requests were answered with 429", stats.Throttled)
	}
	for owner, limit := range limits {
		if most := stats.Owners[owner].MaxInWindow; most > limit || most == 0 {
			t.Errorf("%s: %d requests in one window, limit %d", owner, most, limit)
		}
	}
}

// once fails the test unless every name stands for as many events, and was
// created as often, as wanted.
func (s *served) once(t *testing.T, want map[string]int) {
	t.Helper()
	stats := s.Stats()
	live := map[string]int{}
	for _, e := range s.Events() {
		live[e.Name]++
	}
	for _, figure := range []trial.Figure{trial.Rows, trial.Twice, trial.Lost} {
		s.figures[figure] = 0 // the test may have looked before
	}
	wrong := 0
	for name, n := range want {
		s.fate(n, live[name])
		s.figures[trial.Twice] += max(0, stats.Names[name]-max(n, live[name])) // one of them is gone again
		if live[name] != n || stats.Names[name] != n {
			if wrong++; wrong <= 10 {
				t.Errorf("%q: %d events, created %d times, want %d", name, live[name], stats.Names[name], n)
			}
		}
	}
	for name := range live {
		if want[name] == 0 {
			s.fate(0, live[name])
			if wrong++; wrong <= 10 {
				t.Errorf("an event that nobody asked for: %q", name)
			}
		}
	}
	if wrong > 10 {
		t.Errorf("and %d more", wrong-10)
	}
}
