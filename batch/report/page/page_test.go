package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/templates"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// embedded gives the data of a page.
func embedded(t *testing.T, page string) (raw string, data dataJSON) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<script type="application/json" id="data">`)
	raw, _, ok := strings.Cut(rest, "</script>")
	if !ok {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(raw), &data); err != nil {
		t.Fatal(err)
	}
	return raw, data
}

func TestDataIsEncodedAsTheScriptReadsIt(t *testing.T) {
	s := &sample{rows: 8, every: 4, run: true, summary: finding.Summary{
		Run: "2026-03-02-b7k", Usage: []finding.Usage{{Owner: "cal-1", Limit: 2, Window: 100 * time.Millisecond, Sent: sent(4)}},
	}}
	var out bytes.Buffer
	sink := New(&out, Options{For: Engineer})
	s.fill(t, sink)
	for _, p := range problemsOfFiles() {
		sink.Problem(p)
	}
	if err := sink.End(&s.summary); err != nil {
		t.Fatal(err)
	}
	raw, _ := embedded(t, out.String())
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(raw), "", " "); err != nil {
		t.Fatal(err)
	}
	// Lists of numbers and texts are read more easily on one line.
	inner := regexp.MustCompile(`\[[^\[\]{}]*\]`)
	text := inner.ReplaceAllStringFunc(
		got.String(), func(list string) string { return regexp.MustCompile(`\n\s*`).ReplaceAllString(list, "") },
	) + "\n"
	// What a code says is the schema's to change.
	text = regexp.MustCompile(`"(title|explain|example)": ".*"`).ReplaceAllString(text, `"$1": "…"`)
	golden := filepath.Join("testdata", "data.json")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("the data differ from %s (-update writes it anew):\n%s", golden, diff)
	}
}

func TestPageStaysSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "abcdefghijklmnopqrstuvwxyz <&>"[random.IntN(30)]
		}
		return string(text)
	}
	long := func(rows, length, columns, problems int) func(*testing.T, *Sink) *finding.Summary {
		return func(t *testing.T, sink *Sink) *finding.Summary {
			header := make([]string, columns)
			for i := range header {
				header[i] = fmt.Sprint("column ", i)
			}
			for i := range rows {
				row := &finding.Row{
					Number: i + 2, Action: "update", Status: finding.Status(words(3)),
					Event: finding.Event{Name: words(length), Key: words(20), Start: first},
				}
				for range columns {
					row.Cells = append(row.Cells, words(length))
				}
				row.Changes = []finding.Change{{Field: words(8), Before: words(length), After: words(length), Known: true}}
				for c := range problems {
					row.Problems = append(row.Problems, schema.Problem{
						Code: schema.CodeBadText, Message: words(80), Hint: words(40), Value: row.Cells[c],
						Place: schema.Place{File: "a.csv", Row: row.Number, Column: c, Header: header[c]},
					})
				}
				sink.Row(row)
			}
			return &finding.Summary{
				Sources: []plan.Sheet{{File: "a.csv", Header: header, Rows: rows}},
				Totals:  []finding.Total{{Word: "read", Rows: rows}},
			}
		}
	}
	for _, test := range []struct {
		name  string
		fill  func(*testing.T, *Sink) *finding.Summary
		bytes int
		cut   bool
	}{
		{"10,000 rows of 12 columns, 3,333 problems", func(t *testing.T, sink *Sink) *finding.Summary {
			s := &sample{rows: 10_000, every: 3}
			s.fill(t, sink)
			return &s.summary
		}, 5_000_000, false},
		{"the rows of a run", func(t *testing.T, sink *Sink) *finding.Summary {
			s := &sample{rows: 10_000, every: 3, run: true}
			s.fill(t, sink)
			return &s.summary
		}, 5_000_000, false},
		{"a problem in every row", long(6000, 24, 12, 1), 7_000_000, false},
		{"long cells, problems everywhere", long(6000, 200, 6, 6), 15_000_000, true},
		{"more columns than are shown", long(1500, 4, 90, 2), 5_000_000, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			sink := New(&out, Options{For: Engineer})
			summary := test.fill(t, sink)
			began := time.Now()
			if err := sink.End(summary); err != nil {
				t.Fatal(err)
			}
			_, data := embedded(t, out.String())
			t.Logf("%d bytes, %d rows carried, drawn in %v", out.Len(), len(data.Rows), time.Since(began).Round(time.Millisecond))
			if out.Len() >= test.bytes {
				t.Errorf("the page has %d bytes", out.Len())
			}
			if noted := strings.Contains(out.String(), `id="notes"`); noted != test.cut {
				t.Errorf("the page says that something is left out: %t, want %t", noted, test.cut)
			}
		})
	}
}

func TestLimitsAreKeptAndSaid(t *testing.T) {
	s := &sample{rows: 42_000, every: 2}
	page := s.draw(t)
	_, data := embedded(t, page)
	carried, bad := map[int]int{}, 0
	for _, text := range data.Rows {
		var row rowJSON
		if err := json.Unmarshal(text, &row); err != nil {
			t.Fatal(err)
		}
		if len(row.Problems) > 0 {
			bad++
		}
		for _, p := range row.Problems {
			carried[p.Group]++
		}
	}
	if len(data.Rows) != mostRows || bad != mostProblems {
		t.Errorf("%d rows are carried, %d of them with problems", len(data.Rows), bad)
	}
	total := 0
	for _, g := range data.Groups {
		total += g.Total
	}
	if total != 21_000 || data.Read != 42_000 || data.Severity != [2]int{21_000, 0} {
		t.Errorf("%v problems are counted in groups, %v in all, of %d rows", total, data.Severity, data.Read)
	}
	if len(carried) != len(data.Groups) {
		t.Errorf("problems of %d groups of %d are carried", len(carried), len(data.Groups))
	}
	for _, words := range []string{
		"lists 10,000 of 21,000 problems; the counts are of all of them", "10,000 of 42,000 rows, those with problems first",
		"--report FILE.csv",
	} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}

// A rule that is broken late is shown all the same.
func TestRareProblemsAreCarried(t *testing.T) {
	var out bytes.Buffer
	sink := New(&out, Options{For: Engineer})
	for i := range mostProblems + 100 {
		row := &finding.Row{
			Number: i + 2, Problems: []schema.Problem{{Code: schema.CodeBadText, Place: schema.Place{Row: i + 2, Column: -1}}},
		}
		if i > mostProblems {
			row.Problems[0].Code = schema.CodeBadURL
		}
		sink.Row(row)
	}
	if err := sink.End(&finding.Summary{}); err != nil {
		t.Fatal(err)
	}
	_, data := embedded(t, out.String())
	if len(data.Rows) != mostProblems+always || data.Groups[1].Total != 99 {
		t.Errorf("%d rows, %+v", len(data.Rows), data.Groups)
	}
}

func TestPageOfTheSameFindingsIsTheSame(t *testing.T) {
	draw := func() string {
		s := &sample{
			rows: 300, every: 4, run: true,
			summary: finding.Summary{
				Run: "r",
				Usage: []finding.Usage{
					{Owner: "b", Limit: 9, Window: time.Minute, Sent: sent(30)},
					{Owner: "a", Limit: 9, Window: time.Minute, Sent: sent(30)},
				},
			},
		}
		return s.draw(t)
	}
	if one, two := draw(), draw(); one != two {
		t.Error("two pages of the same findings differ")
	}
}

func TestPageHoldsNothingThatRunsOrLoads(t *testing.T) {
	for _, audience := range Audiences {
		holdsNothingThatRunsOrLoads(t, Options{For: audience, Title: hostile[0]})
	}
}

func holdsNothingThatRunsOrLoads(t *testing.T, options Options) {
	t.Helper()
	var out bytes.Buffer
	sink := New(&out, options)
	for i, text := range hostile {
		row := &finding.Row{
			Number: i + 2, Cells: hostile, Action: text, Status: finding.Status(text), Reason: text,
			Event: finding.Event{Name: text, URL: text},
			Problems: []schema.Problem{{
				Code: schema.Code(text), Message: text, Hint: text, Value: text,
				Place: schema.Place{File: text, Sheet: text, Row: 2, Header: text},
			}},
		}
		sink.Row(row)
		sink.Problem(row.Problems[0])
	}
	summary := &finding.Summary{
		Command: hostile[0], Version: hostile[2], Run: hostile[0], BaseURL: "https://me:hunter2@example.org/?key=hunter2",
		Sources: []plan.Sheet{{File: hostile[0], Sheet: hostile[1], Header: hostile}},
		Totals:  []finding.Total{{Word: hostile[0], Rows: 1}, {Word: hostile[2], Rows: 1}},
		Usage:   []finding.Usage{{Owner: hostile[0], Limit: 1, Window: time.Second, Sent: sent(1)}},
		Exit:    finding.Exit{Error: hostile[0], Hint: hostile[1], Reason: hostile[2]},
		Broken:  true,
	}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	rest := strings.NewReplacer(templates.PageScript(), "", templates.PageStyle(), "").Replace(page)
	for _, bad := range []string{
		"<script>window", "<img", "<svg/onload", "hunter2", "\u202e", "\u2028", "\u2029", "\x1b", "\x00", "<!--",
		"http-equiv=refresh",
	} {
		if strings.Contains(rest, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(rest, "<script"); n != 2 {
		t.Errorf("the page has %d script elements, want the data and the script", n)
	}
	for _, want := range []string{
		"default-src &#39;none&#39;", "script-src &#39;" + strings.ReplaceAll(hash(templates.PageScript()), "+", "&#43;"),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	for _, out := range []string{"http:", "//fonts", "url(", "@import", "fetch(", "innerHTML", "XMLHttpRequest", "eval("} {
		if strings.Contains(strings.ReplaceAll(templates.PageScript(), "http://www.w3.org/2000/svg", "")+templates.PageStyle(), out) {
			t.Errorf("script or style holds %q", out)
		}
	}
}

func TestPageIsThereAfterAnError(t *testing.T) {
	var out bytes.Buffer
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{
		Command: "check",
		Exit:    finding.Exit{Code: 66, Reason: "noinput", Error: "events.xlsx: the file is cut short", Hint: "fetch it again"},
		Broken:  true,
	}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		"events.xlsx: the file is cut short", "fetch it again", "Exit code 66 (noinput)", "An error ended it after 0 rows.",
	} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if before, _, _ := strings.Cut(out.String(), `class="verdict`); !strings.Contains(before, "fetch it again") {
		t.Error("the error does not stand at the top")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestWriteErrorIsSaid(t *testing.T) {
	err := New(full{}, Options{}).End(&finding.Summary{})
	if err == nil || err.Error() != "writing the report page: no space left on device" {
		t.Errorf("the error is %v", err)
	}
}
