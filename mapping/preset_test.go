package mapping_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// samplesOf are the samples of each preset, with what their files leave open.
var samplesOf = []struct {
	file, preset, zone, order string
	join                      []mapping.JoinFile
}{
	{file: "google-calendar", preset: "google-calendar", zone: "America/New_York"},
	{file: "outlook", preset: "outlook", zone: "America/New_York"},
	{file: "outlook-es", preset: "outlook-es", zone: "Europe/Madrid"},
	{file: "the-events-calendar", preset: "the-events-calendar", join: []mapping.JoinFile{{Name: "venues", File: "../samples/venues.csv"}}},
	{file: "the-events-calendar-older", preset: "the-events-calendar", join: []mapping.JoinFile{{Name: "venues", File: "../samples/venues.csv"}}},
	{file: "eventbrite-orders", preset: "eventbrite-orders"},
	{file: "localist", preset: "localist", zone: "America/New_York"},
	{file: "events-manager", preset: "events-manager", zone: "Europe/London"},
	{file: "eventon", preset: "eventon", zone: "America/Los_Angeles"},
	{file: "notion", preset: "../samples/notion.map.yaml"},
}

// TestPresets reads the sample of each preset and compares its drafts with those of
// testdata/presets. The preset that auto takes gives the same.
func TestPresets(t *testing.T) {
	used := map[string]bool{}
	for _, s := range samplesOf {
		t.Run(s.file, func(t *testing.T) {
			used[s.preset] = true
			f, err := mapping.LoadFile(s.preset)
			if err != nil {
				t.Fatal(err)
			}
			c := mapping.Config{
				Files: []string{"../samples/" + s.file + ".csv"}, Mapping: f, Timezone: s.zone, DateOrder: s.order, Join: s.join,
				KeepCells: s.file == "localist",
			}
			o := read(t, c)
			o.Sources[0].Header = nil // the sample has it
			got, err := json.MarshalIndent(o, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden := filepath.Join("testdata/presets", s.file+".json")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
			if strings.HasSuffix(s.preset, ".yaml") {
				return
			}
			c.Mapping = mapping.Auto()
			auto := read(t, c)
			if auto.Sources[0].Preset != s.preset {
				t.Errorf("auto takes %q", auto.Sources[0].Preset)
			}
			if diff := cmp.Diff(o.Rows, auto.Rows); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, p := range mapping.Presets() {
		if !used[p.Name] {
			t.Errorf("preset %s has no sample", p.Name)
		}
	}
}

// A preset's own tests pass, and it is read back as it is written.
func TestPresetsAreWhole(t *testing.T) {
	for _, p := range mapping.Presets() {
		results, err := p.File.RunTests(t.Context(), now)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		for _, r := range results {
			for _, failure := range r.Failures {
				t.Errorf("%s, line %d: %s", p.Name, r.Test.Line, failure)
			}
		}
		encoded, err := p.File.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := mapping.DecodeFile(encoded, p.Name)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		second, err := again.Encode()
		if err != nil || string(second) != string(encoded) {
			t.Errorf("%s is read back as another: %v", p.Name, err)
		}
		if name, ok := mapping.MatchPreset(p.File.Source.Headers); !ok || name != p.Name {
			t.Errorf("the headers of %s are taken for %q", p.Name, name)
		}
		if text, err := mapping.PresetText(p.Name); err != nil || text != p.Text {
			t.Errorf("%s has another text: %v", p.Name, err)
		}
	}
}

func TestMatchPreset(t *testing.T) {
	google := []string{"Subject", "Start Date", "Start Time", "End Date", "End Time", "All Day Event", "Description", "Location", "Private"}
	with := func(more ...string) []string { return append(google[:len(google):len(google)], more...) }
	tests := []struct {
		name   string
		header []string
		want   string
	}{
		{"google", google, "google-calendar"},
		{"google with what may be", with("Reminder On/Off", "Meeting Organizer"), "google-calendar"},
		{"other letters", []string{"\ufeffSUBJECT", "start_date", " Start  Time ", "end date", "End Time", "all day event", "Description", "Location", "Private"}, "google-calendar"},
		{"blank headers", with("", ""), "google-calendar"},
		{"results", with("_row", "_status", "_event_id"), "google-calendar"},
		{"a column more", with("Organiser"), ""},
		{"a column less", google[1:], ""},
		{"outlook's mark in google's", with("Show time as"), ""},
		{"nothing", nil, ""},
		{"our own", []string{"name", "start_at", "timezone"}, ""},
		{"spanish without accents", []string{"Asunto", "Fecha de comienzo", "Comienzo", "Fecha de finalizacion", "Finalizacion", "Todo el dia"}, "outlook-es"},
		{"decomposed accents", []string{"Asunto", "Fecha de comienzo", "Comienzo", "Fecha de finalizacio\u0301n", "Finalizacio\u0301n", "Todo el di\u0301a"}, "outlook-es"},
	}
	for _, tt := range tests {
		if name, ok := mapping.MatchPreset(tt.header); name != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %v", tt.name, name, ok)
		}
	}
}

func TestAutoWithoutAPreset(t *testing.T) {
	o := read(t, mapping.Config{
		Files:   []string{file(t, "in.csv", "name,start_at,timezone\nTea,2027-05-01 10:00,Europe/Berlin\n")},
		Mapping: mapping.Auto(),
	})
	if len(o.Rows) != 1 || o.Rows[0].(line).Fields["name"] != "Tea" || o.Sources[0].Preset != "" {
		t.Error(o)
	}
	if len(o.Problems) == 0 || !strings.Contains(o.Problems[0], string(schema.CodeNoPreset)) {
		t.Error(o.Problems)
	}
}

// A preset that is named for a file of another one is told.
func TestTheOtherPresetIsNamed(t *testing.T) {
	f, err := mapping.LoadFile("outlook")
	if err != nil {
		t.Fatal(err)
	}
	o := read(t, mapping.Config{Files: []string{"../samples/outlook-es.csv"}, Mapping: f, HeaderRow: 1})
	if !strings.Contains(strings.Join(o.Problems, "\n"), "say --mapping outlook-es") {
		t.Error(o.Error, o.Problems)
	}
}
