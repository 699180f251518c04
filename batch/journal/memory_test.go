package journal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// What a machine was answered is waited for as long, whatever the clocks of machines say: they write and
// read the time of the store.
func TestMachinesOfAStoreHaveItsClock(t *testing.T) {
	lag := api.NewLag(30*time.Second, 0)
	for _, ahead := range []time.Duration{-3 * time.Minute, 0, 3 * time.Minute} { // the store's clock, of this machine's
		now := time.Now().Add(ahead)
		m := NewMemory(now)
		m.Run("run", "", now)
		left := lag.Left(m.Heard("run"), time.Now())
		if left < lag.Whole()-time.Second || left > lag.Whole() {
			t.Errorf("a store %v ahead: %v are left of %v", ahead, left, lag.Whole())
		}
	}
}

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
			want: plan.Known{EventID: "evt-0", Hash: "hash-0", Run: "1", Made: true, Maker: "1"},
		},
		{
			name: "failed is not remembered as sent",
			runs: [][]Record{{intent(0, plan.Create), {Type: Fail, Code: "rejected"}, end}}, want: plan.Known{Run: "1"},
		},
		{
			name: "an update that failed leaves the content unknown",
			runs: [][]Record{{intent(0, plan.Create), done(0), end}, {intent(0, plan.Update), {Type: Fail, Code: "rejected"}, end}},
			want: plan.Known{EventID: "evt-0", Run: "2", Made: true, Maker: "1"},
		},
		{
			name: "an update without outcome forgets the hash",
			runs: [][]Record{{intent(0, plan.Create), done(0), end}, {intent(0, plan.Update)}},
			want: plan.Known{EventID: "evt-0", Run: "2", Owed: true, Made: true, Maker: "1"},
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
			want: plan.Known{EventID: "evt-0", Hash: "new", Run: "2", Made: true, Maker: "1"},
		},
		{name: "create without outcome", runs: [][]Record{{intent(0, plan.Create)}}, want: plan.Known{Run: "1", Owed: true}},
		{
			name: "create in doubt", runs: [][]Record{{intent(0, plan.Create), doubt, {Type: End, Code: "partial"}}},
			want: plan.Known{Run: "1", Owed: true},
		},
		{
			name: "doubt resolved: adopted",
			runs: [][]Record{{intent(0, plan.Create), doubt, {Type: Resolved, EventID: "evt-0"}, end}},
			want: plan.Known{EventID: "evt-0", Hash: "hash-0", Run: "1", Made: true, Maker: "1"},
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
			want: plan.Known{EventID: "evt-0", Hash: "hash-0", Run: "1", Made: true, Maker: "1"},
		},
		{
			name: "created again after it was cancelled",
			runs: [][]Record{
				{intent(0, plan.Create), done(0), end},
				{intent(0, plan.Cancel), {Type: OK}, end},
				{intent(0, plan.Create), {Type: OK, EventID: "evt-new"}, end},
			},
			want: plan.Known{EventID: "evt-new", Hash: "hash-0", Run: "3", Made: true, Maker: "3"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, names := newHeld(t), map[string]string{}
			for i, records := range tt.runs {
				r := s.plan(t, plan.Header{}, creates(1)...)
				names[string(rune('1'+i))] = r.run.ID()
				r.attach(0)
				for _, record := range records {
					if record.At.IsZero() {
						record.At = time.UnixMilli(int64(1000 * (i + 1)))
					}
					r.record(t, record)
				}
				r.held = false
			}
			m := s.memory(t)
			tt.want.Run, tt.want.Maker = names[tt.want.Run], names[tt.want.Maker]
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
		})
	}
}

// TestMemoryOfWhatIsYetToCome: the rows that a run has not come to are owed while
// a process is at work on it. Before and after, only those whose outcome is not
// known are.
func TestMemoryOfWhatIsYetToCome(t *testing.T) {
	s := newHeld(t)
	r := s.plan(t, plan.Header{}, creates(3)...)
	owed := func(when string, want map[string]bool) {
		t.Helper()
		for key, want := range want {
			if k, _ := s.memory(t).Recall("cal-1", key); k.Owed != want {
				t.Errorf("%s %s: %+v", key, when, k)
			}
		}
	}
	owed("before", map[string]bool{"key-2": false})
	r.attach(1)
	r.record(t, intent(0, plan.Create), done(0))
	owed("under way", map[string]bool{"key-0": false, "key-1": true, "key-2": true})
	r.record(t, intent(1, plan.Create))
	r.held = false
	owed("after a stop", map[string]bool{"key-0": false, "key-1": true, "key-2": false})
	r.attach(2)
	r.record(t, done(1), intent(2, plan.Create), done(2), Record{Type: End, Code: "done"})
	owed("at the end", map[string]bool{"key-2": false})
	if k, _ := s.memory(t).Recall("cal-1", "key-2"); k.EventID != "evt-2" {
		t.Errorf("key-2 at the end: %+v", k)
	}
}

