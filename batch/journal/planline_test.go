package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// lineOf gives the line of an op, as writePlan writes it.
func lineOf(t testing.TB, op *plan.Op) []byte {
	t.Helper()
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(op); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var plannedOps = []plan.Op{
	{
		N: 3, Action: plan.Create, Reason: "the key is new", Row: plan.Row{
			Source: 1, Number: 17, Line: 20, Cells: []string{`Tea, "first"`, "", `}],\`},
		},
		Event: plan.Event{Calendar: "cal-1", Key: "k", Slug: "tea-abc", Derived: true, Name: "Tea <&> Zoë", StartAt: 1790000000000},
		Body:  []byte(`{"name":"Tea \"[{","tax_config":{"a":[1,{"b":null}]}}`), Hash: "00ff", From: map[string]int{"name": 0},
		Problems: []schema.Problem{{Code: "x", Message: "]}"}},
	},
	{N: 0, Action: plan.Update, Row: plan.Row{Number: 2}, Event: plan.Event{ID: "evt-1"}, Body: []byte(`{}`)},
	{N: 1, Action: plan.Cancel, Row: plan.Row{Number: 3, Cells: []string{}}, Event: plan.Event{}},
	{N: 1, Action: plan.Cancel, Row: plan.Row{Number: 3}, Event: plan.Event{Derived: true, StartAt: 7, Zone: "Europe/Paris"}},
	{
		N: 5, Action: plan.Update, Row: plan.Row{Number: 4}, Event: plan.Event{ID: "evt-1"}, Body: []byte(`{}`), Hash: "01",
		Known: plan.Known{EventID: "evt-1", Hash: "00", Run: "20261121-205924-abcdef"}, From: map[string]int{"name": 0},
	},
	{N: 6, Action: plan.Create, Row: plan.Row{Number: 5}, Known: plan.Known{Run: "20261121-205924-abcdef", Cancelled: true, Missing: true}},
}

func brief(op plan.Op) plan.Op {
	op.Row.Cells, op.Problems, op.From = nil, nil, nil
	return op
}

func TestPlannedLinesTakeTheQuickPath(t *testing.T) {
	for i, op := range plannedOps {
		var got plan.Op
		if !parseOp(lineOf(t, &op), &got) {
			t.Errorf("op %d was left to encoding/json", i)
		}
		if diff := cmp.Diff(brief(op), got); diff != "" {
			t.Errorf("op %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestUnusualPlannedLinesAreReadToo(t *testing.T) {
	for name, op := range map[string]plan.Op{
		"an escape":     {Action: plan.Create, Event: plan.Event{Name: "\"Tea\"\u2028"}},
		"before 1970":   {Action: plan.Create, Event: plan.Event{StartAt: -1}},
		"a picture":     {Action: plan.Create, Cover: &plan.Cover{Path: "a.png"}},
		"sends nothing": {Action: plan.Unchanged, Reason: "the same values were sent"},
	} {
		var got plan.Op
		if err := decodeOp(lineOf(t, &op), &got, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(brief(op), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzParseOp holds the quick path against encoding/json on any line that is
// JSON; a plan whose lines are not has lost its seal.
func FuzzParseOp(f *testing.F) {
	for _, op := range plannedOps {
		f.Add(lineOf(f, &op))
	}
	f.Add([]byte(`{"n":1,"row":{"source":0,"number":2,"cells":null},"action":"create","reason":"","event":{"derived":true},"body":1}`))
	f.Add([]byte(`{"n":1,"row":{"source":0,"number":2,"cells":null},"action":"create","reason":"","event":{}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var got, want plan.Op
		if !parseOp(line, &got) || !json.Valid(line) {
			return
		}
		if err := decodeOp(line, &want, false); err != nil {
			return // a value of a kind that the part stepped over never has
		}
		if diff := cmp.Diff(brief(want), got); diff != "" {
			t.Errorf("-encoding/json +quick:\n%s", diff)
		}
	})
}

func TestLinesLongerThanTheBufferAreWhole(t *testing.T) {
	long := strings.Repeat("x", 1000)
	in := bufio.NewReaderSize(strings.NewReader("a\n"+long+"\n"+long), 16)
	for _, want := range []string{"a\n", long + "\n", long} {
		got, _ := readLine(in)
		if string(got) != want {
			t.Errorf("read %d bytes, want %d", len(got), len(want))
		}
	}
}

func TestOpsOutliveTheReadingOfOthers(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const n = 200
	body := func(i int) string { return fmt.Sprintf(`{"name":"%04d %s"}`, i, strings.Repeat("x", 2*opsBuffer/n)) }
	run := create(t, w, "identity", func(yield func(*plan.Op, error) bool) {
		for i := range n {
			op := &plan.Op{
				N: i, Row: plan.Row{Number: i + 2}, Action: plan.Create, Event: plan.Event{Name: fmt.Sprint("Tea ", i)},
				Body: []byte(body(i)),
			}
			if !yield(op, nil) {
				return
			}
		}
	})
	var all []*plan.Op
	for op, err := range run.Sends() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, op)
	}
	for i, op := range all {
		if string(op.Body) != body(i) || op.Event.Name != fmt.Sprint("Tea ", i) {
			t.Fatalf("op %d is %q with body %.20s", i, op.Event.Name, op.Body)
		}
	}
	if len(all) != n {
		t.Errorf("%d ops", len(all))
	}
}
