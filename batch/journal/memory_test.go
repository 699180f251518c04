package journal

import (
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
)

func TestMemory(t *testing.T) {
	end := Record{Type: End, Code: "done"}
	doubt := Record{Type: Doubt, Code: "reset"}
	for _, tt := range []struct {
		name string
		kind plan.Action
		runs [][]Record // of op 0, run by run
		want plan.Known // Run as the index of the run from 1
		none bool
	}{
		{name: "never planned", none: true},
		{
			name: "created", runs: [][]Record{{intent(0, plan.Create), done(0), end}},
			want: plan.Known{EventID: "evt-0", Hash: "hash-0", Run: "1", Made: true},
		},
		{
			name: "failed is not remembered as sent",
			runs: [][]Record{{intent(0, plan.Create), {Type: Fail, Code: "rejected"}, end}}, want: plan.Known{Run: "1"},
		},
		{
			name: "an update that failed leaves the content unknown",
			runs: [][]Record{{intent(0, plan.Create), done(0), end}, {intent(0, plan.Update), {Type: Fail, Code: "rejected"}, end}},
			want: plan.Known{EventID: "evt-0", Run: "2", Made: true},
		},
		{
			name: "an update without outcome forgets the hash",
			runs: [][]Record{{intent(0, plan.Create), done(0), end}, {intent(0, plan.Update)}},
			want: plan.Known{EventID: "evt-0", Run: "2", Owed: true, Made: true},
		},
		{
			name: "an update brings a new hash",
			runs: [][]Record{
				{intent(0, plan.Create), done(0), end},
				{
					{Type: Intent, Operation: "events/update", Key: KeyHash("cal-1", "key-0"), Hash: "new"},
					{Type: OK, EventID: "evt-0"},
					end,
				},
			},
			want: plan.Known{EventID: "evt-0", Hash: "new", Run: "2", Made: true},
		},
		{name: "create without outcome", runs: [][]Record{{intent(0, plan.Create)}}, want: plan.Known{Run: "1", Owed: true}},
		{
			name: "create in doubt", runs: [][]Record{{intent(0, plan.Create), doubt, {Type: End, Code: "partial"}}},
			want: plan.Known{Run: "1", Owed: true},
		},
		{
			name: "doubt resolved: adopted",
			runs: [][]Record{{intent(0, plan.Create), doubt, {Type: Resolved, EventID: "evt-0"}, end}},
			want: plan.Known{EventID: "evt-0", Hash: "hash-0", Run: "1", Made: true},
		},
		{name: "doubt resolved: free", runs: [][]Record{{intent(0, plan.Create), doubt, {Type: Resolved}}}, want: plan.Known{Run: "1"}},
		{
			name: "certainly not sent",
			runs: [][]Record{{intent(0, plan.Create), {Type: No, Status: 429}, {Type: End, Code: "stopped"}}},
			want: plan.Known{Run: "1"},
		},
		{
			name: "found to exist", runs: [][]Record{{intent(0, plan.Create), {Type: Skip, Code: "exists", EventID: "evt-7"}, end}},
			want: plan.Known{EventID: "evt-7", Run: "1", Made: true},
		},
		{
			name: "cancelled", runs: [][]Record{{intent(0, plan.Create), done(0), end}, {intent(0, plan.Cancel), {Type: OK}, end}},
			want: plan.Known{EventID: "evt-0", Run: "2", Cancelled: true},
		},
		{
			name: "an older run that went on later has the last word",
			runs: [][]Record{
				{intent(0, plan.Create), {Type: OK, EventID: "evt-0", At: time.UnixMilli(5000)}, end},
				{
					{Type: Intent, Operation: "events/update", Key: KeyHash("cal-1", "key-0"), Hash: "stale"},
					{Type: OK, EventID: "evt-0"},
					end,
				},
			},
			want: plan.Known{EventID: "evt-0", Hash: "hash-0", Run: "1", Made: true},
		},
		{
			name: "created again after it was cancelled",
			runs: [][]Record{
				{intent(0, plan.Create), done(0), end},
				{intent(0, plan.Cancel), {Type: OK}, end},
				{intent(0, plan.Create), {Type: OK, EventID: "evt-new"}, end},
			},
			want: plan.Known{EventID: "evt-new", Hash: "hash-0", Run: "3", Made: true},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := OpenWorkspace(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]string{}
			for i, records := range tt.runs {
				run := create(t, w, "identity", ops(1, plan.Create))
				names[string(rune('1'+i))] = run.ID()
				j, _ := attach(t, run)
				for _, r := range records {
					if r.At.IsZero() {
						r.At = time.UnixMilli(int64(1000 * (i + 1)))
					}
					mustCommit(t, j, r)
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
			m, err := w.Memory(baseURL)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Run = names[tt.want.Run]
			got, ok := m.Recall("cal-1", "key-0")
			if diff := cmp.Diff(tt.want, got); diff != "" || ok == tt.none {
				t.Error(ok, diff)
			}
			if byEvent, ok := m.Event(tt.want.EventID); ok != (tt.want.EventID != "") || ok && byEvent != got {
				t.Errorf("by event id: %+v, %v", byEvent, ok)
			}
			for _, other := range [][2]string{{"cal-2", "key-0"}, {"cal-1", "key-1"}, {"cal-1key", "-0"}} {
				if known, ok := m.Recall(other[0], other[1]); ok {
					t.Errorf("%v is known as %+v", other, known)
				}
			}
			elsewhere, err := w.Memory("https://other.test")
			if err != nil {
				t.Fatal(err)
			}
			if known, ok := elsewhere.Recall("cal-1", "key-0"); ok {
				t.Errorf("another service knows %+v", known)
			}
		})
	}
}

// TestMemoryOfWhatIsYetToCome: the rows that a run has not come to are owed while
// a process is at work on it. Before and after, only those whose outcome is not
// known are.
func TestMemoryOfWhatIsYetToCome(t *testing.T) {
	w, run := planned(t, 3)
	known := func(key string) plan.Known {
		t.Helper()
		m, err := w.Memory(baseURL)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := m.Recall("cal-1", key)
		return k
	}
	if k := known("key-2"); k.Owed {
		t.Error("a plan that nobody applies blocks its keys")
	}
	j, _ := attach(t, run)
	mustCommit(t, j, intent(0, plan.Create), done(0))
	for key, want := range map[string]bool{"key-0": false, "key-1": true, "key-2": true} {
		if k := known(key); k.Owed != want {
			t.Errorf("%s under way: %+v", key, k)
		}
	}
	mustCommit(t, j, intent(1, plan.Create))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"key-0": false, "key-1": true, "key-2": false} {
		if k := known(key); k.Owed != want {
			t.Errorf("%s after a stop: %+v", key, k)
		}
	}
	j, _ = attach(t, run)
	mustCommit(t, j, done(1), intent(2, plan.Create), done(2), Record{Type: End, Code: "done"})
	if k := known("key-2"); k.Owed || k.EventID != "evt-2" {
		t.Errorf("key-2 at the end: %+v", k)
	}
}

