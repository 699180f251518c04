package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"eventbatch/batch/feed"
	"eventbatch/batch/notify"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Sync is an import that nobody watches, as the configuration describes it: what is empty
// or zero was not said. Its name is that of its source too.
type Sync struct {
	Name     string
	Place    string // what says so: file:line
	Profile  string // empty: the one that holds without a word
	Feed     feed.Source
	Reading  SyncReading
	Merge    SyncMerge
	Guards   SyncGuards
	Allow    []schema.Effect
	Duration time.Duration // that it may take
	Every    time.Duration // how often workers go through it; zero: they do not
	Keep     SyncKeep
	Notify   notify.Settings
	Mail     notify.Mail
	// Secrets are what its references are resolved against, and where its command runs.
	Secrets secret.Sources

	doubt error // why somebody else may have written Place
}

// SyncReading says how the rows are read.
type SyncReading struct {
	Format      string // empty: found
	Encoding    string // of a text file; empty: found
	Mapping     string // a path, the name of a preset, or auto; empty: the headers say it
	Resource    string // empty: the mapping's
	Timezone    string // of rows that name none
	Calendar    string // of rows that name none; empty: the profile's only one
	Set         []SyncValue
	SkipInvalid bool
}

// SyncValue is a value of a field for every row.
type SyncValue struct{ Field, Value string }

// SyncMerge says what rows are compared with, and what becomes of those that differ or are gone.
type SyncMerge struct {
	Compare    string   // sent, live or none
	Missing    string   // report, keep or cancel
	First      string   // mine, theirs or fail
	OnConflict string   // fail, mine or theirs
	Owns       []string // fields of which the feed is the truth, by their paths
}

// SyncGuards bound what one night may do, in the words of the flags of these names.
type SyncGuards struct{ MaxCreate, MaxUpdate, MaxCancel, MinRows, MaxMail string }

// SyncKeep says for how long what a night leaves behind is kept; zero keeps it.
type SyncKeep struct{ Runs, Bodies time.Duration }

// Ready tells what is missing before the sync can run. A command that somebody else may have
// put into ./eventbatch.yaml is not there to be run.
func (s *Sync) Ready() error {
	if s.doubt == nil || !s.commands() {
		return nil
	}
	return failure.New(failure.Config, fmt.Errorf("%s: the command of sync %s is not run: %w", s.Place, s.Name, s.doubt), mistrusted)
}

// Lacks returns an error that says what this machine lacks for the sync: a key, another secret, or leave to run a command.
// Where the runs of the machine lie in a store, those of the sync have to lie there too. What a command prints is asked for
// by the night.
func (s *Sync) Lacks(ctx context.Context, flags Flags, env Env, store secret.Secret) error {
	if err := s.Ready(); err != nil {
		return err
	}
	flags.Profile = cmp.Or(s.Profile, flags.Profile)
	if !store.IsZero() {
		its, err := Store(ctx, flags, env)
		if err != nil {
			return err
		}
		if !its.Equal(store) {
			return failure.New(failure.Config, errors.New("its runs lie elsewhere than in the store of this worker"), "")
		}
	}
	conn, err := Load(flags, env)
	if err == nil {
		err = conn.Ready()
	}
	if err == nil {
		err = conn.Held(ctx)
	}
	if err != nil {
		return err
	}
	for _, ref := range s.References() {
		if ref.IsZero() || ref.Scheme == "cmd" {
			continue
		}
		if _, err := s.Secrets.ReadPhrase(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// SyncNamed returns the sync of a name; nil where there is none.
func SyncNamed(syncs []Sync, name string) *Sync {
	if i := slices.IndexFunc(syncs, func(s Sync) bool { return s.Name == name }); i >= 0 {
		return &syncs[i]
	}
	return nil
}

// References are where what the sync keeps secret is to be had: the address and the headers of
// its feed, and whom it tells.
func (s *Sync) References() []secret.Ref {
	refs := []secret.Ref{s.Feed.From, s.Notify.Heartbeat}
	for _, h := range s.Feed.Headers {
		refs = append(refs, h.From)
	}
	mailed := false
	for _, to := range s.Notify.To {
		refs = append(refs, to.Webhook)
		mailed = mailed || to.Mail != ""
	}
	if mailed {
		refs = append(refs, s.Mail.User, s.Mail.Password)
	}
	return refs
}

// commands reports whether the sync runs a command, for its rows or for a secret.
func (s *Sync) commands() bool {
	return s.Feed.Command != "" ||
		slices.ContainsFunc(s.References(), func(ref secret.Ref) bool { return ref.Scheme == "cmd" })
}
