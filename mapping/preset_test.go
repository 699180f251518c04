package mapping_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// sample returns the path of a sample, which is a CSV where its name has no ending.
func sample(name string) string {
	if path.Ext(name) == "" {
		name += ".csv"
	}
	return "../samples/" + name
}

// samplesOf are the samples of each preset, with what their files leave open.
var samplesOf = []struct {
	file, preset, zone, order string
	join                      []mapping.JoinFile
	set                       []mapping.Assignment
}{
	{file: "google-calendar", preset: "google-calendar", zone: "America/New_York"},
	{file: "outlook", preset: "outlook", zone: "America/New_York"},
	{file: "outlook-de", preset: "outlook-de", zone: "Europe/Berlin"},
	{file: "outlook-fr", preset: "outlook-fr", zone: "Europe/Paris"},
	{file: "outlook-es", preset: "outlook-es", zone: "Europe/Madrid"},
	{file: "the-events-calendar", preset: "the-events-calendar", join: []mapping.JoinFile{{Name: "venues", File: "../samples/venues.csv"}}},
	{
		file: "the-events-calendar-older", preset: "the-events-calendar",
		join: []mapping.JoinFile{{Name: "venues", File: "../samples/venues.csv"}},
	},
	{file: "eventbrite-orders", preset: "eventbrite-orders"},
	{file: "eventbrite-orders", preset: "eventbrite-tickets"},
	{file: "eventbrite-orders", preset: "eventbrite-attendees"},
	{file: "guest-export", preset: "guest-export", set: []mapping.Assignment{{Field: "event", Value: "SPR-001"}}},
	{file: "eventbrite-report", preset: "eventbrite-report", set: []mapping.Assignment{{Field: "event", Value: "SPR-001"}}},
	{file: "eventbrite-report-of-events", preset: "eventbrite-report"},
	{file: "hi-events", preset: "hi-events"},
	{file: "hi-events-coupons", preset: "hi-events-coupons", set: []mapping.Assignment{{Field: "currency", Value: "eur"}}},
	{file: "pretix-events", preset: "pretix-events"},
	{file: "pretix", preset: "pretix-types", join: []mapping.JoinFile{{Name: "events", File: "../samples/pretix-events.csv"}}},
	{file: "pretix", preset: "pretix"},
	{file: "ticket-tailor", preset: "ticket-tailor-events", zone: "Europe/London"},
	{file: "ticket-tailor", preset: "ticket-tailor-types", set: []mapping.Assignment{{Field: "currency", Value: "gbp"}}},
	{file: "humanitix", preset: "humanitix-events", zone: "Australia/Brisbane"},
	{file: "humanitix", preset: "humanitix-types", set: []mapping.Assignment{{Field: "currency", Value: "aud"}}},
	{file: "pretalx", preset: "pretalx", zone: "Europe/Berlin"},
	{file: "pretalx.json", preset: "pretalx", zone: "Europe/Berlin"},
	{file: "pretalx-schedule.json", preset: "pretalx-schedule"},
	{file: "pretalx-schedule.xml", preset: "pretalx-schedule"},
	{file: "meetup-with-addresses", preset: "meetup", set: []mapping.Assignment{{Field: "event", Value: "SPR-001"}}},
	{file: "ticket-tailor", preset: "ticket-tailor", set: []mapping.Assignment{{Field: "event", Value: "SPR-001"}}},
	{file: "humanitix", preset: "humanitix", set: []mapping.Assignment{{Field: "event", Value: "SPR-001"}}},
	{file: "sched", preset: "sched", zone: "Europe/London"},
	{file: "localist", preset: "localist", zone: "America/New_York"},
	{file: "events-manager", preset: "events-manager", zone: "Europe/London"},
	{file: "eventon", preset: "eventon", zone: "America/Los_Angeles"},
	{file: "notion", preset: "notion", zone: "Europe/Copenhagen"},
}

