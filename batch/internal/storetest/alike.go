package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// Alike leads the stores of two places through the same past, and asks both the same
// questions: the first is one that is known to answer as it should.
func Alike(t *testing.T, open ...func(t testing.TB) Place) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &past{}
		for _, open := range open {
			p.sides = append(p.sides, &side{place: open(t), numbers: map[string]int{}})
		}
		defer p.release(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"plan": p.plan, "send": p.send, "send more": p.send, "release": p.release, "prune": p.prune, "": p.compare,
		})
	})
}

// past is what has happened on all sides.
type past struct {
	sides []*side
	runs  int
	held  map[int]bool // runs that a process has
	fresh []string     // keys of which nothing was known when they were planned
}

// side is one of the stores.
type side struct {
	place   Place
	ids     []string
	numbers map[string]int // of the runs, by their ids
	held    []journal.Journal
}

// each does the same on all sides.
func (p *past) each(do func(s *side)) {
	for _, s := range p.sides {
		do(s)
	}
}

var (
	pastKeys    = []string{"key-a", "key-b", "key-c"}
	pastEvents  = []string{"evt-1", "evt-2", "evt-3"}
	pastSources = []string{"", "members", "guests"}
)

func (p *past) plan(t *rapid.T) {
	h := header(rapid.SampledFrom([]string{"one", "two"}).Draw(t, "identity"))
	h.Source = rapid.SampledFrom(pastSources).Draw(t, "source")
	h.TakesOver = rapid.SampledFrom([]string{"", "", "", "members"}).Draw(t, "takes over")
	h.Reverts = rapid.SampledFrom([]string{"", "", plan.Undo, plan.Redo}).Draw(t, "reverts")
	var ops []*plan.Op
	for n, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(pastKeys), 1, 3, rapid.ID).Draw(t, "keys") {
		action := rapid.SampledFrom([]plan.Action{plan.Create, plan.Update, plan.Cancel, plan.Unchanged}).Draw(t, "action")
		o := op(n, action)
		if action == plan.Create && rapid.IntRange(0, 3).Draw(t, "fresh") == 0 {
			key = fmt.Sprint("key-fresh-", len(p.fresh))
			p.fresh = append(p.fresh, key)
		}
		o.Event.Key, o.Hash = key, fmt.Sprintf("hash-%d-%d+made", p.runs, n)
		if action == plan.Unchanged {
			o.Agrees = rapid.SampledFrom([]string{plan.Differs, plan.Gone}).Draw(t, "agrees")
		}
		if action != plan.Create {
			o.Event.ID = rapid.SampledFrom(pastEvents).Draw(t, "event")
		}
		ops = append(ops, o)
	}
	p.each(func(s *side) {
		own := make([]*plan.Op, len(ops))
		for i := range ops {
			own[i] = new(*ops[i]) // a draft takes its ops over
		}
		id := sealed(t, s.place.Open(), begun.Add(time.Duration(p.runs)*time.Minute), h, own...).ID()
		s.numbers[id] = len(s.ids)
		s.ids = append(s.ids, id)
	})
	p.runs++
}

// send takes a run up and records what becomes of its ops, to the end of the process, to
// its death, or while it goes on.
func (p *past) send(t *rapid.T) {
	var left []int
	for n, id := range p.sides[0].ids {
		if id != "" && !p.held[n] {
			left = append(left, n)
		}
	}
	if len(left) == 0 {
		t.Skip("no run")
	}
	n := rapid.SampledFrom(left).Draw(t, "run")
	state, err := found(t, p.sides[0].place.Open(), p.sides[0].ids[n]).State()
	must(t, err)
	var records []journal.Record
	for op, err := range found(t, p.sides[0].place.Open(), p.sides[0].ids[n]).Lines() {
		must(t, err)
		if open := state.Ops[op.N].Status; op.Agrees != "" && open == journal.Pending {
			records = append(records, journal.Agreement(op))
		} else if op.Action.Sends() && open.Open() {
			records = append(records, p.outcome(t, op)...)
		}
	}
	for i := range records {
		records[i].At = begun.Add(time.Duration(p.runs+i) * time.Hour)
	}
	then := rapid.SampledFrom([]string{"end", "end", "end", "die", "go on"}).Draw(t, "then")
	p.each(func(s *side) {
		store := s.place.Open()
		m, err := store.Memory(service)
		must(t, err)
		turn := m.Turn()
		must(t, m.Close())
		j, _, err := found(t, store, s.ids[n]).Attach(journal.Attachment{Target: here, Turn: turn})
		must(t, err)
		for _, r := range records {
			must(t, j.Commit(t.Context(), r))
		}
		if then == "go on" {
			s.held = append(s.held, j)
			return
		}
		if then == "end" {
			e := end("done")
			e.At = begun.Add(100 * time.Hour)
			must(t, j.Commit(t.Context(), e))
		}
		must(t, j.Close())
	})
	if then == "go on" {
		if p.held == nil {
			p.held = map[int]bool{}
		}
		p.held[n] = true
	}
}

