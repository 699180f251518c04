package page

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"

	"github.com/google/go-cmp/cmp"
)

var engineer = &Sink{Options: Options{For: Engineer}}

func TestVerdict(t *testing.T) {
	totals := func(list ...any) (totals []finding.Total) {
		for i := 0; i < len(list); i += 2 {
			totals = append(totals, finding.Total{Word: list[i].(string), Rows: list[i+1].(int)})
		}
		return totals
	}
	for _, test := range []struct {
		run              string
		totals           []finding.Total
		errors, warnings int
		sent             int
		failed           string
		words, level     string
	}{
		{totals: totals("read", 0), words: "There is no row to import.", level: "fair"},
		{totals: totals("read", 1, "valid", 1), words: "The only row can be imported.", level: "good"},
		{totals: totals("read", 20, "valid", 20), words: "All 20 rows can be imported.", level: "good"},
		{
			totals: totals("read", 20, "valid", 20), warnings: 1, words: "All 20 rows can be imported; 1 warning is worth a look.",
			level: "fair",
		},
		{
			totals: totals("read", 20_000, "valid", 19_999, "invalid", 1), errors: 3,
			words: "1 of 20,000 rows has errors that keep it from being imported.", level: "bad",
		},
		{totals: totals("read", 20, "invalid", 20), errors: 20, words: "No row can be imported yet: all 20 have errors.", level: "bad"},
		{totals: totals("read", 1, "invalid", 1), errors: 1, words: "No row can be imported yet: the only one has errors.", level: "bad"},
		{
			totals: totals("read", 3, "valid", 3), errors: 1, words: "1 problem has to be mended before anything can be imported.",
			level: "bad",
		},
		{totals: totals("read", 7), failed: "disk", words: "An error ended it after 7 rows.", level: "bad"},
		{
			run: "r", totals: totals("read", 9, "created", 4), failed: "disk", words: "An error ended it with 4 of 9 rows done.",
			level: "bad",
		},
		{
			totals: totals("read", 20, "valid", 6, "invalid", 14), errors: 15, failed: "14 of 20 rows are invalid",
			words: "14 of 20 rows have errors that keep them from being imported.", level: "bad",
		},
		{
			run: "r", totals: totals("read", 9, "created", 7, "failed", 2), failed: "of 9 rows 2 failed", sent: 9,
			words: "7 of 9 rows were sent and accepted; 2 failed.", level: "bad",
		},
		{
			run: "r", totals: totals("read", 9, "created", 4, "updated", 3, "unchanged", 2), sent: 7,
			words: "All done: 4 created, 3 updated, 2 unchanged.", level: "good",
		},
		{
			run: "r", totals: totals("read", 9, "unchanged", 9), words: "Nothing had to be done: every row was as it should be.",
			level: "good",
		},
		{run: "r", totals: totals("read", 9, "pending", 9), words: "Nothing has been sent yet: 9 rows are waiting.", level: "fair"},
		{
			run: "r", totals: totals("read", 9, "created", 4, "pending", 5), sent: 4,
			words: "Not finished: 4 done, 5 still to be sent.", level: "fair",
		},
		{
			run: "r", totals: totals("read", 9, "created", 6, "failed", 2, "in_doubt", 1), sent: 9,
			words: "6 of 9 rows were sent and accepted; 2 failed, 1 in doubt.", level: "bad",
		},
		{run: "r", totals: totals("read", 2, "failed", 2), sent: 2, words: "Nothing was done; 2 failed.", level: "bad"},
	} {
		s := &Sink{Options: Options{For: Engineer}, counts: counts{severity: [2]int{test.errors, test.warnings}}}
		words, level := s.verdict(&finding.Summary{
			Run: test.run, Totals: test.totals, Requests: finding.Requests{Made: journal.Made{Sent: test.sent}},
			Exit: finding.Exit{Error: test.failed}, Broken: test.failed == "disk",
		})
		if words != test.words || level != test.level {
			t.Errorf("%v: %s (%s), want %s (%s)", test.totals, words, level, test.words, test.level)
		}
	}
}

// After a run most of the ten terms of the sum are 0, and say nothing.
func TestTermsThatAreNothingAreLeftOut(t *testing.T) {
	read, rest, adds := engineer.tiles([]finding.Total{
		{Word: "read", Rows: 5}, {Word: "created"}, {Word: "updated", Rows: 2}, {Word: "in_doubt"}, {Word: "unchanged", Rows: 3},
	})
	var words []string
	for _, tile := range rest {
		words = append(words, tile.Number+" "+tile.Plain+" "+tile.X+" "+tile.Width)
	}
	want := []string{"2 updated 0.00 400.00", "3 unchanged 400.00 600.00"}
	if diff := cmp.Diff(want, words); diff != "" || read.Number != "5" || !adds {
		t.Errorf("%s read, adds %t\n%s", read.Number, adds, diff)
	}
}

