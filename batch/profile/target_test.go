package profile

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

func keyOf(kind secret.Kind, calendar, organization, variable string) Key {
	return Key{Kind: kind, Calendar: calendar, Organization: organization, From: secret.Ref{Scheme: "env", Value: variable}, Place: "test"}
}

func TestWhichKeyServesWhichCalendar(t *testing.T) {
	const cal, org, oauth = secret.Calendar, secret.Organization, secret.OAuth
	several := []Key{
		keyOf(org, "", "o", "ORG"), keyOf(oauth, "c1", "", "OAUTH1"), keyOf(cal, "c1", "", "CAL1"),
		keyOf(oauth, "c2", "", "OAUTH2"), keyOf(org, "c2", "p", "ORG2"), keyOf(org, "c3", "p", "ORG3"),
	}
	for name, c := range map[string]struct {
		keys     []Key
		calendar string // of --calendar
		ask      string
		want     string // the variable, then the calendar
		fault    string
		hint     string
	}{
		"own key first":             {several, "", "c1", "env:CAL1 c1", "", ""},
		"then the token":            {several, "", "c2", "env:OAUTH2 c2", "", ""},
		"then its organization key": {several, "", "c3", "env:ORG3 c3", "", ""},
		"then the organization":     {several, "", "c4", "env:ORG c4", "", ""},
		"the organization itself":   {several, "", "p", "env:ORG2 ", "", ""},
		"several calendars":         {several, "", "", "", "which calendar", "known are c1, c2, c3"},
		"flag for rows without":     {several, "c4", "", "env:ORG c4", "", ""},
		"row before flag":           {several, "c4", "c1", "env:CAL1 c1", "", ""},
		"the only calendar":         {[]Key{keyOf(cal, "c1", "", "A"), keyOf(oauth, "c1", "", "B")}, "", "", "env:A c1", "", ""},
		"two calendars":             {[]Key{keyOf(cal, "c1", "", "A"), keyOf(cal, "c2", "", "B")}, "", "", "", "which calendar", "c1, c2"},
		"no such calendar": {
			[]Key{keyOf(cal, "c1", "", "A"), keyOf(cal, "c2", "", "B")}, "", "c3", "", `no key serves calendar "c3"`, "c1, c2",
		},
		"flag of no key":             {[]Key{keyOf(cal, "c1", "", "A")}, "c9", "", "", `no key serves calendar "c9"`, "c1"},
		"key that implies it":        {[]Key{keyOf(cal, "", "", "A")}, "", "", "env:A ", "", ""},
		"implied, but rows name one": {[]Key{keyOf(cal, "", "", "A")}, "", "c1", "", "test", "--calendar c1"},
		"organization without":       {[]Key{keyOf(org, "", "", "A")}, "", "", "", "which calendar", "--calendar"},
		"organization with":          {[]Key{keyOf(org, "", "", "A")}, "", "c1", "env:A c1", "", ""},
		"two organizations": {
			[]Key{keyOf(org, "", "o", "A"), keyOf(org, "", "p", "B")}, "", "c1", "", "2 organization keys", "name the calendar",
		},
		"no key":                {nil, "", "", "", "no key", "--key-file"},
		"no key for a calendar": {nil, "", "c1", "", "no key serves", "no calendar"},
	} {
		got, err := newTargets(c.keys, c.calendar, Env{}).For(c.ask)
		if c.fault != "" {
			e, ok := errors.AsType[*failure.Error](err)
			if !ok || !strings.Contains(err.Error(), c.fault) || !strings.Contains(e.Hint(), c.hint) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if found := got.key.From.String() + " " + got.Calendar; found != c.want {
			t.Errorf("%s: %s; want %s", name, found, c.want)
		}
	}
}

func TestOneBadKeyFailsItsLaneOnly(t *testing.T) {
	env := Env{Lookup: func(name string) (string, bool) { return canary, name == "GOOD" }}
	targets := newTargets([]Key{
		keyOf(secret.Calendar, "c1", "", "BAD"), keyOf(secret.Calendar, "c2", "", "GOOD"), keyOf(secret.Organization, "", "o", "GOOD"),
	}, "c2", env)
	prints, failed := targets.Fingerprints(t.Context(), []string{"c1", "", "c3"})
	good, err := secret.New(canary)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"c2": good.Fingerprint(), "c3": good.Fingerprint()}
	if diff := cmp.Diff(want, prints); diff != "" {
		t.Error(diff)
	}
	if names := slices.Collect(maps.Keys(failed)); !slices.Equal(names, []string{"c1"}) {
		t.Errorf("failed: %v", failed)
	}
	if !errors.Is(failed["c1"], failure.NoKey) {
		t.Errorf("c1: %v", failed["c1"])
	}
	target, err := targets.For("c3")
	if err != nil {
		t.Fatal(err)
	}
	got, err := target.Credential(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(secret.Credential{Kind: secret.Organization, Calendar: "c3", Secret: good}, got); diff != "" {
		t.Error(diff)
	}
	if all := targets.All(); len(all) != 3 || all[2].Calendar != "" || all[2].Organization != "o" {
		t.Errorf("all: %+v", all)
	}
}

func TestKeyIsReadOnceForAllItsCalendars(t *testing.T) {
	reads := 0
	env := Env{Lookup: func(string) (string, bool) { reads++; return canary, reads < 3 }}
	targets := newTargets(
		[]Key{keyOf(secret.Organization, "", "o", "A"), keyOf(secret.Calendar, "bad", "", "B"), keyOf(secret.Calendar, "worse", "", "C")},
		"", env,
	)
	var all sync.WaitGroup
	for _, calendar := range []string{"c1", "c2", "c3", "c4"} {
		all.Go(func() {
			target, err := targets.For(calendar)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := target.Credential(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if reads != 1 {
		t.Errorf("read %d times", reads)
	}
	reads = 9 // nothing can be read any more
	for range 2 {
		if prints, failed := targets.Fingerprints(t.Context(), []string{"bad", "c1"}); len(prints) != 1 || len(failed) != 1 {
			t.Errorf("%v, %v", prints, failed)
		}
	}
	if reads != 10 {
		t.Errorf("a failure was tried again: %d", reads)
	}
}

func TestGivingUpIsNotRemembered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k")
	if err := os.WriteFile(file, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	ref := secret.Ref{Scheme: "cmd", Value: "cat '" + file + "'"}
	targets := newTargets([]Key{{Kind: secret.Calendar, Calendar: "c1", From: ref}}, "", Env{})
	target, err := targets.For("")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target.Credential(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := target.Credential(t.Context()); err != nil {
		t.Error(err)
	}
}

// What lies beside a configuration file is found from there, what a flag names
// from the working directory.
func TestRelativePathsOfKeys(t *testing.T) {
	files := map[string]string{
		"home/.config/eventbatch/config.yaml": `profiles: {a: {keys: [{kind: calendar, calendar: c1, from: "file:keys/c1"}]}}`,
		"home/.config/eventbatch/keys/c1":     canary + "-home\n",
		"keys/c1":                             canary + "-work\n",
	}
	for flags, want := range map[Flags]string{{}: "-home", {KeyFile: "keys/c1"}: "-work"} {
		conn, err := Load(flags, world(t, files, nil))
		if err != nil {
			t.Fatal(err)
		}
		target, err := conn.Targets.For("")
		if err != nil {
			t.Fatal(err)
		}
		got, err := target.Credential(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if wanted, err := secret.New(canary + want); err != nil || !wanted.Equal(got.Secret) {
			t.Errorf("%+v: another key", flags)
		}
	}
}
