package report

import (
	"bytes"
	"testing"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

func TestArraysStandInADocumentAsTheirMembersWould(t *testing.T) {
	type document struct {
		Run
		Lines []string `json:"lines"`
	}
	for n := range 3 {
		want, stub := document{Lines: []string{}}, document{Lines: []string{}}
		problems, lines := Array{Name: "problems"}, Array{Name: "lines"}
		defer problems.Close()
		defer lines.Close()
		for i := range n {
			problem := schema.Problem{Message: "]\n  ], <&>", Place: schema.Place{Row: i}}
			want.Problems, want.Lines = append(want.Problems, problem), append(want.Lines, "\n  \"lines\": [")
			problems.Add(&problem)
			lines.Add(want.Lines[i])
			stub.Problems, stub.Lines = make(finding.Problems, 1), make([]string, 1)
		}
		var plain, parts bytes.Buffer
		if err := WriteJSON(&plain, "show", want); err != nil {
			t.Fatal(err)
		}
		if err := WriteJSON(&parts, "show", stub, &problems, &lines); err != nil || parts.String() != plain.String() {
			t.Errorf("%v: %s\nwant %s", err, &parts, &plain)
		}
	}
}