func TestChartSlidesTheWindow(t *testing.T) {
	at := func(seconds ...float64) (list []time.Time) {
		for _, s := range seconds {
			list = append(list, first.Add(time.Duration(s*float64(time.Second))))
		}
		return list
	}
	for _, test := range []struct {
		name    string
		sent    []time.Time
		highest int
		last    int
	}{
		{"one", at(0), 1, 0},
		{"a burst", at(0, 0, 0.1, 0.2), 4, 0},
		{"the first has left the window", at(0, 0.1, 60, 60.05, 60.1), 3, 0},
		{"over its edge", at(0, 30, 59, 61, 89), 4, 2},
		{"once a window", at(0, 60, 120, 180), 1, 1},
	} {
		u := chart(finding.Usage{Owner: "cal-1", Limit: 200, Window: time.Minute, Sent: test.sent})
		if u.Highest != test.highest || len(u.Peak) > chartSteps+1 {
			t.Errorf("%s: at most %d in %d steps, want %d", test.name, u.Highest, len(u.Peak), test.highest)
		}
	}
	u := chart(finding.Usage{Limit: 200, Window: time.Minute, Sent: sent(100_000)})
	if u.Highest != 200 || u.Requests != 100_000 {
		t.Errorf("100,000 requests: at most %d of %d", u.Highest, u.Requests)
	}
}

func TestDaysFallBackToMonths(t *testing.T) {
	var d days
	for i := range mostDays + 400 {
		d.add(&finding.Row{Action: "create", Event: finding.Event{Start: first.AddDate(0, 0, i)}})
	}
	d.add(&finding.Row{Action: "create"})
	got := d.encode()
	sum := 0
	for _, n := range got.N[0] {
		sum += n
	}
	if got.Unit != "month" || sum != mostDays+400 || got.None != 1 {
		t.Errorf("%d events by %s, %d without a start", sum, got.Unit, got.None)
	}
	d = days{}
	for i := range mostMonths + 7 {
		d.add(&finding.Row{Status: "failed", Action: "create", Event: finding.Event{Start: first.AddDate(0, 4*i, 0)}})
	}
	for i := range mostDays {
		d.add(&finding.Row{Action: "create", Event: finding.Event{Start: first.AddDate(0, 0, i)}})
	}
	if got := d.encode(); got.Left == 0 || len(got.At) != mostMonths || !cmp.Equal(got.Words, []string{"failed", "create"}) {
		t.Errorf("%d months, %d events left out, by %v", len(got.At), got.Left, got.Words)
	}
}

