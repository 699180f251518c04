package journal

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

func TestLinesLongerThanTheBufferAreWhole(t *testing.T) {
	long := strings.Repeat("x", 1000)
	in := bufio.NewReaderSize(strings.NewReader("a\n"+long+"\n"+long), 16)
	for _, want := range []string{"a\n", long + "\n", long} {
		got, _ := ReadLine(in)
		if string(got) != want {
			t.Errorf("read %d bytes, want %d", len(got), len(want))
		}
	}
}

// A sealed draft is the plan that was added, with what changed in the end, under a header that vouches for it.
func TestADraftBecomesWhatWasAdded(t *testing.T) {
	folder, to := t.TempDir(), &heldRun{number: 7}
	created := time.Date(2026, 11, 21, 3, 19, 5, 0, time.UTC)
	d, err := NewDraft(plan.Header{Run: "run-1", Created: created, Home: plan.Home{Host: "host"}}, folder, to)
	must(t, err)
	want := ops(2*handed+1, plan.Create)
	for _, op := range ops(len(want), plan.Create) {
		must(t, d.Add(op))
	}
	d.Pass("")
	changes := map[int]Change{300: {Action: plan.Blocked, Reason: "it waits", EventID: "e"}}
	run, err := d.Seal(plan.Header{Command: "import", Target: target}, changes)
	must(t, err)
	want[300].Action, want[300].Reason, want[300].Event.ID = plan.Blocked, "it waits", "e"
	for op, err := range run.Ops() {
		must(t, err)
		w := *want[op.N]
		w.At, w.Size = op.At, op.Size
		if diff := cmp.Diff(&w, op); diff != "" {
			t.Fatal(diff)
		}
	}
	head, err := ParseHead("plan", run.Head().Line)
	must(t, err)
	if head.Seal != run.Head().Seal {
		t.Errorf("the seal became %+v", head.Seal)
	}
	h := head.Header
	if h.Run != "run-1" || h.Number != 7 || !h.Created.Equal(created) || h.Counts[plan.Create] != 2*handed || h.Counts[plan.Blocked] != 1 ||
		h.Passed != 1 || h.Home.Host != "host" || head.Ops != len(want) {
		t.Errorf("the header is %+v", h)
	}
	lines, rows := &Summer{W: new(strings.Builder)}, &Summer{W: new(strings.Builder)}
	for n := range to.lines {
		_, _ = lines.Write(to.lines[n])
		_, _ = rows.Write(to.rows[n])
	}
	if head.Lines != lines.Measure() || head.Rows != rows.Measure() {
		t.Errorf("the seal is %+v", head.Seal)
	}
	if again, err := run.Checksum(); err != nil || len(again) != 20 {
		t.Errorf("%q, %v", again, err)
	}
}

func TestADraftThatIsNotToBeIsDiscarded(t *testing.T) {
	for name, end := range map[string]func(d *Draft) error{
		"given up": (*Draft).Discard,
		"a disk that is full": func(d *Draft) error {
			must(t, d.rows.file.Close()) // nothing more can be written
			_, err := d.Seal(plan.Header{}, nil)
			if err == nil {
				t.Error("it became a run")
			}
			return nil
		},
	} {
		to := &heldRun{}
		d, err := NewDraft(plan.Header{Run: "run-1"}, t.TempDir(), to)
		must(t, err)
		if err := d.Add(&plan.Op{N: 1}); err == nil {
			t.Errorf("%s: a gap was taken", name)
		}
		for _, op := range creates(3) {
			must(t, d.Add(op))
		}
		must(t, end(d))
		if !to.discarded || to.run != nil {
			t.Errorf("%s: %+v", name, to)
		}
	}
	if _, err := NewDraft(plan.Header{Run: "run-1"}, "nowhere", &heldRun{}); err == nil {
		t.Error("begun in no folder")
	}
}

// What a header does not vouch for is refused.
func TestHeadersAreWhatWasWritten(t *testing.T) {
	line := newHeld(t).plan(t, plan.Header{Command: "import"}, creates(1)...).run.Head().Line
	for i := range line {
		broken := append([]byte(nil), line...)
		if broken[i] ^= 1; i == len(line)-1 {
			continue // where it ends is for whoever reads it
		}
		if _, err := ParseHead("plan", broken); err == nil {
			t.Errorf("byte %d is changed unseen: %s", i, broken)
		}
	}
}

// A line of the first version has all that its op has.
func TestOpsOfTheFirstVersion(t *testing.T) {
	line := `{"n":0,"row":{"source":0,"number":2,"cells":["Tea"]},"action":"update","reason":"r",` +
		`"event":{"calendar":"cal-1","key":"key-0","id":"evt-9"},"body":{"name":"Tea"},"from":{"name":0}}` + "\n"
	var op plan.Op
	must(t, DecodeOp(1, []byte(line), &op))
	if string(op.Body) != `{"name":"Tea"}` || op.Cells[0] != "Tea" || op.From["name"] != 0 || op.Operation != "events/update" ||
		!op.Effects.Has(schema.Mails) || op.Requests != 1 {
		t.Errorf("%+v", op)
	}
}

// Reading ops in order ends with what is not an op of the plan.
func TestWhatIsNotAnOpIsDamage(t *testing.T) {
	for name, harm := range map[string]func(r *heldRun){
		"no JSON":      func(r *heldRun) { r.lines[1] = []byte("{\n") },
		"an op again":  func(r *heldRun) { r.lines[1] = r.lines[0] },
		"another's":    func(r *heldRun) { r.rows[1] = r.rows[2] },
		"no row":       func(r *heldRun) { r.rows[1] = nil },
		"half a row":   func(r *heldRun) { r.rows[1] = r.rows[1][:5] },
		"other's line": func(r *heldRun) { r.lines[2] = r.lines[1] },
	} {
		r := newHeld(t).plan(t, plan.Header{}, creates(3)...)
		harm(r)
		var last error
		for _, err := range r.run.Ops() {
			last = err
		}
		if _, is := last.(*DamagedError); !is {
			t.Errorf("%s: %v", name, last)
		}
	}
}
