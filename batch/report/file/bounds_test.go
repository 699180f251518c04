package file

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

func TestACommentHasRoomForAnyNumberOfProblems(t *testing.T) {
	var b strings.Builder
	sink := NewMarkdown(&b, "check")
	for i := range 5_000 {
		row := finding.Row{Number: i + 2, Status: "invalid", Problems: []schema.Problem{{
			Code: schema.Code(fmt.Sprintf("code-%d", i%700)), Place: schema.Place{
				File: "a.csv", Row: i + 2, Column: i % 700, Header: strings.Repeat("é|", 100),
			},
			Message: strings.Repeat("日本", 400), Hint: "@team #1",
		}}}
		sink.Row(&row)
	}
	if err := sink.End(&finding.Summary{Command: "check", Exit: finding.Exit{Code: 65, Error: "all rows are invalid"}}); err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(b.String()); n >= commentMost || n < 10_000 {
		t.Errorf("%d characters", n)
	}
	if !strings.Contains(b.String(), "that there is no room for here") {
		t.Error("it is not said that something was left out")
	}
}

func TestAStepOfAWorkflowHasFewAnnotations(t *testing.T) {
	var b strings.Builder
	sink := newGitHub(&b)
	for i := range 300 {
		for _, severity := range []schema.Severity{schema.Error, schema.Warning} {
			row := finding.Row{Number: i + 2, Problems: []schema.Problem{{
				Severity: severity, Code: schema.CodeBadZone, Place: schema.Place{
					File: "a.csv", Row: i + 2, Line: i + 2, Column: i % 30,
				}, Message: "no zone",
			}}}
			sink.Row(&row)
		}
	}
	if err := sink.End(&finding.Summary{Totals: []finding.Total{{Word: "read", Rows: 300}}}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if e, w := strings.Count(text, "::error "), strings.Count(text, "::warning "); e != mostAnnotations || w != mostAnnotations {
		t.Errorf("%d errors and %d warnings", e, w)
	}
	if !strings.Contains(text, "200 errors more in 20 groups") {
		t.Errorf("what is left out is not counted:\n%s", text)
	}
}

// suites is what a reader of JUnit XML counts.
type suites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name  string `xml:"name,attr"`
		Tests int    `xml:"tests,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func junit(t *testing.T, rows int, failing func(int) bool, summary *finding.Summary) suites {
	t.Helper()
	var b strings.Builder
	sink := newJUnit(&b, "check")
	for i := range rows {
		row := finding.Row{File: "a.csv", Number: i + 2, Line: i + 2, Status: "valid"}
		if failing(i) {
			row.Status = "invalid"
			row.Problems = []schema.Problem{{Code: schema.CodeBadZone, Message: "no zone", Place: schema.Place{Column: -1}}}
		}
		sink.Row(&row)
	}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	var s suites
	if err := xml.Unmarshal([]byte(b.String()), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestALargeSuiteListsWhatFailed(t *testing.T) {
	for _, test := range []struct{ rows, cases int }{{everyRow, everyRow}, {everyRow + 1, everyRow/100 + 1}} {
		s := junit(t, test.rows, func(i int) bool { return i%100 == 0 }, &finding.Summary{Sources: []plan.Sheet{{File: "a.csv"}}})
		if one := s.Suites[0]; one.Tests != test.rows || len(one.Cases) != test.cases || s.Failures != (test.rows+99)/100 {
			t.Errorf("%d rows: %d tests, %d cases, %d failures", test.rows, one.Tests, len(one.Cases), s.Failures)
		}
	}
}

func TestAnEndThatNoRowExplainsIsAnError(t *testing.T) {
	s := junit(
		t, 3, func(int) bool { return false },
		&finding.Summary{Exit: finding.Exit{Code: 74, Reason: "ioerr", Error: "the journal is damaged"}},
	)
	if s.Errors != 1 || s.Tests != 4 || len(s.Suites) != 2 || s.Suites[1].Cases[0].Error == nil {
		t.Errorf("%+v", s)
	}
	s = junit(
		t, 3, func(i int) bool { return i == 1 },
		&finding.Summary{Exit: finding.Exit{Code: 65, Reason: "invalid", Error: "1 of 3 rows is invalid"}},
	)
	if s.Errors != 0 || s.Failures != 1 || s.Tests != 3 {
		t.Errorf("%+v", s)
	}
}

// closedWriter takes nothing.
type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestADocumentIsOneAndWhole(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		var b strings.Builder
		doc := NewShortJSON(&b, "check", 2)
		for i := range n {
			doc.Problem(
				schema.Problem{Code: schema.CodeBadZone, Place: schema.Place{File: "a.csv", Row: i + 2, Column: -1}, Value: "<\x00>"},
			)
		}
		if err := doc.End(&finding.Summary{Totals: []finding.Total{{Word: "read", Rows: n}}, Exit: finding.Exit{Code: 65}}); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Format   string
			Command  string
			Files    []jsonFile
			Rows     map[string]int
			Problems []map[string]any
			Groups   []finding.GroupLine
			Exit     finding.Exit
		}
		decoder := json.NewDecoder(strings.NewReader(b.String()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Format != "eventbatch/check/1" || got.Command != "check" || got.Files == nil || got.Problems == nil ||
			len(got.Problems) != min(n, 2) || len(got.Groups) != min(n, 1) || n > 0 && got.Groups[0].Count != n ||
			got.Rows["read"] != n || got.Exit.Code != 65 || decoder.More() {
			t.Errorf("%d: %+v", n, got)
		}
	}
}

func TestAReportThatCannotBeWrittenSaysSo(t *testing.T) {
	for name, sink := range map[string]finding.Sink{
		"json": NewJSON(closedWriter{}, "check"), "csv": newCSV(closedWriter{}, "check"), "junit": newJUnit(closedWriter{}, "check"),
		"markdown": NewMarkdown(closedWriter{}, "check"), "github": newGitHub(closedWriter{}),
	} {
		if err := sink.End(&finding.Summary{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