// outcome draws what becomes of an op.
func (p *past) outcome(t *rapid.T, op *plan.Op) []journal.Record {
	id := op.Event.ID
	if id == "" {
		id = rapid.SampledFrom(pastEvents).Draw(t, "made")
	}
	records := []journal.Record{{
		Type: journal.Intent, Op: op.N, Operation: op.Operation, Key: journal.KeyHash("cal-1", op.Event.Key), EventID: op.Event.ID,
		Hash: op.Hash,
	}}
	after := []journal.Record{
		{Type: journal.OK, EventID: id},
		{Type: journal.OK, EventID: id},
		{Type: journal.Fail, Code: "rejected"},
		{Type: journal.Skip, Code: "exists", EventID: id},
		{Type: journal.Doubt},
		{Type: journal.No},
		{},
	}
	if slices.Contains(p.fresh, op.Event.Key) && rapid.Bool().Draw(t, "misled") {
		return append(records, journal.Record{Type: journal.OK, Op: op.N, EventID: "evt-of-" + op.Event.Key},
			journal.Record{Type: journal.Doubt, Op: op.N, Code: journal.Misled})
	}
	r := rapid.SampledFrom(after).Draw(t, "outcome")
	if r.Op = op.N; r.Type == "" {
		return records
	}
	return append(records, r)
}

// release ends the processes at work.
func (p *past) release(t *rapid.T) {
	p.each(func(s *side) {
		for _, j := range s.held {
			must(t, j.Close())
		}
		s.held = nil
	})
	p.held = nil
}

func (p *past) prune(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("all runs stay")
	}
	what := journal.Pruning{
		Keep: rapid.SampledFrom([]time.Duration{0, time.Hour, journal.Always}).Draw(t, "keep"), Bodies: journal.Always,
		Source: rapid.SampledFrom(pastSources).Draw(t, "of"),
	}
	p.each(func(s *side) {
		gone, err := s.place.Open().Prune(t.Context(), what)
		must(t, err)
		for _, g := range gone.Runs {
			s.ids[s.numbers[g.ID]] = ""
		}
	})
}

// compare asks all sides.
func (p *past) compare(t *rapid.T) {
	var first map[string]string
	p.each(func(s *side) {
		said := s.ask(t, p.fresh)
		if first == nil {
			first = said
		} else if diff := cmp.Diff(first, said); diff != "" {
			t.Fatalf("the stores differ: %s", diff)
		}
	})
}

// ask returns what a store answers, with the numbers of runs in the place of their ids.
func (s *side) ask(t *rapid.T, fresh []string) map[string]string {
	said := map[string]string{}
	store := s.place.Open()
	runs, err := store.Runs()
	must(t, err)
	for i := range runs {
		r := &runs[i]
		said[r.ID] = fmt.Sprint(i, r.Started, r.Ended, r.Tally, r.Err)
	}
	for _, identity := range []string{"one", "two"} {
		run, err := store.Unfinished(identity)
		must(t, err)
		if run != nil {
			said[identity] = run.ID()
		}
	}
	m, err := store.Memory(service)
	must(t, err)
	said["turn"], said["heard"] = fmt.Sprint(m.Turn()), fmt.Sprint(!m.Heard("").IsZero()) // each is told at its own time
	events := slices.Clone(pastEvents)
	for _, key := range fresh {
		events = append(events, "evt-of-"+key)
	}
	for _, key := range slices.Concat(pastKeys, fresh) {
		known, ok := m.Recall("cal-1", key)
		said[key] = fmt.Sprintf("%+v %v", known, ok)
	}
	for _, id := range events {
		known, ok := m.Event(id)
		said[id] = fmt.Sprintf("%+v %v", known, ok)
	}
	for _, source := range pastSources {
		owned := slices.SortedFunc(m.Owned(source), func(a, b journal.Owned) int { return bytes.Compare(a.Name[:], b.Name[:]) })
		said["owned by "+source] = fmt.Sprint(owned)
		for _, run := range m.Left(source) {
			said["left of "+source] += run.ID() + " "
		}
	}
	must(t, m.Err())
	must(t, m.Close())
	var pairs []string
	for id, n := range s.numbers {
		pairs = append(pairs, id, fmt.Sprint("run-", n))
	}
	same, numbered := strings.NewReplacer(pairs...), map[string]string{}
	for question, answer := range said {
		numbered[same.Replace(question)] = same.Replace(answer)
	}
	return numbered
}
