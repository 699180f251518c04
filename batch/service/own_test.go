package service

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
)

// A process asks which calendar its key is for under the count of that calendar, also where it begins while the window is
// full, or beside others, or after one that has not heard the answer.
func TestWhichCalendarAKeyIsForIsAskedWithinItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, err := sandbox.New(sandbox.Config{
			Keys:    []sandbox.Key{{Kind: sandbox.CalendarKey, Calendar: "cal-a", Secret: "key-a"}},
			Limits:  sandbox.Limits{Calendar: 5, Organization: 40, Window: time.Minute, Strict: true},
			Latency: 50 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		ledgers := t.TempDir()
		begin := func(through http.RoundTripper) sender {
			return newSenderBy(t, backend, func(c *Config) {
				conf := profile.Default()
				conf.BaseURL, conf.Limits.Calendar = "http://localhost/api", 5
				conf.Keys = []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY"}}}
				c.Connection = profile.New(conf, "", profile.Env{Lookup: func(string) (string, bool) { return "key-a", true }})
				c.Ledgers, c.Transport = ledgers, through
			})
		}
		ctx, dies := context.WithCancel(t.Context())
		deaf := begin(transport(func(req *http.Request) (*http.Response, error) {
			res, err := backend.Transport().RoundTrip(req)
			dies()
			return res, err
		}))
		id, err := deaf.Resolve(ctx, "")
		if used := deaf.usageOf(deaf.line(t).owners[0]); err == nil && used.Left == used.Limit {
			t.Fatalf("%s was told, and nothing is counted", id)
		}
		var at sync.WaitGroup
		for range 4 {
			at.Go(func() {
				s := begin(backend.Transport())
				if id, err := s.Resolve(t.Context(), ""); id != "cal-a" || err != nil {
					t.Errorf("the key is for %q, %v", id, err)
				}
				s.reads(t, 5)
				neverThrottled(t, s)
			})
		}
		at.Wait()
	})
}

// transport is a function that carries requests.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }
