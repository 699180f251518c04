package mapping_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
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
			f, err := mapfile.Load(s.preset)
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
			c.Mapping = mapfile.Auto()
			auto := read(t, c)
			if auto.Sources[0].Preset != s.preset {
				t.Errorf("auto takes %q", auto.Sources[0].Preset)
			}
			if diff := cmp.Diff(o.Rows, auto.Rows); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, p := range mapfile.Presets() {
		if !used[p.Name] {
			t.Errorf("preset %s has no sample", p.Name)
		}
	}
}

func TestPresetsPassTheirTests(t *testing.T) {
	for _, p := range mapfile.Presets() {
		results, err := mapping.RunTests(t.Context(), p.File, now)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		for _, r := range results {
			for _, failure := range r.Failures {
				t.Errorf("%s, line %d: %s", p.Name, r.Test.Line, failure)
			}
		}
	}
}

func TestAutoWithoutAPreset(t *testing.T) {
	o := read(t, mapping.Config{
		Files:   []string{file(t, "in.csv", "name,start_at,timezone\nTea,2027-05-01 10:00,Europe/Berlin\n")},
		Mapping: mapfile.Auto(),
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
	f, err := mapfile.Load("outlook")
	if err != nil {
		t.Fatal(err)
	}
	o := read(t, mapping.Config{Files: []string{"../samples/outlook-es.csv"}, Mapping: f, HeaderRow: 1})
	if !strings.Contains(strings.Join(o.Problems, "\n"), "say --mapping outlook-es") {
		t.Error(o.Error, o.Problems)
	}
}
