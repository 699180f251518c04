package journal

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// TestGatheredOps holds that each op of a gathered request is sent until its own outcome
// comes.
func TestGatheredOps(t *testing.T) {
	r := newHeld(t).plan(t, plan.Header{}, creates(4)...)
	key := func(op int) string { return KeyHash("cal-1", fmt.Sprint("key-", op)) }
	r.record(
		t,
		Record{Type: Intent, Ops: []int{3, 0, 1}, Operation: "events/guests/add"},
		Record{Type: OK, Op: 0, Key: key(0), Hash: "a", EventID: "gst-0"}, Record{Type: Fail, Op: 1, Key: key(1), Code: "rejected"},
	)
	state, err := r.Read(false)
	must(t, err)
	var got []string
	for _, op := range state.Ops {
		got = append(got, fmt.Sprint(op.Status, " ", op.Operation(), " ", op.Attempts))
	}
	want := []string{"done events/guests/add 1", "failed events/guests/add 1", "pending  0", "sent events/guests/add 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// anyRecord draws a record about one of n ops.
func anyRecord(n int) *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		r := Record{
			Type: rapid.SampledFrom([]Type{Intent, OK, No, Fail, Doubt, Resolved, Skip}).Draw(t, "type"),
			At:   time.UnixMilli(rapid.Int64Range(1, 1e13).Draw(t, "at")),
			Op:   rapid.IntRange(0, n-1).Draw(t, "op"),
			Hash: rapid.StringMatching(`[0-9a-f]{0,8}`).Draw(t, "hash"),
			Code: rapid.SampledFrom([]string{"", Misled, Waited, plan.Differs, plan.Gone, "rejected"}).Draw(t, "code"),
		}
		if r.Type == Intent || rapid.Bool().Draw(t, "with operation") {
			r.Operation = rapid.SampledFrom([]string{"events/create", "events/update", "events/cancel", "guests/add"}).Draw(t, "operation")
			r.Key = KeyHash("cal-1", rapid.String().Draw(t, "key"))
		}
		if rapid.Bool().Draw(t, "with event") {
			r.EventID = rapid.StringMatching(`[A-Za-z0-9]{1,5}`).Draw(t, "event")
		}
		if r.Type == Fail {
			r.Status = rapid.IntRange(400, 599).Draw(t, "status")
			r.Error = rapid.StringN(0, 5, -1).Draw(t, "error")
			r.Fields = []FieldError{{"name", "is taken"}}[:rapid.IntRange(0, 1).Draw(t, "fields")]
		}
		return r
	})
}

// What a store keeps of each op comes back as it was, and what is folded in from then on comes to the same: of a whole
// run and of a share, with names and without.
func TestOutcomesAreRestored(t *testing.T) {
	const ops = 5
	rapid.Check(t, func(t *rapid.T) {
		nth := rapid.SampledFrom([][]int32{nil, {0, 2, 3}}).Draw(t, "share")
		type both struct{ named, plain *State }
		fresh := func() both {
			header := &plan.Header{Run: "run", Counts: plan.Counts{plan.Create: ops}}
			b := both{NewState(header, ops, nth, len(nth)), NewState(header, ops, nth, len(nth))}
			b.named.Naming()
			return b
		}
		fold := func(b both, records ...Record) {
			for _, s := range []*State{b.named, b.plain} {
				for _, r := range records {
					if s.Op(r.Op) != nil {
						must(t, s.Apply(&r))
					}
				}
			}
		}
		same := func(when string, want, got both) {
			for n := range ops {
				for _, s := range [][2]*State{{want.named, got.named}, {want.plain, got.plain}} {
					if diff := cmp.Diff(s[0].Op(n), s[1].Op(n), cmp.AllowUnexported(OpState{})); diff != "" {
						t.Fatalf("%s: op %d: %s", when, n, diff)
					}
				}
			}
			if diff := cmp.Diff(want.named.named, got.named.named, cmp.AllowUnexported(named{})); diff != "" {
				t.Fatalf("%s: names: %s", when, diff)
			}
		}
		records := rapid.SliceOfN(anyRecord(ops), 0, 20)
		folded, restored := fresh(), fresh()
		fold(restored, records.Draw(t, "what goes")...)
		for _, b := range []both{folded, restored} {
			fold(b, Record{Type: Attach, Turn: 7})
		}
		fold(folded, records.Draw(t, "records")...)
		for at := range folded.named.Ops {
			o := folded.named.Outcome(at)
			if !restored.named.Restore(&o) || !restored.plain.Restore(&o) {
				t.Fatalf("there is no op %d", o.Op)
			}
		}
		same("restored", folded, restored)
		more := records.Draw(t, "more")
		for _, b := range []both{folded, restored} {
			fold(b, more...)
		}
		same("gone on with", folded, restored)
		if nth != nil && restored.named.Restore(&Outcome{Op: 1}) || restored.named.Restore(&Outcome{Op: ops}) {
			t.Fatal("an op that is not there was restored")
		}
	})
}

// A run that was taken up in an earlier turn than before is no younger for it.
func TestATurnIsTheHighest(t *testing.T) {
	s := NewState(&plan.Header{}, 0, nil, 0)
	for _, turn := range []int{3, 7, 0, 5} {
		must(t, s.Apply(&Record{Type: Attach, Turn: turn}))
	}
	if s.Turn != 7 {
		t.Errorf("the turn is %d", s.Turn)
	}
}
