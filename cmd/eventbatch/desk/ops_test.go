package desk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
)

// Nobody types on the page what takes a value away, and an undo says nothing of a file.
func TestWhatIsTakenAwayIsCalledNothing(t *testing.T) {
	blank := "<clear>"
	changes := []finding.ChangeLine{{Field: "place", Live: &blank, Mine: "Saal B", Decision: "lost", Why: "it was blank"}}
	for undo, want := range map[bool]string{
		true: " cannot be put back, it was blank", false: " cannot be put back, it was blank; the file says Saal B",
	} {
		got := fieldsOf(changes, undo)
		if len(got) != 1 || got[0].Before == nil || *got[0].Before != "nothing" || got[0].Note != want {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

// What an undo does is shown below three heads: what goes back, what somebody has changed since, what is lost; and what is
// back already below none of them.
func TestAnUndoIsShownBelowThreeHeads(t *testing.T) {
	const shown = `{"lines":[
		{"file":"a.csv","row":2,"key":"a","action":"skip","reason":"lost: an event that was cancelled cannot be brought back"},
		{"file":"a.csv","row":3,"key":"b","action":"unchanged","reason":"nothing to put back"},
		{"file":"a.csv","row":4,"key":"c","action":"update"},
		{"file":"a.csv","row":5,"key":"d","action":"skip"},
		{"file":"a.csv","row":6,"key":"e","action":"cancel"},
		{"file":"a.csv","row":7,"key":"f","action":"unchanged","reason":"run 20270301-120000-a took it away already"}]}`
	change := func(row int, decision string) finding.ChangeLine {
		return finding.ChangeLine{File: "a.csv", Row: row, Field: "name", Mine: "Tea", Decision: decision, Why: "it was changed since"}
	}
	changes := []finding.ChangeLine{change(3, "leave"), change(4, "send"), change(4, "lost"), change(5, "lost")}
	of, err := newOps([]byte(shown), changes, true, unknown, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = of.file.Close() }() // it was read
	want := []head{
		{"Goes back", 2},
		{"Kept, changed since", 1},
		{"Lost for good", 2},
		{"Back already", 1},
		{"Of these, with a field lost for good", 1},
	}
	if !slices.Equal(of.heads.told(), want) {
		t.Errorf("%v, want %v", of.heads.told(), want)
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
	const below = "e Goes back, c Goes back, b Kept, changed since, a Lost for good, d Lost for good, f Back already"
	if strings.Join(got, ", ") != below {
		t.Errorf("%q, want %q", got, below)
	}
}

// A row without a key of its own is called by its name: what eventbatch knows it by is for eventbatch alone.
func TestARowWithoutAKeyIsCalledByItsName(t *testing.T) {
	for _, c := range []struct{ key, name, want string }{
		{"row:1820239200000:Tea", "Tea", "Tea (row 3)"},
		{"K-1", "Tea", "K-1 Tea (row 3)"},
		{"Tea", "Tea", "Tea (row 3)"},
		{"row:1820239200000:Tea: a talk", "", "Tea: a talk (row 3)"},
		{"row:1820239200000:", "", "row 3"},
		{"slug:tea", "", "tea (row 3)"},
		{"event_id:evt-9aQ2", "Tea", "Tea (row 3)"},
	} {
		if got := (&shownRow{report.ShownRow{Row: 3, Key: c.key, Name: c.name}}).title(); got != c.want {
			t.Errorf("%s of %q is called %s, want %s", c.key, c.name, got, c.want)
		}
	}
}

// Rows that were taken back say so, and are counted apart: the file asks for them, and they are not made until a cell changes.
func TestRowsThatWereTakenBackAreShown(t *testing.T) {
	of, err := newOps([]byte(`{"lines":[
		{"file":"a.csv","row":2,"key":"a","action":"unchanged","reason":"undone by run 20261126-120000-abcdef"},
		{"file":"a.csv","row":3,"key":"b","action":"unchanged","reason":"the same as sent"},
		{"file":"a.csv","row":4,"key":"c","action":"unchanged","reason":"undone by run 20261126-120000-abcdef`+
		`: --forget-missing makes it anew"}
		]}`), nil, false, unknown, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = of.file.Close() }() // it was read
	rows, err := of.window(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := plainRuns("run 20261126-120000-abcdef has changed it since"); got != "a later run has changed it since" {
		t.Error(got)
	}
	const words = "undone by an earlier run: to have it again, take that back under Runs"
	if len(rows) != 2 || !strings.Contains(string(rows[0]), words) ||
		!strings.Contains(string(rows[1]), "undone by an earlier run: it was cancelled, and can be made anew") {
		t.Errorf("%s", rows)
	}
	h := &held{ops: of}
	h.Rows = map[string]int{"unchanged": 3}
	if got := h.totals(0); got != "2 taken back, and not asked for again · 1 as they are" {
		t.Errorf("totals %q", got)
	}
}

// A run that is gone on with shows what is left of it: what was sent is not said to be sent once more.
func TestWhatWasSentBeforeIsNotToBeSent(t *testing.T) {
	of, err := newOps([]byte(`{"lines":[
		{"file":"a.csv","row":2,"key":"a","action":"create","status":"created"},
		{"file":"a.csv","row":3,"key":"b","action":"create","status":"failed"},
		{"file":"a.csv","row":4,"key":"c","action":"create","status":"in_doubt"},
		{"file":"a.csv","row":5,"key":"d","action":"update","status":"pending"},
		{"file":"a.csv","row":6,"key":"e","action":"update","status":"updated"}
		]}`), nil, false, unknown, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = of.file.Close() }() // it was read
	rows, err := of.window(0, 10)
	if err != nil || len(rows) != 2 {
		t.Errorf("%s: %v", rows, err)
	}
	h := &held{ops: of}
	h.Rows = map[string]int{"create": 3, "update": 2}
	if got := h.totals(0); got != "1 to create · 1 to change · 3 done already" || h.sends() != "Send 2 changes" {
		t.Errorf("%s: %s", h.sends(), got)
	}
}

// A row that is sent is told with all that the event will be, whichever of the events of the row it is.
func TestWhatIsSentIsToldAsTheEventThatItWillBe(t *testing.T) {
	s := readProgramme(t, func(p *programme) {
		p.header("name", "seats")
		p.add("Tea", "40", "Quay 1", 19)
		p.end()
	})
	if err := s.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	const row = `{"row":2,"key":"a","name":"Tea","action":"create","start_at":"`
	lines := row + `2027-03-04T19:00:00Z"},` + row + `2027-03-05T18:00:00Z"},` +
		`{"row":2,"key":"a","name":"Tea","event_id":"e","action":"update","start_at":"2027-03-04T19:00:00Z"}`
	kept := []finding.ChangeLine{{Row: 2, EventID: "e", Field: "max_capacity", Decision: "leave"}}
	of, err := newOps([]byte(`{"lines":[`+lines+`]}`), kept, false, calendar{&s.found}.will(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = of.file.Close() }() // it was read
	rows, err := of.window(0, 10)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%s: %v", rows, err)
	}
	for i, want := range []string{
		"Thu 4 Mar 2027 19:00", // of an event whose seats are not those of the file
		"Thu 4 Mar 2027 19:00–20:30 · Europe/Berlin · Quay 1 · 40 seats · private", "Fri 5 Mar 2027 18:00",
	} {
		var told op
		if err := json.Unmarshal(rows[i], &told); err != nil || told.Words != want {
			t.Errorf("%s, want %s: %v", told.Words, want, err)
		}
	}
}

// A reason names no run by its id: nobody finds one by that on the page.
func TestReasonsNameNoRunByItsID(t *testing.T) {
	line := &shownRow{report.ShownRow{Row: 2, Key: "a", Name: "Tea"}}
	const want = "undone by an earlier run"
	if got := line.told("·", "left out", "undone by run 20261126-120000-abcdef").Words; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// The events of one row are left out together: the first of them has the tick, and says so.
func TestTheEventsOfARowHaveOneTick(t *testing.T) {
	const lines = `{"lines":[
		{"row":3,"key":"mon","action":"create"}, {"row":4,"key":"tue","action":"create"},
		{"row":3,"key":"wed","action":"create"}, {"row":3,"key":"thu","action":"update"}]}`
	told := func(edited func(string, int) []field) string {
		t.Helper()
		of, err := newOps([]byte(lines), nil, false, unknown, edited)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = of.file.Close() }() // it was read
		rows, err := of.window(0, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, text := range rows {
			var o op
			if err := json.Unmarshal(text, &o); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(o.Title, o.Sends, o.Words))
		}
		return strings.Join(got, ", ")
	}
	want := "thu (row 3)false, mon (row 3)true; with the 2 other events of the row, tue (row 4)true, wed (row 3)false"
	if got := told(func(string, int) []field { return nil }); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := told(nil); strings.Contains(got, "other events") {
		t.Errorf("a plan that is not of the file, in which nothing is ticked: %s", got)
	}
}