func TestTextIsVisible(t *testing.T) {
	for text, want := range map[string]string{
		"Tea":                 "Tea",
		"two\r\nlines\tand":   "two\nlines\tand",
		"a\rb":                "a‹U+000D›b",
		"invoice\u202egpj":    "invoice‹U+202E›gpj",
		"\ufeffname\u200b":    "‹U+FEFF›name‹U+200B›",
		"M\xfcller":           "M‹0xFC›ller",
		"👩‍👩‍👧 ok":            "👩‍👩‍👧 ok",
		"\x00":                "‹U+0000›",
		"\u2028":              "‹U+2028›",
		"a literal \ufffd is": "a literal ‹U+FFFD› is",
	} {
		if want == "a literal ‹U+FFFD› is" {
			want = "a literal \ufffd is"
		}
		if got := visible(text); got != want {
			t.Errorf("visible(%q) is %q, want %q", text, got, want)
		}
	}
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 4, "äöüß"}, {"äöüßx", 4, "äöü…"}, {"", 3, ""}} {
		if got := cut(test.text, test.limit); got != test.want {
			t.Errorf("cut(%q, %d) is %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}

func TestTotalsAddUpOrSayNothing(t *testing.T) {
	_, rest, adds := engineer.tiles([]finding.Total{{Word: "read", Rows: 10}, {Word: "valid", Rows: 7}, {Word: "in_doubt", Rows: 3}})
	if !adds || rest[1].X != "700.00" || rest[1].Width != "300.00" || rest[1].Plain != "in doubt" {
		t.Errorf("%v, adds up: %t", rest, adds)
	}
	if _, _, adds := engineer.tiles([]finding.Total{{Word: "read", Rows: 10}, {Word: "valid", Rows: 7}}); adds {
		t.Error("7 of 10 add up")
	}
}

func TestRowsAreCopied(t *testing.T) {
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	row := &finding.Row{
		Number: 2, Cells: []string{"first"}, Changes: []finding.Change{{Field: "name", After: "first"}},
		Problems: []schema.Problem{{Code: schema.CodeBadText, Message: "first", Place: schema.Place{Row: 2}}},
	}
	sink.Row(row)
	row.Cells[0], row.Changes[0].After, row.Problems[0].Message = "again", "again", "again"
	if err := sink.End(&finding.Summary{Sources: []plan.Sheet{{File: "a.csv"}}}); err != nil {
		t.Fatal(err)
	}
	raw, _ := embedded(t, out.String())
	if strings.Contains(raw, `"again"`) || !strings.Contains(raw, `"first"`) {
		t.Error("the page shows a slice that was used again")
	}
}

// A customer reads what to do with the file, not with the command.
func TestACustomerReadsNoInnerWords(t *testing.T) {
	customer := &Sink{}
	for hint, want := range map[string]string{
		"":                                  "",
		"did you mean Europe/London?":       "did you mean Europe/London?",
		"say --header-row if it is another": "mend it, or tell those who import the file what is meant",
		"say --date-order mdy or dmy, or write the date as 2026-03-08":                                   "write the date as 2026-03-08",
		"fill the cell, or say --timezone with a zone such as Europe/Berlin for the rows that have none": "fill the cell",
		"leave start_at, as it is; or say --date-order, and others become errors":                        "leave Start, as it is",
		"write one of a, b, c (eventbatch fields theme lists them all)":                                  "write one of a, b, c",
		"fill in timezone": "fill in Time zone",
		"plan looks their keys up; fill in what a new event needs, or set the action to SKIP": "fill in what a new event needs, or set " +
			"the action to SKIP",
	} {
		if got := customer.hint(schema.Error, hint); got != want {
			t.Errorf("%q: %q, want %q", hint, got, want)
		}
		if got := engineer.hint(schema.Error, hint); got != hint {
			t.Errorf("an engineer reads %q as %q", hint, got)
		}
	}
	if got, want := customer.hint(schema.Warning, "say --sheet"), "tell those who import the file if that is not right"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := customer.message("end_at is before start_at"); got != "End is before Start" {
		t.Error(got)
	}
}

func TestLogoIsAPicture(t *testing.T) {
	const svg = `<?xml version="1.0"?><!-- ours --><svg xmlns="http://www.w3.org/2000/svg"/>`
	for content, want := range map[string]string{
		svg: "data:image/svg+xml;base64,", "\x89PNG\r\n\x1a\n…": "data:image/png;base64,", "\xff\xd8\xff…": "data:image/jpeg;base64,",
		"": "", "GIF89a": "", "<svg>": "", "<html><svg xmlns='http://www.w3.org/2000/svg'/></html>": "",
		svg + strings.Repeat(" ", logoMost): "",
	} {
		path := filepath.Join(t.TempDir(), "logo")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		logo, err := LoadLogo(path)
		if !strings.HasPrefix(string(logo), want) || (want == "") != (err != nil) {
			t.Errorf("%.40q: %.40s, %v", content, logo, err)
		}
	}
	if _, err := LoadLogo("gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestACustomerReadsChangesAsCells(t *testing.T) {
	for _, test := range []struct {
		change finding.Change
		want   string
	}{
		{
			finding.Change{Field: "start_at", Before: "2027-05-01T21:00:00-04:00", After: "2027-05-01T20:00:00-04:00", Known: true},
			"Start: 2027-05-01 21:00 → 2027-05-01 20:00",
		},
		{
			finding.Change{Field: "start_at", Before: "2027-05-01T21:00:00-04:00", After: "2027-05-01T21:00:00Z", Known: true},
			"Start: 2027-05-01T21:00:00-04:00 → 2027-05-01T21:00:00Z",
		},
		{
			finding.Change{
				Field: "geo_address_json", Before: `{"type":"manual","address":"Hall 1"}`, After: `{"type":"google","place_id":"x"}`,
			},
			"Location: Hall 1 → x",
		},
		{finding.Change{Field: "name", Before: "null", After: "12"}, "Name: null → 12"},
		{finding.Change{Field: "max_capacity", Before: "", After: "{}"}, "Seats:  → {}"},
		{finding.Change{Field: "tax_config", Before: `{"a":1}`, After: `["b"]`}, `Tax config: {"a":1} → ["b"]`},
	} {
		field, before, after := (&Sink{}).change(test.change)
		if got := field + ": " + before + " → " + after; got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
