package desk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"eventbatch/batch/report/finding"
)

// What an undo does is shown below three heads: what goes back, what somebody has changed since, what is lost.
func TestAnUndoIsShownBelowThreeHeads(t *testing.T) {
	const shown = `{"lines":[
		{"file":"a.csv","row":2,"key":"a","action":"skip","reason":"lost: an event that was cancelled cannot be brought back"},
		{"file":"a.csv","row":3,"key":"b","action":"unchanged","reason":"nothing to put back"},
		{"file":"a.csv","row":4,"key":"c","action":"update"},
		{"file":"a.csv","row":5,"key":"d","action":"skip"},
		{"file":"a.csv","row":6,"key":"e","action":"cancel"}]}`
	change := func(row int, decision string) finding.ChangeLine {
		return finding.ChangeLine{File: "a.csv", Row: row, Field: "name", Mine: "Tea", Decision: decision, Why: "it was changed since"}
	}
	changes := []finding.ChangeLine{change(3, "leave"), change(4, "send"), change(4, "lost"), change(5, "lost")}
	of, err := newOps([]byte(shown), changes, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = of.file.Close() }() // it was read
	if want := []head{{"goes back", 2}, {"kept, changed since", 1}, {"lost for good", 2}}; !slices.Equal(of.heads, want) {
		t.Errorf("%v, want %v", of.heads, want)
	}
	rows, err := of.window(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows {
		var o op
		if err := json.Unmarshal(row, &o); err != nil {
			t.Fatal(err)
		}
		got = append(got, o.Title[:1]+" "+o.Head)
	}
	if want := "e goes back, c goes back, b kept, changed since, a lost for good, d lost for good"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