func TestOvertaken(t *testing.T) {
	s := newHeld(t)
	first, second := s.plan(t, plan.Header{}, creates(3)...), s.plan(t, plan.Header{}, creates(2)...)
	overtaken := func(when string, r *heldRun, want int, whose string) {
		t.Helper()
		state, err := r.run.State()
		must(t, err)
		op, by, err := s.memory(t).Overtaken(r.run, state)
		must(t, err)
		if got := op != nil; got != (want >= 0) || got && (op.N != want || by != whose) {
			t.Errorf("%s: overtaken at %+v by %q", when, op, by)
		}
	}
	overtaken("before anything was sent", first, -1, "")
	second.attach(1)
	overtaken("while the other run is under way", first, 0, second.run.ID())
	for op := range 2 {
		second.record(t, intent(op, plan.Create), Record{Type: OK, Op: op, EventID: "evt"})
	}
	second.record(t, Record{Type: End, Code: "done"})
	overtaken("it would create twice", first, 0, second.run.ID())
	overtaken("by itself", second, -1, "")
	third := ops(1, plan.Update)
	third[0].Known = plan.Recollection(s.memory(t), &third[0].Event)
	overtaken("planned later", s.plan(t, plan.Header{}, third...), -1, "")
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
		s, runs := newHeld(t), map[bool]*heldRun{}
		for _, later := range []bool{false, true} {
			action := plan.Create
			if later == tt.later {
				action = tt.action
			}
			runs[later] = s.plan(t, plan.Header{}, ops(1, action)...)
		}
		of := runs[!tt.later]
		of.attach(1)
		of.record(t, intent(0, plan.Create), done(0), Record{Type: End, Code: "done"})
		of.held = false
		old := runs[tt.later].run
		old.Head().Header.Number = 0
		state, err := old.State()
		must(t, err)
		if op, by, err := s.memory(t).Overtaken(old, state); err != nil || (op != nil) != tt.want {
			t.Errorf("%+v: overtaken at %v by %q, %v", tt, op, by, err)
		}
	}
}

// An update that found no event tells so to later plans, until one finds it.
func TestMissingEventsAreRemembered(t *testing.T) {
	s := newHeld(t)
	r := s.plan(t, plan.Header{}, creates(2)...)
	gone := Record{Type: Fail, EventID: "evt-1", Code: string(schema.CodeNotAllowed), Status: 403}
	refused := Record{Type: Fail, Op: 1, EventID: "evt-2", Code: string(schema.CodeServiceRejected), Status: 400}
	r.attach(1)
	r.record(t, intent(0, plan.Update), gone, intent(1, plan.Update), refused)
	recall := func(key string) plan.Known {
		t.Helper()
		known, ok := s.memory(t).Recall("cal-1", key)
		if !ok {
			t.Fatalf("%s is not known", key)
		}
		return known
	}
	if known := recall("key-0"); !known.Gone || known.EventID != "evt-1" {
		t.Errorf("after a refusal: %+v", known)
	}
	if known := recall("key-1"); known.Gone {
		t.Errorf("a bad value is no missing event: %+v", known)
	}
	r.record(t, intent(0, plan.Create), Record{Type: OK, EventID: "evt-3"})
	if known := recall("key-0"); known.Gone || known.EventID != "evt-3" {
		t.Errorf("after it was made anew: %+v", known)
	}
}

// A key has one owner, whoever has asked for what is his: the source that made its event last.
func TestAKeyHasOneOwner(t *testing.T) {
	s := newHeld(t)
	first := s.plan(t, plan.Header{Origin: plan.Origin{Source: "members"}}, creates(2)...)
	first.attach(1)
	first.record(t, intent(0, plan.Create), done(0), intent(1, plan.Create))
	first.held = false // something is left to do
	again := s.plan(t, plan.Header{Origin: plan.Origin{Source: "guests"}}, creates(1)...)
	again.attach(2)
	again.record(t, intent(0, plan.Create), done(0), Record{Type: End, Code: "done"})
	again.held = false
	m := s.memory(t)
	for source, want := range map[string]string{"members": "", "guests": again.run.ID()} {
		var got strings.Builder
		for owned := range m.Owned(source) {
			got.WriteString(owned.Run)
		}
		if got.String() != want {
			t.Errorf("%s own what run %q has made, want %q", source, got.String(), want)
		}
	}
}
