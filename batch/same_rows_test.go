package batch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// onlyThere are the codes of what the workspace, the profile or the service has to be
// asked for; a check says beforehand which rows hang on it, or the row itself speaks of
// an event that exists.
var onlyThere = map[schema.Code]bool{
	schema.CodeKeyMissing: true, schema.CodeKeyExists: true, schema.CodeKeyConflict: true,
	schema.CodeUnknownCalendar: true, schema.CodeNoCalendar: true, schema.CodeDuplicateEventID: true,
}

// sameRows checks a file and plans it in a fresh workspace, and compares the rows that
// the two call invalid.
func sameRows(t interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, w *world, reading mapping.Config,
) {
	t.Helper()
	checked := map[string]bool{} // by place of the row
	said := false                // that some rows can only change an event that exists
	var problems finding.Problems
	_, err := Check(w.t.Context(), CheckConfig{Reading: reading, Report: Reporting{Sink: &problems}})
	for _, p := range problems {
		if p.Severity == schema.Error {
			checked[rowOf(p.Place)] = true
		}
		said = said || p.Code == schema.CodeOnlyChanges
	}
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	w.lose()
	planned := map[string]bool{}
	codes := map[string]schema.Code{}
	options := plan.Options{Slug: "derive", Compare: "sent", SkipInvalid: true}
	_, err = Plan(w.t.Context(), PlanConfig{
		Command: "plan", Options: options, Service: w.service, Workspace: w.workspace, Reading: reading,
		Problem: func(p schema.Problem, _ Whose) {
			if p.Severity == schema.Error {
				planned[rowOf(p.Place)], codes[rowOf(p.Place)] = true, p.Code
			}
		},
	})
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	for row := range checked {
		if !planned[row] {
			t.Errorf("row %s is invalid to check only", row)
		}
	}
	for row := range planned {
		if !checked[row] && !onlyThere[codes[row]] && !(said && (codes[row] == schema.CodeMissingValue ||
			codes[row] == schema.CodeNoZone)) {
			t.Errorf("row %s is invalid to plan only: %s", row, codes[row])
		}
	}
}

func rowOf(p schema.Place) string { return fmt.Sprintf("%s:%s!%d", p.File, p.Sheet, p.Row) }

func TestCheckAndPlanRefuseTheSameRowsOfEverySample(t *testing.T) {
	w := newWorld(t)
	files, err := filepath.Glob("../samples/*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range files {
		name := filepath.Base(path)
		switch filepath.Ext(path) {
		case ".csv", ".xlsx", ".ics":
		default:
			continue
		}
		reading := mapping.Config{Files: []string{path}, Now: time.Now(), Timezone: "Europe/Paris", DateOrder: "mdy"}
		base := strings.TrimSuffix(name, filepath.Ext(name))
		for _, source := range []string{"../samples/" + base + ".map.yaml", base} {
			if file, err := mapfile.Load(source); err == nil && filepath.Ext(path) == ".csv" {
				reading.Mapping = file
				break
			}
		}
		// Some need a second table or an answer besides.
		if _, err := Check(t.Context(), CheckConfig{Reading: reading}); err == nil {
			n++
			t.Run(name, func(t *testing.T) { sameRows(t, w, reading) })
		}
	}
	if n < 8 {
		t.Errorf("only %d samples can be read without an answer", n)
	}
}

func TestCheckAndPlanRefuseTheSameRows(t *testing.T) {
	w := newWorld(t)
	cells := map[string][]string{
		"key":            {"", "a", "b", "c", "d", "e"},
		"action":         {"", "", "", "CREATE", "UPDATE", "UPSERT", "CANCEL", "SKIP", "REMOVE"},
		"event_id":       {"", "", "", "evt-1", "evt-2"},
		"slug":           {"", "", "spring-tea", "x", "Spring Tea"},
		"name":           {"", "Tea", "Jazz"},
		"start_at":       {"", "2027-04-03T18:00:00Z", "2027-04-04 18:00", "yesterday", "25:00"},
		"end_at":         {"", "2027-04-03T17:00:00Z", "2027-04-05T17:00:00Z"},
		"timezone":       {"", "Etc/UTC", "Europe/Paris", "Nowhere"},
		"max_capacity":   {"", "40", "many", "<clear>"},
		"theme":          {"", "snake", "snak"},
		"suppress_email": {"", "true", "perhaps"},
		"ticket_types":   {"", `"[{""name"":""A"",""type"":""free""}]"`, `"[{}]"`},
		"cover_file":     {"", "", "", "nowhere.png"},
	}
	names := slices.Sorted(maps.Keys(cells))
	files := 0
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 3, len(names), rapid.ID).Draw(t, "columns")
		var text strings.Builder
		text.WriteString(strings.Join(columns, ",") + "\n")
		for range rapid.IntRange(1, 6).Draw(t, "rows") {
			row := make([]string, len(columns))
			for i, column := range columns {
				row[i] = rapid.SampledFrom(cells[column]).Draw(t, column)
			}
			text.WriteString(strings.Join(row, ",") + "\n")
		}
		files++
		path := filepath.Join(w.dir, fmt.Sprintf("rows-%d.csv", files))
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatalf("%v", err)
		}
		sameRows(t, w, mapping.Config{Files: []string{path}, Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
	})
}