// TestPresets reads the sample of each preset and compares its drafts with those of
// testdata/presets. The preset that auto takes gives the same.
func TestPresets(t *testing.T) {
	used, readers := map[string]bool{}, map[string]int{}
	for _, s := range samplesOf {
		readers[s.file]++
	}
	for _, s := range samplesOf {
		t.Run(path.Base(s.preset), func(t *testing.T) {
			used[s.preset] = true
			f, err := mapfile.Load(s.preset)
			if err != nil {
				t.Fatal(err)
			}
			c := mapping.Config{
				Files: []string{sample(s.file)}, Mapping: f, Timezone: s.zone, DateOrder: s.order, Join: s.join,
				KeepCells: s.file == "localist", Set: s.set,
			}
			o := read(t, c)
			golden := s.file
			if !strings.HasSuffix(s.preset, ".yaml") && readers[s.file] > 1 {
				golden = s.preset
			}
			compareWithGolden(t, o, golden)
			if strings.HasSuffix(s.preset, ".yaml") || len(f.Source.Headers) == 0 {
				return
			}
			if f.Resource != "" {
				c.Resource, _ = catalog.ResourceNamed(f.Resource)
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

// A calendar file needs no preset: its rows are written for the fields.
func TestDraftsOfACalendarFile(t *testing.T) {
	compareWithGolden(t, read(t, mapping.Config{Files: []string{"../samples/community.ics"}}), "community-ics")
}

func compareWithGolden(t *testing.T, o outcome, name string) {
	t.Helper()
	o.Sources[0].Header = nil // the sample has it
	got, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	golden := filepath.Join("testdata/presets", name+".json")
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

// The columns of an iCalendar file are those of the reader: there is no preset to miss.
func TestAutoHasNothingToSayOfACalendarFile(t *testing.T) {
	o := read(t, mapping.Config{Files: []string{"../samples/community.ics"}, Mapping: mapfile.Auto()})
	if len(o.Rows) == 0 || slices.ContainsFunc(
		o.Problems, func(p string) bool { return strings.Contains(p, string(schema.CodeNoPreset)) },
	) {
		t.Error(o.Error, len(o.Rows), o.Problems)
	}
}

// Each file has its own preset, and a second table is that of the one which reads it.
func TestAutoReadsFilesOfSeveralPrograms(t *testing.T) {
	c := mapping.Config{
		Files:   []string{"../samples/google-calendar.csv", "../samples/the-events-calendar.csv"},
		Mapping: mapfile.Auto(), Timezone: "America/New_York", Join: []mapping.JoinFile{{Name: "venues", File: "../samples/venues.csv"}},
	}
	o := read(t, c)
	if o.Error != "" || o.Sources[0].Preset != "google-calendar" || o.Sources[1].Preset != "the-events-calendar" {
		t.Fatal(o.Error, o.Sources)
	}
	for _, row := range o.Rows {
		for _, p := range row.(line).Problems {
			if strings.HasPrefix(p, "error") {
				t.Error(p)
			}
		}
	}
	c.Join[0].Name = "venus"
	_, err := mapping.Read(t.Context(), c)
	if e, ok := errors.AsType[*failure.Error](err); !ok || e.Error() != `--join: the mapping reads no table "venus"` ||
		e.Hint() != "it reads events, venues" {
		t.Error(err)
	}
}

// Letter case makes no difference to any preset, nor does the order of the columns.
func TestPresetsReadShuffledCapitals(t *testing.T) {
	for _, s := range samplesOf {
		if strings.HasSuffix(s.preset, ".yaml") || strings.HasPrefix(s.file, "outlook-") || path.Ext(s.file) != "" { // which has semicolons
			continue
		}
		data, err := os.ReadFile(sample(s.file))
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range records {
			slices.Reverse(record)
			for j := range record {
				if i == 0 {
					record[j] = strings.ToUpper(record[j])
				}
			}
		}
		var turned bytes.Buffer
		if err := csv.NewWriter(&turned).WriteAll(records); err != nil {
			t.Fatal(err)
		}
		c := mapping.Config{
			Files: []string{sample(s.file)}, Mapping: mapfile.Auto(), Timezone: s.zone, DateOrder: s.order,
			Join: s.join,
		}
		want := brief(read(t, c))
		c.Files = []string{file(t, "turned.csv", turned.String())}
		if diff := cmp.Diff(want, brief(read(t, c))); diff != "" {
			t.Errorf("%s: %s", s.file, diff)
		}
	}
}

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
