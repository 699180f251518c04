package service

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// Where a person is there, a long wait is said at once, and borne.
func TestLongWaitIsSaidAndBorne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, err := sandbox.New(sandbox.Config{
			Keys:   []sandbox.Key{{Kind: sandbox.CalendarKey, Calendar: "cal-a", Secret: "key-a"}},
			Limits: sandbox.Limits{Block: 2 * time.Hour},
			Faults: []sandbox.Fault{{Kind: sandbox.Throttle, Rate: 1, Times: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		p := profile.Default()
		p.BaseURL = "http://localhost/api"
		p.Keys = []profile.Key{{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY"}}}
		start := time.Now()
		var said string
		var after time.Duration
		service, err := Open(Config{
			Connection: profile.New(p, "", profile.Env{Lookup: func(string) (string, bool) { return "key-a", true }}),
			Transport:  backend.Transport(), Concurrency: 1,
			Notice: func(words string, waits bool) {
				said, after = words, time.Since(start)
				if !waits {
					t.Errorf("%q is no wait", words)
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		l, err := service.Line(t.Context(), "cal-a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.calendar(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 2*time.Hour || took > 2*time.Hour+time.Minute {
			t.Errorf("the answer came after %v", took)
		}
		until := start.Add(2*time.Hour + time.Minute).Local().Format("Mon 15:04")
		want := "the service asks to wait until " + until + ": it has throttled calendar cal-a; Ctrl-C stops"
		if !strings.HasPrefix(said, want) || after != 0 {
			t.Errorf("after %v it says %q, want %q", after, said, want)
		}
	})
}

// How long a request may be under way has nothing to do with how the service counts requests.
func TestLagIsThatOfARequestWhateverTheWindowIs(t *testing.T) {
	open := func(base string, limits profile.Limits) (*Service, error) {
		p := profile.Default()
		p.BaseURL, p.Limits = base, limits
		p.Keys = []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY"}}}
		return Open(Config{Connection: profile.New(p, "", profile.Env{})})
	}
	limits := profile.Default().Limits
	limits.Window = time.Second
	service, err := open("https://api.example.com", limits)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := service.Lag(), (api.Lag{Flight: 30 * time.Second, Settle: 5 * time.Second}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	limits.Lag = 10 * time.Second
	if _, err := open("https://api.example.com", limits); !errors.Is(err, failure.Config) {
		t.Errorf("a lag that is shorter than a request: %v", err)
	}
	if _, err := open("http://127.0.0.1:8080", limits); err != nil {
		t.Errorf("a sandbox of this machine: %v", err)
	}
}
