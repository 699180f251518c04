package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// How many creates each run of the model has, and in how many calendars they are.
const (
	modelOps       = 6
	modelCalendars = 3
)

// reach are the calendars that owners reach. Those of the organization are reached by others, too.
var reach = map[string][]string{
	"one": {calendar(0)}, "two": {calendar(1), calendar(2)}, "organization": {calendar(0), calendar(1), calendar(2)},
}

// model is what is known of a place, whatever happens to it.
type model struct {
	place    Place
	runs     []*modelRun
	carriers []*carrier
	turn     int // of the last attachment
}

// modelRun is a run of creates that only a list can find.
type modelRun struct {
	id string
	// ops is what is on record of each, but for what those have recorded who are at work.
	ops      []journal.Outcome
	owners   map[string]string // who has had each calendar last
	attached int
	ended    string // of the whole run
	shaken   bool   // a process was killed, or could not write, since it was last taken up
	cut      bool   // its end was taken away since
}

// GoString returns what a drawing of a run says.
func (r *modelRun) GoString() string { return r.id }

// carrier is a process that has a whole run, or the lease of an owner and perhaps the share of a run.
type carrier struct {
	*process // nil of whoever has a whole run

	owner string
	mine  *modelRun // nil while it has nothing
	turn  int
	// What is read of its ops is what the first of the records come to that were accepted, on top of what was there
	// before. Those behind durable may be lost.
	before  []journal.Outcome
	records []journal.Record
	durable int
	journal journal.Journal
	broken  bool // its next write fails, or one has failed
	lost    bool // from the sight of the store
	fenced  bool // somebody has taken over what it has
}

// GoString returns what a drawing of a carrier says.
func (c *carrier) GoString() string {
	run := ""
	if c.mine != nil {
		run = c.mine.id
	}
	return fmt.Sprintf("owner %q of %q, turn %d, broken %t, lost %t, fenced %t", c.owner, run, c.turn, c.broken, c.lost, c.fenced)
}

// committed draws runs, and processes that take them up, record, break, are killed, lost and taken over from in any
// order.
func committed(t *testing.T, open func(t testing.TB) Place) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{place: open(t)}
		defer func() {
			for _, c := range m.carriers {
				if c.mine != nil {
					_ = c.journal.Close() // it may be broken
				}
			}
		}()
		actions := map[string]func(*rapid.T){
			"plan": m.plan, "attach": m.attach, "end": m.end, "close": m.close, "kill": m.kill, "break": m.breaks, "": m.look,
			"append": func(t *rapid.T) { m.record(t, false) },
			"commit": func(t *rapid.T) { m.record(t, true) },
		}
		if p, lines := m.place.(LinesPlace); lines {
			actions["cut"] = func(t *rapid.T) { m.cut(t, p) }
		}
		if p, shared := m.place.(SharedPlace); shared {
			actions["lease"], actions["share"], actions["release"] = m.lease, m.share, m.release
			actions["lose"] = func(t *rapid.T) { m.lose(t, p) }
		}
		rt.Repeat(actions)
	})
}

func (m *model) plan(t *rapid.T) {
	if len(m.runs) == 2 {
		t.Skip("enough")
	}
	run := sharedRun(t, m.place.Open(), modelOps, modelCalendars)
	m.runs = append(m.runs, &modelRun{id: run.ID(), ops: outcomes(blank()), owners: map[string]string{}})
}

// blank returns the state of a run of which nothing is on record.
func blank() *journal.State {
	s := journal.NewState(&plan.Header{}, modelOps, nil, 0)
	s.Naming()
	return s
}

// any draws a run: from then on, where there was none.
func (m *model) any(t *rapid.T) *modelRun {
	if len(m.runs) == 0 {
		m.plan(t)
	}
	return rapid.SampledFrom(m.runs).Draw(t, "run")
}

func (m *model) is(of func(*carrier) bool) bool { return slices.ContainsFunc(m.carriers, of) }

// draw draws a carrier of some kind.
func (m *model) draw(t *rapid.T, of func(*carrier) bool) *carrier {
	var list []*carrier
	for _, c := range m.carriers {
		if of(c) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		t.Skip("no such process")
	}
	return rapid.SampledFrom(list).Draw(t, "process")
}

// working draws a carrier that has something: one takes a run up where there was none. An action that is drawn again
// and again has something to do then.
func (m *model) working(t *rapid.T) *carrier {
	works := func(c *carrier) bool { return c.mine != nil }
	if _, shared := m.place.(SharedPlace); !m.is(works) && shared && rapid.Bool().Draw(t, "a share") {
		m.share(t)
	} else if !m.is(works) {
		m.attach(t)
	}
	return m.draw(t, works)
}

