package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// feed passes on what a check of two files found.
func feed(t *testing.T, sink finding.Sink) error {
	t.Helper()
	place := func(file, sheet string, row, line, column int, header string) schema.Place {
		return schema.Place{File: file, Sheet: sheet, Row: row, Line: line, Column: column, Header: header}
	}
	rows := []finding.Row{
		{
			File: "events.csv", Number: 2, Line: 2, Action: "upsert", Status: "valid", Event: finding.Event{Name: "Tea"},
			Cells: []string{"Tea"},
		},
		{
			File: "events.csv", Number: 3, Line: 3, Action: "invalid", Status: "invalid", Reason: "the row has errors",
			Event: finding.Event{Name: `Jazz & "<Blues>"`},
			Problems: []schema.Problem{
				{
					Code: schema.CodeBadZone, Field: "timezone", Place: place("events.csv", "", 3, 3, 2, "timezone"),
					Value: "=Paris|@all", Message: "`=Paris|@all` is no time zone", Hint: "did you mean Europe/Paris?",
					Proposal: "Europe/Paris",
				},
				{
					Severity: schema.Warning, Code: schema.CodeInThePast, Field: "start_at",
					Place: place("events.csv", "", 3, 3, 1, "start_at"), Message: "the event lies in the past",
				},
			},
		},
		{File: "events.csv", Number: 5, Line: 6, Action: "skip", Status: "valid", Reason: "the row says SKIP"},
		{
			Source: 1, File: "spring.xlsx", Sheet: "Events", Number: 19, Action: "invalid", Status: "invalid",
			Problems: []schema.Problem{{
				Code: schema.CodeBadZone, Field: "timezone", Place: place("spring.xlsx", "Events", 19, 0, 5, "Zone"),
				Value: "Pari\x01s", Message: "no\x01 zone\nhere",
			}},
		},
	}
	for i := range rows {
		sink.Row(&rows[i])
	}
	sink.Problem(schema.Problem{
		Severity: schema.Warning, Code: schema.CodeUnmatchedColumn, Place: place("spring.xlsx", "Events", 1, 0, 7, "Notes"),
		Message: `"Notes" matches no field and is not read`,
	})
	return sink.End(&finding.Summary{
		Command: "check", Version: "1.2.3", Made: time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC),
		Sources: []plan.Sheet{
			{File: "events.csv", SHA256: "ab", Rows: 3}, {File: "spring.xlsx", Sheet: "Events", SHA256: "cd", Rows: 1},
		},
		Totals: []finding.Total{{Word: "read", Rows: 4}, {Word: "valid", Rows: 2}, {Word: "invalid", Rows: 2}},
		Exit:   finding.Exit{Code: 65, Reason: "invalid", Error: "2 of 4 rows are invalid"},
	})
}

func TestEachReportIsAsItsExample(t *testing.T) {
	folder := t.TempDir()
	var annotations strings.Builder
	names := []string{"report.csv", "report.json", "report.xml", "report.md"}
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
	}
	reports, err := Begin(append(paths, GitHub), Config{Command: "check", Out: &annotations})
	if err != nil {
		t.Fatal(err)
	}
	if reports.Cells {
		t.Error("none of them needs the cells of rows")
	}
	if err := feed(t, reports); err != nil {
		t.Fatal(err)
	}
	golden(t, "github.txt", annotations.String())
	for i, name := range names {
		data, err := os.ReadFile(paths[i])
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(data))
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != len(names) {
		t.Errorf("%d files, want %d: %v", len(left), len(names), err)
	}
}

// golden compares with testdata; EVENTBATCH_GOLDEN=1 rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("EVENTBATCH_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

func TestAReportTakesNoFilesPlace(t *testing.T) {
	folder := t.TempDir()
	input, link := filepath.Join(folder, "events.csv"), filepath.Join(folder, "link.csv")
	for _, step := range []error{os.WriteFile(input, []byte("a"), 0o600), os.Symlink(input, link)} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{input}, "would take the place of"},
		{[]string{folder + "/./events.csv"}, "would take the place of"},
		{[]string{link}, "would take the place of"},
		{[]string{folder + "/a.md", folder + "/a.md"}, "two reports would go to this file"},
		{[]string{""}, "its name is empty"},
		{[]string{GitHub, GitHub}, "asked for twice"},
		{[]string{folder + "/a.pdf"}, "does not say which report"},
		{[]string{folder + "/a"}, "does not say which report"},
	} {
		_, err := Begin(test.names, Config{Inputs: []string{input}})
		if !errors.Is(err, failure.Usage) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.names, err, test.want)
		}
	}
	if _, err := Begin([]string{folder + "/A.MD", folder + "/B.md"}, Config{Inputs: []string{input}}); err != nil {
		t.Error(err)
	}
}

// One report that cannot be written holds up no other, and is named.
func TestAReportThatFailsIsTold(t *testing.T) {
	folder := t.TempDir()
	good, bad := filepath.Join(folder, "good.md"), filepath.Join(folder, "gone", "bad.md")
	reports, err := Begin([]string{bad, good}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := feed(t, reports); err == nil || !strings.Contains(err.Error(), "bad.md") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(good); err != nil {
		t.Error(err)
	}
	if w := reports.Written(); len(w) != 1 || w[0] != good {
		t.Errorf("written %v", w)
	}
}

// Before the end there is nothing, also of a long report.
func TestALongReportIsWholeOrNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	reports, err := Begin([]string{path}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 10_000
	row := finding.Row{File: "a.csv", Problems: []schema.Problem{{Code: schema.CodeBadZone, Message: strings.Repeat("x", 1000)}}}
	for range rows {
		reports.Row(&row)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the report is there before its end")
	}
	if err := reports.End(&finding.Summary{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Count(string(data), "\n") != rows+1 {
		t.Errorf("%d lines, want %d: %v", strings.Count(string(data), "\n"), rows+1, err)
	}
}
