package service

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
)

// Twenty calendars under one key of their organization, without a pace: they share
// a bounded number of connections, and use them again.
func TestCalendarsShareTheirConnections(t *testing.T) {
	const calendars, each = 20, 40
	config := sandbox.Config{
		Keys:   []sandbox.Key{{Kind: sandbox.OrganizationKey, Organization: "org", Secret: "key"}},
		Limits: sandbox.Limits{Calendar: -1, Organization: -1},
	}
	p := profile.Default()
	p.Limits.Calendar, p.Limits.Organization = 10_000, 10_000
	p.Keys = []profile.Key{{Kind: secret.Organization, Organization: "org", From: secret.Ref{Scheme: "env", Value: "KEY"}}}
	for i := range calendars {
		config.Calendars = append(config.Calendars, sandbox.Calendar{ID: fmt.Sprint("cal-", i), Organization: "org"})
	}
	backend, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(backend)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	p.BaseURL = server.URL
	service, err := Open(Config{
		Connection:  profile.New(p, "", profile.Env{Lookup: func(string) (string, bool) { return "key", true }}),
		Ledgers:     t.TempDir(),
		Concurrency: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	var all sync.WaitGroup
	for i := range calendars {
		l, err := service.Line(t.Context(), fmt.Sprint("cal-", i))
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			all.Go(func() {
				for range each / 10 {
					if _, err := l.calendar(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if n := opened.Load(); n > connections {
		t.Errorf("%d requests opened %d connections, want %d at most", calendars*each, n, connections)
	}
}