// has reports whether a process has the lease of an owner, in the sight of the store.
func (m *model) has(owner string) bool {
	return m.is(func(c *carrier) bool { return c.process != nil && c.owner == owner && !c.lost })
}

// ops returns those that the carrier has.
func (c *carrier) ops() []int {
	var list []int
	for n := range modelOps {
		if c.process == nil || slices.Contains(reach[c.owner], calendar(n%modelCalendars)) {
			list = append(list, n)
		}
	}
	return list
}

// attach has a process take the whole of a run up, unless others are at work on it.
func (m *model) attach(t *rapid.T) {
	r := m.any(t)
	m.turn++
	j, state, err := found(t, m.place.Open(), r.id).Attach(journal.Attachment{Target: everywhere(modelCalendars), Turn: m.turn})
	if m.is(func(c *carrier) bool { return c.mine == r && !c.lost }) {
		if !isLocked(err) {
			t.Fatalf("two processes have the run: %v", err)
		}
		return
	}
	must(t, err)
	r.ended = ""
	m.taken(t, r, &carrier{journal: j}, state, func(*carrier) bool { return true })
}

func (m *model) lease(t *rapid.T) {
	m.leaseOf(t, rapid.SampledFrom([]string{"one", "two", "organization"}).Draw(t, "owner"))
}

// leaseOf has a process take the lease of an owner, unless another one has it.
func (m *model) leaseOf(t *rapid.T, owner string) {
	store := m.place.Open().(journal.Shared)
	lease, err := store.Lease(owner)
	if m.has(owner) {
		if !isLocked(err) {
			t.Fatalf("two processes have %s: %v", owner, err)
		}
		return
	}
	must(t, err)
	for _, c := range m.carriers {
		if c.process != nil && c.owner == owner {
			m.fence(t, c)
		}
	}
	m.carriers = append(m.carriers, &carrier{process: &process{store, lease, lease.Share(reach[owner])}, owner: owner})
}

// share has a process take its share of a run up, unless others have some of it.
func (m *model) share(t *rapid.T) {
	r := m.any(t)
	free := func(c *carrier) bool { return c.process != nil && c.mine == nil && !c.lost }
	if !m.is(free) {
		m.lease(t)
	}
	c := m.draw(t, free)
	share := found(t, c.process.share, r.id)
	m.turn++
	j, state, err := share.Attach(journal.Attachment{Target: share.Header().Target, Turn: m.turn})
	others := m.is(func(c *carrier) bool { return c.process == nil && c.mine == r && !c.lost })
	for _, calendar := range reach[c.owner] {
		of := r.owners[calendar]
		others = others || of != "" && of != c.owner && m.has(of)
	}
	if others {
		if !isLocked(err) {
			t.Fatalf("%s is taken besides others: %v", c.owner, err)
		}
		return
	}
	must(t, err)
	c.journal = j
	for _, calendar := range reach[c.owner] {
		r.owners[calendar] = c.owner
	}
	m.taken(t, r, c, state, func(of *carrier) bool {
		return of.process == nil || slices.ContainsFunc(reach[of.owner], func(calendar string) bool {
			return slices.Contains(reach[c.owner], calendar)
		})
	})
}

// taken notes that a process has taken up a run, or a share of it, from others.
func (m *model) taken(t *rapid.T, r *modelRun, c *carrier, state *journal.State, from func(*carrier) bool) {
	for _, of := range m.carriers {
		if of.mine == r && from(of) {
			m.fence(t, of)
		}
	}
	r.attached++
	now := m.read(t, r)
	if r.cut {
		if n := state.Tally()[journal.Pending]; n > 0 {
			t.Fatalf("%d creates would be sent unseen", n)
		}
		r.ops, r.attached, r.cut = outcomes(now), now.Attached, false
	}
	c.mine, c.turn, c.records, c.durable, c.broken, c.fenced = r, now.Turn, nil, 0, false, false
	c.before = slices.Clone(r.ops)
	if !slices.Contains(m.carriers, c) {
		m.carriers = append(m.carriers, c)
	}
	r.shaken = m.is(func(of *carrier) bool { return of.mine == r && of.broken })
	m.compare(t, r, now)
	for n := range modelOps {
		op, mine := state.Op(n), slices.Contains(c.ops(), n)
		want := &r.ops[n]
		if (op != nil) != mine || mine && (op.Status != want.Status || op.EventID != want.EventID || int(op.Attempts) != want.Attempts) {
			t.Fatalf("whoever takes it up finds op %d as %+v, want %+v", n, op, want)
		}
	}
}

