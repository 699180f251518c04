package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
)

// resultsOf writes the results of rows.
func resultsOf(t *testing.T, sources []plan.Sheet, rows ...finding.Row) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.csv")
	sink := NewResults(path, sources, false)
	for i := range rows {
		sink.Row(&rows[i])
	}
	if err := sink.End(&finding.Summary{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestResultsKeepTheInputsOwnCells(t *testing.T) {
	got := resultsOf(
		t, []plan.Sheet{{File: "a.xlsx", Sheet: "Events", Header: []string{"Title", "_status", "Note"}}},
		finding.Row{
			Number: 2, Cells: []string{"Tea, \"green\"", "failed", "=1+1"}, Action: "create", Status: finding.Created,
			Event:  finding.Event{ID: "evt-1", URL: "https://example.com/tea-1"},
			Result: finding.Result{At: time.Date(2026, 11, 22, 10, 0, 0, 0, time.FixedZone("", 3600))},
		},
		finding.Row{
			Number: 5, Cells: []string{"two\nlines"}, Action: "invalid", Status: finding.Invalid,
			Result: finding.Result{Error: "column A: no time", Field: "start_at"},
		},
	)
	want := strings.Join([]string{
		"\ufeffTitle,Note,_row,_sheet,_action,_status,_event_id,_url,_error,_field,_at",
		`"Tea, ""green""",'=1+1,2,Events,create,created,evt-1,https://example.com/tea-1,,,2026-11-22T09:00:00Z`,
		"\"two\nlines\",,5,Events,invalid,invalid,,,column A: no time,start_at,",
		"",
	}, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Sheets of one name in several files are one; the rows of files without sheets have one of their own.
func TestResultsInAWorkbook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.xlsx")
	sink := NewResults(path, []plan.Sheet{
		{File: "a.xlsx", Sheet: "Events", Header: []string{"name", "_row"}},
		{File: "a.xlsx", Sheet: "Guests", Header: []string{"email", "name"}},
		{File: "b.xlsx", Sheet: "Events", Header: []string{"seats", "name"}},
		{File: "c.csv", Header: []string{"key"}},
	}, false)
	for i, cells := range [][]string{{"Tea", "7"}, {"ada@example.org", "Ada"}, {"=1+1", "Jazz"}, {"k"}} {
		sink.Row(&finding.Row{Source: i, Number: i + 2, Cells: cells, Action: "create", Status: finding.Created})
	}
	if err := sink.End(&finding.Summary{}); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string][]string{}
	for _, name := range f.GetSheetList() {
		rows, err := f.GetRows(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			got[name] = append(got[name], strings.Join(row, "|"))
		}
	}
	const ours = "|_row|_sheet|_action|_status|_event_id|_url|_error|_field|_at"
	want := map[string][]string{
		"Events":  {"name|seats" + ours, "Tea||2|a.xlsx:Events|create|created", "Jazz|'=1+1|4|b.xlsx:Events|create|created"},
		"Guests":  {"email|name" + ours, "ada@example.org|Ada|3|a.xlsx:Guests|create|created"},
		"Results": {"key" + ours, "k|5|c.csv|create|created"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestResultsOfSourcesWithOtherColumns(t *testing.T) {
	got := resultsOf(
		t, []plan.Sheet{
			{File: "dir/a.csv", Header: []string{"name", "x", "x"}},
			{File: "dir/b.csv", Header: []string{"x", "key", "name"}},
		},
		finding.Row{Number: 2, Cells: []string{"A", "1", "2"}, Action: "skip", Status: finding.Skipped},
		finding.Row{Source: 1, Number: 2, Cells: []string{"3", "K", "B"}, Action: "skip", Status: finding.Skipped},
	)
	want := "\ufeffname,x,x,key,_row,_sheet,_action,_status,_event_id,_url,_error,_field,_at\n" +
		"A,1,2,,2,a.csv,skip,skipped,,,,,\nB,3,,K,2,b.csv,skip,skipped,,,,,\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestResultsNameTheSheetOfEachRow(t *testing.T) {
	for _, c := range []struct {
		sources []plan.Sheet
		want    []string
	}{
		{[]plan.Sheet{{File: "a.csv"}}, []string{""}},
		{[]plan.Sheet{{File: "a.xlsx", Sheet: "May"}, {File: "a.xlsx", Sheet: "June"}}, []string{"May", "June"}},
		{
			[]plan.Sheet{{File: "a.xlsx", Sheet: "Events"}, {File: "b.xlsx", Sheet: "Events"}, {File: "a.xlsx", Sheet: "More"}},
			[]string{"a.xlsx:Events", "b.xlsx:Events", "a.xlsx:More"},
		},
		{[]plan.Sheet{{File: "in/1/a.csv"}, {File: "in/2/a.csv"}}, []string{"1/a.csv", "2/a.csv"}},
	} {
		if diff := cmp.Diff(c.want, sheetNames(c.sources)); diff != "" {
			t.Error(diff)
		}
	}
}

// The input's own cells stay as they are; what is put behind them does not act on a
// terminal.
func TestResultsAddNothingThatATerminalActsOn(t *testing.T) {
	got := resultsOf(
		t, []plan.Sheet{{File: "a.xlsx", Sheet: "\x1b[31mEvents", Header: []string{"Title"}}},
		finding.Row{
			Number: 2, Cells: []string{"Tea\u200b"}, Action: "create", Status: finding.Failed,
			Event: finding.Event{ID: "evt\x1b]0;x\a"}, Result: finding.Result{Error: "na\u202eme: bad\x00", Field: "na\u202eme"},
		},
	)
	if _, got, _ := strings.Cut(got, "\n"); got != "Tea\u200b,2,[31mEvents,create,failed,evt]0;x,,name: bad,name,\n" {
		t.Errorf("%q", got)
	}
}

func TestColumnsOfSeveralFilesStandSideBySide(t *testing.T) {
	c := merge([]plan.Sheet{{Header: []string{"a", "b", "a"}}, {Header: []string{"b", "c", "a"}}, {Header: []string{"a", "a", "a"}}})
	if diff := cmp.Diff([]string{"a", "b", "a", "c", "a"}, c.header); diff != "" {
		t.Error(diff)
	}
	got := c.cells(&finding.Row{Source: 1, Cells: []string{"B", "C", "A", "too many"}})
	if diff := cmp.Diff([]string{"A", "B", "", "C", ""}, got); diff != "" {
		t.Error(diff)
	}
}