func TestOvertaken(t *testing.T) {
	w, first := planned(t, 3)
	second := create(t, w, "other", ops(2, plan.Create))
	overtaken := func(r *runFolder) (op int, by string) {
		t.Helper()
		m, err := w.Memory(baseURL)
		if err != nil {
			t.Fatal(err)
		}
		found, by, err := m.Overtaken(r)
		if err != nil {
			t.Fatal(err)
		}
		if found == nil {
			return -1, by
		}
		return found.N, by
	}
	if op, by := overtaken(first); op != -1 {
		t.Errorf("overtaken at %d by %s before anything was sent", op, by)
	}
	j, _ := attach(t, second)
	if op, by := overtaken(first); op != 0 || by != second.ID() {
		t.Errorf("overtaken at %d by %q while the other run is under way", op, by)
	}
	for op := range 2 {
		mustCommit(t, j, intent(op, plan.Create), Record{Type: OK, Op: op, EventID: "evt"})
	}
	mustCommit(t, j, Record{Type: End, Code: "done"})
	if op, by := overtaken(first); op != 0 || by != second.ID() {
		t.Errorf("overtaken at %d by %q: it would create twice", op, by)
	}
	if op, by := overtaken(second); op != -1 {
		t.Errorf("overtaken at %d by %s, that is by itself", op, by)
	}
	third := create(t, w, "third", knowing(t, w, ops(1, plan.Update)))
	if op, by := overtaken(third); op != -1 {
		t.Errorf("planned later, but overtaken at %d by %s", op, by)
	}
}

// knowing gives each op what the workspace knows of it now, as planning does.
func knowing(t *testing.T, w *Workspace, all iter.Seq2[*plan.Op, error]) iter.Seq2[*plan.Op, error] {
	t.Helper()
	m, err := w.Memory(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range all {
			op.Known = plan.Recollection(m, &op.Event)
			if !yield(op, err) {
				return
			}
		}
	}
}

// TestOvertakenInPlansOfEarlierVersions do not say what was known: a later plan that
// has dealt with an op overtakes it, and an event made by an earlier one.
func TestOvertakenInPlansOfEarlierVersions(t *testing.T) {
	for _, tt := range []struct {
		action plan.Action // of the run that is asked about
		later  bool        // it was planned after the other, which made the event
		want   bool
	}{
		{plan.Create, false, true},
		{plan.Create, true, true},
		{plan.Update, false, true},
		{plan.Update, true, false},
	} {
		w, err := OpenWorkspace(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		runs := map[bool]*runFolder{}
		for _, later := range []bool{false, true} {
			action := plan.Create
			if later == tt.later {
				action = tt.action
			}
			runs[later] = create(t, w, "identity", ops(1, action))
		}
		j, _ := attach(t, runs[!tt.later])
		mustCommit(t, j, intent(0, plan.Create), done(0), Record{Type: End, Code: "done"})
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := w.Memory(baseURL)
		if err != nil {
			t.Fatal(err)
		}
		old := runs[tt.later]
		old.header.Number = 0
		if op, by, err := m.Overtaken(old); err != nil || (op != nil) != tt.want {
			t.Errorf("%+v: overtaken at %v by %q, %v", tt, op, by, err)
		}
	}
}
