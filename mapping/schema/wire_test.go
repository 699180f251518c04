package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestProblemInJSON(t *testing.T) {
	p := schema.Problem{
		Severity: schema.Warning, Code: schema.CodeDeprecatedName, Field: "coordinate.latitude", Value: "53.8", Message: "old name",
		Hint:  "rename it",
		Place: schema.Place{File: "a.csv", Row: 19, Line: 21, Column: 27, Header: "geo_latitude"},
	}
	got, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"file":"a.csv","sheet":"","row":19,"line":21,"column":"AB","header":"geo_latitude","field":"coordinate.latitude",` +
		`"severity":"warning","code":"deprecated-name","message":"old name","hint":"rename it","value":"53.8","proposal":""}`
	if string(got) != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	for text, row := range map[string]schema.Place{
		`"column":""`:  {File: "a.csv", Row: 3, Column: -1},
		`"column":"A"`: {File: "a.csv", Row: 3},
	} {
		got, _ := json.Marshal(schema.Problem{Place: row})
		if !json.Valid(got) || !strings.Contains(string(got), text) {
			t.Errorf("%+v lacks %s: %s", row, text, got)
		}
	}
	if got, _ := json.Marshal(schema.Problem{Place: schema.Place{File: "a.csv"}}); !strings.Contains(string(got), `"column":""`) {
		t.Errorf("a problem of a whole file has a column: %s", got)
	}
}

func TestProblemRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{`{"severity":"fatal"}`, `{"column":"4"}`, `{"row":"4"}`, `[]`} {
		var p schema.Problem
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s reads as %+v", text, p)
		}
	}
}

func TestProblemSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := schema.Problem{
			Severity: schema.Severity(rapid.IntRange(0, 1).Draw(t, "severity")),
			Code:     rapid.SampledFrom(catalog.Codes).Draw(t, "code").Code,
			Field:    rapid.SampledFrom(catalog.Fields).Draw(t, "field").Path,
			Message:  rapid.String().Draw(t, "message"), Hint: rapid.String().Draw(t, "hint"), Value: rapid.String().Draw(t, "value"),
			Place: schema.Place{
				File: rapid.String().Draw(t, "file"), Sheet: rapid.String().Draw(t, "sheet"), Header: rapid.String().Draw(t, "header"),
				Row: rapid.IntRange(1, 1<<20).Draw(t, "row"), Line: rapid.IntRange(0, 1<<30).Draw(t, "line"),
				Column: rapid.IntRange(-1, 16384).Draw(t, "column"),
			},
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back schema.Problem
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestColumnNames(t *testing.T) {
	for column, want := range map[int]string{-1: "", 0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 16383: "XFD"} {
		if got := schema.ColumnName(column); got != want {
			t.Errorf("column %d is %q, want %q", column, got, want)
		}
		if got, ok := schema.ColumnIndex(want); ok != (column >= 0) || (ok && got != column) {
			t.Errorf("%q is column %d, %t", want, got, ok)
		}
	}
	for _, text := range []string{"", "A1", "É", "AAAAAAAAAAAA"} {
		if n, ok := schema.ColumnIndex(text); ok {
			t.Errorf("%q is column %d", text, n)
		}
	}
}
