package source

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/mapping/failure"
)

// keptTexts is a store of which only what was kept is asked.
type keptTexts struct {
	journal.Store

	kept map[string]string
	err  error
}

func (s *keptTexts) Kept(kind, name string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	text, there := s.kept[kind+"/"+name]
	if !there {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (s *keptTexts) Keep(kind, name string, text []byte) error {
	s.kept[kind+"/"+name] = string(text)
	return nil
}

func members() *Binding {
	return &Binding{
		Source: "members", BaseURL: "https://api.example.com", Calendars: []string{"cal-1"}, Resource: "events", Key: "External ID",
	}
}

func TestASourceIsBoundToTheTargetOfItsFirstPlan(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Binding)
		anew   bool
		want   string // in the error; empty for none
	}{
		{name: "the same", change: func(*Binding) {}},
		{name: "another address", change: func(b *Binding) { b.BaseURL = "https://b.example.com" }, want: "not https://b.example.com"},
		{name: "another calendar", change: func(b *Binding) { b.Calendars = []string{"cal-2"} }, want: "calendar cal-1, not cal-2"},
		{name: "a calendar more", change: func(b *Binding) { b.Calendars = []string{"cal-2", "cal-1"} }},
		{name: "no row with a calendar", change: func(b *Binding) { b.Calendars = nil }},
		{name: "another resource", change: func(b *Binding) { b.Resource = "guests" }, want: "events, not guests"},
		{name: "no row at all", change: func(b *Binding) { b.Resource, b.Key = "", "" }},
		{name: "another key column", change: func(b *Binding) { b.Key = "No." }, want: `the key column "External ID", not "No."`},
		{name: "another calendar, and said to be", change: func(b *Binding) { b.Calendars = []string{"cal-2"} }, anew: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := &keptTexts{kept: map[string]string{}}
			if err := members().Save(store); err != nil {
				t.Fatal(err)
			}
			now := members()
			tt.change(now)
			_, err := bind(store, now, tt.anew)
			switch {
			case tt.want == "" && err != nil:
				t.Fatal(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, failure.Config)):
				t.Errorf("the error is %v, want one of the configuration with %q", err, tt.want)
			}
		})
	}
}

func TestTheCalendarsOfASourceAreAllThatItEverHad(t *testing.T) {
	store := &keptTexts{kept: map[string]string{}}
	if err := members().Save(store); err != nil {
		t.Fatal(err)
	}
	now := members()
	now.Calendars = []string{"cal-3", "cal-1"}
	bound, err := bind(store, now, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cal-1", "cal-3"}, bound.Calendars); diff != "" {
		t.Error(diff)
	}
}

func TestADamagedBindingIsNotTakenForNone(t *testing.T) {
	damaged := &keptTexts{kept: map[string]string{Kind + "/members": "{"}}
	away := &keptTexts{err: fs.ErrPermission}
	for _, store := range []*keptTexts{damaged, away} {
		if _, err := bind(store, members(), false); !errors.Is(err, failure.Disk) {
			t.Errorf("the error is %v, want one of the disk", err)
		}
	}
	if _, err := bind(damaged, members(), true); err != nil {
		t.Errorf("--rebind does not help: %v", err)
	}
}

func TestEventsUnderTwoKeysHaveNameStartAndPlaceInCommon(t *testing.T) {
	said := func(field, place string) map[string]json.RawMessage {
		return map[string]json.RawMessage{field: json.RawMessage(place)}
	}
	old := likenessOf("Spring Gala", 1_000, said("geo_address_json", `{"type":"manual","address":"Main Hall"}`))
	for _, tt := range []struct {
		name  string
		other likeness
		want  []string
	}{
		{
			"all", likenessOf(" spring gala ", 1_000, said("geo_address_json", `{"type":"manual","address":"Main Hall"}`)),
			[]string{"name", "start", "place"},
		},
		{
			"another name", likenessOf("Autumn Gala", 1_000, said("geo_address_json", `{"type":"manual","address":"Main Hall"}`)),
			[]string{"start", "place"},
		},
		{"another place", likenessOf("Spring Gala", 1_000, said("meeting_url", `"https://meet.example.com/1"`)), []string{"name", "start"}},
		{"what neither says", likenessOf("", 0, said("geo_address_json", `null`)), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, old.common(tt.other)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if none := likenessOf("", 0, nil); len(none.common(none)) > 0 {
		t.Error("two events of which nothing is known have something in common")
	}
}

// Two events have a pair in common where they have two of name, start and place in common, and only there.
func TestPairsAreWhatLikelyTwinsHaveInCommon(t *testing.T) {
	var all []likeness
	for i := range 27 {
		all = append(all, likeness{name: uint64(i % 3), place: uint64(i / 3 % 3), start: int64(i / 9)})
	}
	for _, a := range all {
		for _, b := range all {
			pairs := b.pairs()
			alike := slices.ContainsFunc(a.pairs(), func(p likeness) bool { return slices.Contains(pairs, p) })
			if want := len(a.common(b)) >= 2; alike != want {
				t.Errorf("%v and %v: a pair in common %t, want %t", a, b, alike, want)
			}
		}
	}
}
