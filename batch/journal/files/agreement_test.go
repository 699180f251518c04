package files

import (
	"testing"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// TestWhatARunHasAgreedToUndoneAndMadeIsRemembered goes through the life of one event.
func TestWhatARunHasAgreedToUndoneAndMadeIsRemembered(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	turn := 0
	type step struct {
		what   string
		header plan.Header
		op     plan.Op
		id     string
		want   plan.Known
	}
	key := plan.Event{Calendar: "cal-1", Key: "k"}
	event, second := key, key
	event.ID, second.ID = "evt-1", "evt-2"
	steps := []step{
		{
			"made",
			plan.Header{Origin: plan.Origin{Source: "members"}},
			plan.Op{Action: plan.Create, Event: key, Hash: "a+m"},
			"evt-1",
			plan.Known{EventID: "evt-1", Hash: "a+m", Source: "members", Made: true},
		},
		{
			"changed by another source",
			plan.Header{Origin: plan.Origin{Source: "others"}},
			plan.Op{Action: plan.Update, Event: event, Hash: "b+m"},
			"evt-1",
			plan.Known{EventID: "evt-1", Hash: "b+m", Source: "members", Made: true},
		},
		{
			"agreed to differ",
			plan.Header{Origin: plan.Origin{Source: "members"}},
			plan.Op{Action: plan.Unchanged, Event: event, Hash: "c+m", Agrees: plan.Differs},
			"",
			plan.Known{EventID: "evt-1", Hash: "c+m", Source: "members", Made: true},
		},
		{
			"undone",
			plan.Header{Origin: plan.Origin{Reverts: plan.Undo}},
			plan.Op{Action: plan.Update, Event: event, Hash: "c+m"},
			"evt-1",
			plan.Known{EventID: "evt-1", Hash: "c+m", Source: "members", Undone: true, Made: true},
		},
		{
			"done again",
			plan.Header{Origin: plan.Origin{Reverts: plan.Redo}},
			plan.Op{Action: plan.Update, Event: event, Hash: "c+m"},
			"evt-1",
			plan.Known{EventID: "evt-1", Hash: "c+m", Source: "members", Made: true},
		},
		{
			"cancelled by an undo",
			plan.Header{Origin: plan.Origin{Reverts: plan.Undo}},
			plan.Op{Action: plan.Cancel, Event: event, Hash: "c+m"},
			"evt-1",
			plan.Known{EventID: "evt-1", Hash: "c+m", Cancelled: true, Undone: true},
		},
		{
			"made again",
			plan.Header{Origin: plan.Origin{Source: "others"}},
			plan.Op{Action: plan.Create, Event: key, Hash: "d+m"},
			"evt-2",
			plan.Known{EventID: "evt-2", Hash: "d+m", Source: "others", Made: true},
		},
		{
			"found to be gone",
			plan.Header{Origin: plan.Origin{Source: "others"}},
			plan.Op{Action: plan.Unchanged, Event: second, Hash: "d+m", Agrees: plan.Gone},
			"",
			plan.Known{EventID: "evt-2", Hash: "d+m", Gone: true, Source: "others", Made: true},
		},
	}
	var maker string // of the event that is there
	for _, s := range steps {
		s.header.Target = target
		run, err := newRun(w, s.header, func(yield func(*plan.Op, error) bool) { yield(&s.op, nil) })
		if err != nil {
			t.Fatal(err)
		}
		turn++
		j, _, err := run.Attach(journal.Attachment{Target: target, Turn: turn})
		if err != nil {
			t.Fatal(err)
		}
		var records []journal.Record
		if s.op.Agrees != "" {
			records = []journal.Record{journal.Agreement(&s.op)}
		} else {
			operation := journal.OperationOf(string(s.op.Action))
			records = []journal.Record{
				{Type: journal.Intent, Operation: operation, Key: journal.KeyHash("cal-1", "k"), Hash: s.op.Hash, EventID: s.op.Event.ID},
				{Type: journal.OK, EventID: s.id},
			}
		}
		for _, r := range records {
			if err := j.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"}); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		state, err := run.State()
		if err != nil || state.Tally().Open() != 0 {
			t.Fatalf("%s: %v open, %v", s.what, state.Tally().Open(), err)
		}
		if s.op.Action == plan.Create {
			maker = run.ID()
		}
		for _, replayed := range []int{1000, 0} { // as it is replayed, and as the snapshot has it
			w.replayed = replayed
			m, err := w.Memory(target.BaseURL)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := m.Recall("cal-1", "k")
			if s.want.Run = run.ID(); s.want.Source != "" {
				s.want.Maker = maker
			}
			if got != s.want {
				t.Errorf("%s, snapshot %v:\ngot  %+v\nwant %+v", s.what, replayed == 0, got, s.want)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
