package batch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/send"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// What only this worker cannot send waits for another one, which may have the key.
func TestAWorkerEndsNoShareForTheOthers(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		over  bool
		waits bool
	}{
		"sent":            {nil, true, false},
		"told to end":     {work.ErrDrained, false, false},
		"taken back":      {work.ErrWithdrawn, false, false},
		"keys read anew":  {work.ErrRestarted, false, false},
		"no key":          {failure.New(failure.NoKey, errors.New("no key"), ""), false, true},
		"another key":     {&journal.StaleTargetError{Calendar: "cal-1"}, false, true},
		"refused key":     {&send.CredentialError{}, false, true},
		"somebody has it": {&journal.LockedError{}, false, false},
		"taken over":      {&journal.FencedError{}, false, false},
		"no database":     {failure.New(failure.Away, errors.New("gone"), ""), false, true},
		"damaged":         {&journal.DamagedError{}, true, false},
		"too many errors": {&send.TooManyErrorsError{}, true, false},
		"of another plan": {failure.New(failure.Stale, errors.New("stale"), ""), true, false},
	} {
		if got := outcomeOf(test.err); got.Over != test.over || (got.Why != "") != test.waits {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Workers send what lies in their database, and need no file of this machine for it.
func TestWorkersSendWhatTheyReach(t *testing.T) {
	w := newWorld(t)
	planned, none := w.mustPlan(header, tea), newPlanned()
	pictured := *planned
	pictured.Pictures = []report.Picture{{Path: "tea.png"}}
	db := new(postgres.DB) // which nobody asks
	for _, c := range []struct {
		name    string
		planned *Planned
		db      *postgres.DB
		detach  bool
		sends   bool
		refused bool
	}{
		{name: "a folder", planned: planned},
		{name: "a folder, for others to send", planned: planned, detach: true},
		{name: "for others to send", planned: planned, db: db, detach: true, sends: true},
		{name: "nothing to send", planned: none, db: db, detach: true},
		{name: "pictures", planned: &pictured, db: db},
		{name: "pictures, for others to send", planned: &pictured, db: db, detach: true, refused: true},
	} {
		sends, err := c.planned.ByWorkers(t.Context(), c.db, c.detach)
		if sends != c.sends || errors.Is(err, failure.Usage) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: %v, %v", c.name, sends, err)
		}
	}
	_, err := pictured.ByWorkers(t.Context(), db, true)
	if hint, _ := failure.HintOf(err); !strings.HasSuffix(hint, "eventbatch apply "+planned.Run.ID()) {
		t.Errorf("the hint is %q", hint)
	}
}

// Nobody knows of workers where the database does not say: nothing is sent then.
func TestWorkersAreAskedForWhereRunsLieInADatabase(t *testing.T) {
	m := newMachines(t)
	db, err := postgres.Open(t.Context(), m.address)
	if err != nil {
		t.Fatal(err)
	}
	planned := m.world.mustPlan(header, tea+"cal-a")
	if sends, err := planned.ByWorkers(t.Context(), db, false); sends || err != nil {
		t.Errorf("nobody is at work: %v, %v", sends, err)
	}
	if err := work.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	worker := work.New(work.Config{
		Database: db, Owners: 1, Log: slog.New(slog.DiscardHandler), Figures: func() work.Figures { return work.Figures{} },
		Carry: func(context.Context, postgres.Share, time.Duration) work.Turn { return work.Turn{} },
	})
	go func() { ended <- worker.Run(ctx) }()
	pgtest.Eventually(t, func() bool {
		sends, err := planned.ByWorkers(t.Context(), db, false)
		if err != nil {
			t.Fatal(err)
		}
		return sends
	})
	stop()
	if err := errors.Join(<-ended, db.Close()); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := planned.ByWorkers(t.Context(), db, false); !errors.Is(err, failure.Away) {
		t.Errorf("the database is away: %v", err)
	}
}

// A worker that reads its profile anew takes the keys, and stays as it was where the profile says more.
func TestAWorkerTakesOnlyKeysAnew(t *testing.T) {
	began := profile.Profile{BaseURL: "https://a.example", Keys: both[:1]}
	for name, c := range map[string]struct {
		change func(*profile.Profile)
		taken  bool
	}{
		"another key":    {func(p *profile.Profile) { p.Keys = both[1:] }, true},
		"no key":         {func(p *profile.Profile) { p.Keys = nil }, false},
		"no address":     {func(p *profile.Profile) { p.BaseURL = "" }, false},
		"another limit":  {func(p *profile.Profile) { p.Limits.Calendar++ }, false},
		"other issuers":  {func(p *profile.Profile) { p.CAFile = "/a.pem" }, false},
		"another store":  {func(p *profile.Profile) { p.Shared.From = secret.Ref{Scheme: "env", Value: "STORE"} }, false},
		"the same again": {func(*profile.Profile) {}, true},
	} {
		was, now := profile.New(began, "", profile.Env{}), began
		c.change(&now)
		carrier, keys := NewCarrier(nil, nil, nil, was, 1), profile.New(now, "", profile.Env{})
		err := carrier.Renew(keys)
		if taken := carrier.keys.Load() == keys; taken != c.taken || errors.Is(err, failure.Config) == c.taken {
			t.Errorf("%s: taken %v, %v", name, taken, err)
		}
	}
}
