package service

import (
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Two machines send for the same key, one after the other. Each has a key of the organization,
// which reaches its calendars.
func TestAServiceGoesOnWithTheQuotaThatAnotherOneLeft(t *testing.T) {
	const window = time.Minute
	for _, tt := range []struct {
		name  string
		left  func(account []byte) journal.Left // 10 s after the first has sent
		sends int                               // that leave at once
		waits time.Duration                     // of one more
	}{
		{
			"released", func(account []byte) journal.Left {
				return journal.Left{Known: true, Released: true, Ago: 10 * time.Second, Slots: account}
			},
			10, window - 10*time.Second,
		},
		{
			"nothing known of what was sent", func([]byte) journal.Left {
				return journal.Left{Known: true, Released: true, Ago: 10 * time.Second}
			},
			0, window - 10*time.Second + window/2,
		},
		{"died", func([]byte) journal.Left { return journal.Left{Known: true} }, 0, window + window/2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				backend, err := sandbox.New(sandbox.Config{
					Keys:      []sandbox.Key{{Kind: sandbox.OrganizationKey, Organization: "org-a", Secret: "key-a"}},
					Calendars: []sandbox.Calendar{{ID: "cal-a", Organization: "org-a"}},
					Limits:    sandbox.Limits{Calendar: 30, Organization: 40, Window: window},
				})
				if err != nil {
					t.Fatal(err)
				}
				first, second := newSender(t, backend), newSender(t, backend)
				owner := nameOf(first.line(t).owners)
				first.reads(t, 20)
				account := first.Account(owner)
				time.Sleep(10 * time.Second)
				if err := second.Restore(owner, tt.left(account)); err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				second.reads(t, tt.sends)
				if took := time.Since(begun); took != 0 {
					t.Errorf("what was left of the window was sent after %v", took)
				}
				second.reads(t, 1)
				if took := time.Since(begun); took < tt.waits || took > tt.waits+window/10 {
					t.Errorf("what was not left was sent after %v, want %v", took, tt.waits)
				}
				for _, s := range []sender{first, second} {
					if n := s.Requests().Throttled; n > 0 {
						t.Errorf("%d answers are 429", n)
					}
				}
			})
		})
	}
}

// The pace of an operation is handed over with the quota.
func TestThePaceOfAnOperationIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, err := sandbox.New(sandbox.Config{
			Keys:      []sandbox.Key{{Kind: sandbox.OrganizationKey, Organization: "org-a", Secret: "key-a"}},
			Calendars: []sandbox.Calendar{{ID: "cal-a", Organization: "org-a"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		op := pacedOperation(t)
		first, second := newSender(t, backend), newSender(t, backend)
		owner := nameOf(first.line(t).owners)
		for range op.Pace.Most {
			first.paces(t, op)
		}
		if err := second.Restore(owner, journal.Left{Known: true, Released: true, Slots: first.Account(owner)}); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		second.line(t)
		second.paces(t, op)
		if took := time.Since(begun); took < op.Pace.Per || took > op.Pace.Per*11/10 {
			t.Errorf("one more was let go after %v, want %v", took, op.Pace.Per)
		}
	})
}

func pacedOperation(t *testing.T) *schema.Operation {
	t.Helper()
	for i := range catalog.Operations {
		if op := &catalog.Operations[i]; op.Pace.Most > 0 {
			return op
		}
	}
	t.Fatal("no operation has a pace")
	return nil
}

// sender is the service as one machine has it.
type sender struct{ *Service }

func newSender(t *testing.T, backend *sandbox.Service) sender {
	t.Helper()
	return newSenderBy(t, backend, func(*Config) {})
}

func newSenderBy(t *testing.T, backend *sandbox.Service, change func(*Config)) sender {
	t.Helper()
	p := profile.Default()
	p.BaseURL = "http://localhost/api"
	p.Limits = profile.Limits{Calendar: 30, Organization: 40, Window: time.Minute, Nest: true}
	p.Keys = []profile.Key{{Kind: secret.Organization, Organization: "org-a", From: secret.Ref{Scheme: "env", Value: "KEY"}}}
	config := Config{
		Connection: profile.New(p, "", profile.Env{Lookup: func(string) (string, bool) { return "key-a", true }}),
		Transport:  backend.Transport(), Concurrency: 1, Ledgers: t.TempDir(),
	}
	change(&config)
	service, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	return sender{service}
}

func (s sender) line(t *testing.T) *Line {
	t.Helper()
	l, err := s.Line(t.Context(), "cal-a")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s sender) reads(t *testing.T, n int) {
	t.Helper()
	l := s.line(t)
	for range n {
		if _, err := l.calendar(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (s sender) paces(t *testing.T, op *schema.Operation) {
	t.Helper()
	l, err := s.Line(t.Context(), "cal-a")
	if err != nil {
		t.Fatal(err)
	}
	lane, err := s.pace(op, "cal-a", l.owners)
	if err != nil {
		t.Fatal(err)
	}
	slot, err := lane.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slot.Done(api.Unseen)
}