// fence notes that somebody has taken over from a carrier: it stores nothing more.
func (m *model) fence(t *rapid.T, c *carrier) {
	if c.mine != nil && !c.fenced {
		m.settle(t, c)
	}
	c.fenced = true
}

// settle notes what has been stored of what a carrier has recorded: it stores nothing more.
func (m *model) settle(t *rapid.T, c *carrier) {
	if c.mine.cut {
		return
	}
	stored := c.stored(t, m.read(t, c.mine))
	for _, n := range c.ops() {
		c.mine.ops[n] = stored[n]
	}
}

// read reads a run as one who only looks.
func (m *model) read(t *rapid.T, r *modelRun) *journal.State {
	state, err := found(t, m.place.Open(), r.id).Read(true)
	must(t, err)
	return state
}

// stored holds what is read of the carrier's ops against what the first of its records come to, and returns that.
func (c *carrier) stored(t *rapid.T, state *journal.State) []journal.Outcome {
	fold := blank()
	for i := range c.before {
		fold.Restore(&c.before[i])
	}
	apply := func(r journal.Record) { must(t, fold.Apply(&r)) }
	apply(journal.Record{Type: journal.Attach, Turn: c.turn})
	var differ []string
	for n := 0; ; n++ {
		if n >= c.durable {
			var diff strings.Builder
			for _, op := range c.ops() {
				diff.WriteString(cmp.Diff(fold.Outcome(op), state.Outcome(op), cmpopts.EquateEmpty()))
			}
			if diff.String() == "" {
				return outcomes(fold)
			}
			differ = append(differ, diff.String())
		}
		if n == len(c.records) {
			t.Fatalf("%d records were stored for good, and %d accepted, and none of these is it: %v", c.durable, n, differ)
		}
		apply(c.records[n])
	}
}

// someRecord draws a record about ops that a carrier has.
func someRecord(t *rapid.T, ops []int) journal.Record {
	n := rapid.SampledFrom(ops).Draw(t, "op")
	key, hash := journal.KeyHash(calendar(n%modelCalendars), fmt.Sprint("key-", n)), fmt.Sprint("hash-", n)
	r := rapid.SampledFrom([]journal.Record{
		{Type: journal.Intent, Operation: "events/create", Key: key, Hash: hash},
		{Type: journal.Intent, Operation: "events/update", Key: key, Hash: hash + "+", EventID: "evt-before"},
		{Type: journal.Intent, Operation: "events/guests/add"},
		{Type: journal.OK, EventID: fmt.Sprint("evt-", n), Status: 200},
		{Type: journal.OK, Key: key, Hash: hash},
		{Type: journal.No, Code: "throttled", Status: 429},
		{
			Type: journal.Fail, Code: "rejected", Status: 400, Error: "Invalid <&> ☕",
			Fields: []journal.FieldError{{Path: "name", Reason: "is taken"}},
		},
		{Type: journal.Doubt, Code: "reset"},
		{Type: journal.Doubt, Code: journal.Misled},
		{Type: journal.Resolved},
		{Type: journal.Resolved, EventID: "evt-found", Code: "adopted"},
		{Type: journal.Skip, Code: "exists", EventID: "evt-there"},
		{Type: journal.Skip, Code: journal.Waited},
	}).Draw(t, "record")
	if r.Op = n; r.Operation == "events/guests/add" {
		r.Op, r.Ops = 0, rapid.SliceOfNDistinct(rapid.SampledFrom(ops), 1, len(ops), rapid.ID).Draw(t, "ops")
	}
	r.At = time.UnixMilli(1_700_000_000_000 + rapid.Int64Range(0, 1e6).Draw(t, "at"))
	return r
}

func (m *model) record(t *rapid.T, durable bool) {
	c := m.working(t)
	r := someRecord(t, c.ops())
	var err error
	if durable {
		err = c.journal.Commit(t.Context(), r)
	} else {
		err = c.journal.Append(r)
	}
	switch {
	case c.fenced:
		if durable && !isFenced(err) {
			t.Fatalf("%q has been taken over, and writes: %v", c.owner, err)
		}
		return
	case err == nil && durable && c.broken:
		t.Fatal("a journal that is broken has committed a record")
	case err != nil && !c.broken:
		t.Fatal(err)
	case err == nil || durable:
		c.records = append(c.records, r) // a commit that failed may have been stored all the same
	}
	if err == nil && durable {
		c.durable = len(c.records)
	}
}

