package batch

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
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
		service, err := OpenService(ServiceConfig{
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