// end ends a process as processes should.
func (m *model) end(t *rapid.T) {
	c := m.working(t)
	if c.broken || c.fenced {
		t.Skip("it cannot")
	}
	must(t, c.journal.Commit(t.Context(), end("done")))
	if c.durable = len(c.records); c.process == nil {
		c.mine.ended = "done"
	}
	m.closes(t, c)
}

func (m *model) close(t *rapid.T) { m.closes(t, m.working(t)) }

func (m *model) closes(t *rapid.T, c *carrier) {
	err := c.journal.Close()
	switch {
	case err == nil:
		c.durable = len(c.records)
	case c.fenced && !isFenced(err) || !c.fenced && !c.broken:
		t.Fatal(err)
	}
	m.leave(t, c)
}

// leave notes that a process has nothing any more.
func (m *model) leave(t *rapid.T, c *carrier) {
	if !c.fenced {
		m.settle(t, c)
	}
	if c.mine = nil; c.process == nil || c.lost {
		m.carriers = slices.DeleteFunc(m.carriers, func(of *carrier) bool { return of == c })
	}
}

// kill kills those who are at work on a run.
func (m *model) kill(t *rapid.T) {
	r := m.working(t).mine
	m.place.Kill(r.id)
	r.shaken = true
	for _, c := range slices.Clone(m.carriers) {
		if c.mine == r {
			_ = c.journal.Close() // of a process that is no more
			c.lost = true
			m.leave(t, c)
		}
	}
}

// breaks breaks the journals of those who are at work on a run.
func (m *model) breaks(t *rapid.T) {
	r := m.working(t).mine
	m.place.Break(r.id)
	r.shaken = true
	for _, c := range m.carriers {
		c.broken = c.broken || c.mine == r
	}
}

// lose loses a process from sight, and may have another one take its lease over at once.
func (m *model) lose(t *rapid.T, p SharedPlace) {
	works := func(c *carrier) bool { return c.mine != nil && !c.lost }
	if !m.is(works) {
		works = func(c *carrier) bool { return !c.lost }
	}
	c := m.draw(t, works)
	run := ""
	if c.mine != nil {
		run = c.mine.id
	}
	p.Lose(c.owner, run)
	if c.lost = true; c.mine == nil {
		m.carriers = slices.DeleteFunc(m.carriers, func(of *carrier) bool { return of == c })
	}
	if c.process != nil && rapid.Bool().Draw(t, "taken over") {
		m.leaseOf(t, c.owner)
	}
}

func (m *model) release(t *rapid.T) {
	c := m.draw(t, func(c *carrier) bool { return c.process != nil && c.mine == nil && !c.lost })
	must(t, c.process.lease.Release(nil))
	m.carriers = slices.DeleteFunc(m.carriers, func(of *carrier) bool { return of == c })
}

// cut takes lines away that were stored for good.
func (m *model) cut(t *rapid.T, p LinesPlace) {
	r := m.any(t)
	if r.attached == 0 || r.cut || r.shaken || m.is(func(c *carrier) bool { return c.mine == r }) {
		t.Skip("nothing to take")
	}
	p.Cut(r.id, rapid.IntRange(1, 20).Draw(t, "lines"))
	r.cut = true
}

// look reads each run as one who only looks.
func (m *model) look(t *rapid.T) {
	for _, r := range m.runs {
		state := m.read(t, r)
		if r.cut {
			if n := state.Tally()[journal.Pending]; n > 0 {
				t.Fatalf("%d creates would be sent unseen", n)
			}
			continue
		}
		if state.Lost != "" && !r.shaken {
			t.Fatalf("nothing is lost, but %s", state.Lost)
		}
		m.compare(t, r, state)
	}
}

// compare holds the state of a run against what is known of it.
func (m *model) compare(t *rapid.T, r *modelRun, state *journal.State) {
	want := slices.Clone(r.ops)
	for _, c := range m.carriers {
		if c.mine == r && !c.fenced {
			stored := c.stored(t, state)
			for _, n := range c.ops() {
				want[n] = stored[n]
			}
		}
	}
	if diff := cmp.Diff(want, outcomes(state), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("what is read differs: %s", diff)
	}
	if state.Attached != r.attached || state.Started != (r.attached > 0) {
		t.Fatalf("it was taken up %d times, not %d", state.Attached, r.attached)
	}
	if len(r.owners) == 0 && state.Ended != r.ended {
		t.Fatalf("it ended as %q, not %q", state.Ended, r.ended)
	}
}
