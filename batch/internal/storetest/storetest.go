// Package storetest is what a [journal.Store] promises, as tests that every store passes.
//
// The test of a store calls [Run] with a [Place]: what opens the store as one process after
// another does, kills processes, breaks writes, and takes away or damages what is stored. One
// part draws all of that in any order, and holds what is read against a model: it is what some
// of the records come to that were accepted, from the first on, and those that were committed are
// among them; one process at a time writes of an op, and what is missing is noticed. [Shares] is for
// a store whose runs several processes carry.
// [Alike] leads a second store through the same past as the first, and asks both the same.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// Run tests the store that open makes in a place of its own each time.
func Run(t *testing.T, open func(t testing.TB) Place) {
	for _, promise := range []struct {
		name string
		test func(t *testing.T, p Place)
	}{
		{"nothing is there before the first run", nothing},
		{"a plan comes back as it was written", roundTrip},
		{"a draft that is discarded leaves nothing", discarded},
		{"a draft that is not sealed is no run", unsealed},
		{"runs are found by their names and their age", names},
		{"an unfinished run is found by its identity", unfinished},
		{"a run is for one process at a time", oneWriter},
		{"many plan at a time, and whoever copies waits for them", manyPlanners},
		{"the lock is for one process at a time", oneLock},
		{"a run is sent to its target alone", target},
		{"a journal that could not be written takes no more", poisoned},
		{"what is damaged is not sent", damaged},
		{"what is kept is replaced", kept},
		{"what many commits say of an op is one outcome", severally},
		{"ops are read in any order", anyOrder},
		{"it is known when requests left", sendings},
		{"what is known is of one service", elsewhere},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.test(t, open(t)) })
	}
	t.Run("what was committed stays", func(t *testing.T) { committed(t, open) })
}

const service = "https://service.test/api"

var here = plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "00112233"}}

// begun is when the first run was planned.
var begun = time.Date(2026, 11, 21, 3, 19, 5, 0, time.UTC)

// header returns the header of a plan.
func header(identity string) plan.Header {
	return plan.Header{
		Command: "import", Identity: identity, Target: here, Options: plan.Options{Operation: "upsert", Slug: "keep", Compare: "sent"},
		Sheets: []plan.Sheet{{File: "a.csv", SHA256: "00", Header: []string{"Name", "Start <&>"}, Row: 1}},
	}
}

// op returns an op of a plan.
func op(n int, action plan.Action) *plan.Op {
	op := &plan.Op{
		N: n, Row: plan.Row{Number: n + 2}, Action: action, Reason: "so it is", Hash: fmt.Sprint("hash-", n),
		Event:   plan.Event{Calendar: "cal-1", Key: fmt.Sprint("key-", n)},
		Payload: plan.Payload{Cells: []string{fmt.Sprintf("Tea <&> \"%d\" ☕", n), ""}, Body: fmt.Appendf(nil, `{"name":"Tea %d"}`, n)},
	}
	if action.Sends() {
		op.Operation = "events/" + string(action)
	}
	return op
}

// planned makes a run of creates.
func planned(t fataler, s journal.Store, identity string, ops int) *journal.Run {
	t.Helper()
	var list []*plan.Op
	for n := range ops {
		list = append(list, op(n, plan.Create))
	}
	return sealed(t, s, begun, header(identity), nil, list...)
}

// fataler is what a test and a step of a model have in common.
type fataler interface {
	Helper()
	Fatal(...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sealed(t fataler, s journal.Store, at time.Time, h plan.Header, changes map[int]journal.Change, ops ...*plan.Op) *journal.Run {
	t.Helper()
	draft, err := s.Draft(at)
	must(t, err)
	for _, op := range ops {
		must(t, draft.Add(op))
	}
	run, err := draft.Seal(h, changes)
	must(t, err)
	return run
}

func found(t fataler, s journal.Store, name string) *journal.Run {
	t.Helper()
	run, err := s.Find(name)
	must(t, err)
	return run
}

func attached(t fataler, run *journal.Run) (journal.Journal, *journal.State) {
	t.Helper()
	j, state, err := run.Attach(journal.Attachment{Target: here, By: "test"})
	must(t, err)
	return j, state
}

func intent(n int) journal.Record {
	return journal.Record{
		Type: journal.Intent, Op: n, Operation: "events/create", Key: journal.KeyHash("cal-1", fmt.Sprint("key-", n)),
		Hash: fmt.Sprint("hash-", n),
	}
}

func ok(n int) journal.Record {
	return journal.Record{Type: journal.OK, Op: n, EventID: fmt.Sprint("evt-", n)}
}

func end(code string) journal.Record { return journal.Record{Type: journal.End, Code: code} }

func nothing(t *testing.T, p Place) {
	s := p.Open()
	if runs, err := s.Runs(); err != nil || len(runs) != 0 {
		t.Errorf("runs: %v, %v", runs, err)
	}
	if run, err := s.Unfinished("identity"); err != nil || run != nil {
		t.Errorf("unfinished: %v, %v", run, err)
	}
	if _, err := s.Find(journal.Latest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("latest: %v", err)
	}
	m, err := s.Memory(service)
	must(t, err)
	if known, ok := m.Recall("cal-1", "key-1"); ok {
		t.Errorf("a key is known as %+v", known)
	}
	must(t, errors.Join(m.Err(), m.Close()))
	if gone, err := s.Prune(t.Context(), journal.Pruning{}); err != nil || len(gone.Runs) > 0 {
		t.Errorf("pruned: %+v, %v", gone, err)
	}
}

func roundTrip(t *testing.T, p Place) {
	h := header("identity")
	h.Known = map[string][]string{"cal-1": {"evt-9"}}
	var ops []*plan.Op
	for n, action := range []plan.Action{plan.Create, plan.Unchanged, plan.Update, plan.Cancel, plan.Create, plan.Invalid} {
		ops = append(ops, op(n, action))
	}
	draft, err := p.Open().Draft(begun)
	must(t, err)
	for _, op := range ops {
		must(t, draft.Add(op))
	}
	draft.Pass("")
	draft.Pass("guests")
	made, err := draft.Seal(h, map[int]journal.Change{4: {Action: plan.Blocked, Reason: "it waits", EventID: "evt-4"}})
	must(t, err)
	ops[4].Action, ops[4].Reason, ops[4].Event.ID = plan.Blocked, "it waits", "evt-4"
	run := found(t, p.Open(), made.ID())
	want := h
	want.Version, want.Run, want.Number, want.Created, want.Home = made.Header().Version, made.ID(), 1, begun, made.Header().Home
	want.Passed, want.PassedOf = 2, map[string]int{"guests": 1}
	want.Counts = plan.Counts{
		plan.Create: 1, plan.Update: 1, plan.Cancel: 1, plan.Unchanged: 3, plan.Blocked: 1, plan.Invalid: 1,
	}
	for _, header := range []plan.Header{made.Header(), run.Header()} {
		maps.DeleteFunc(header.Counts, func(_ plan.Action, n int) bool { return n == 0 })
		if diff := cmp.Diff(want, header); diff != "" {
			t.Error(diff)
		}
	}
	same := func(how string, want, got *plan.Op, whole bool) {
		t.Helper()
		w, g := *want, *got
		w.At, w.Size, g.At, g.Size = 0, 0, 0, 0
		if !whole {
			w.Payload, g.Payload = plan.Payload{}, plan.Payload{}
		}
		if diff := cmp.Diff(w, g); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	}
	for _, run := range []*journal.Run{made, run} {
		n, sends := 0, 0
		for op, err := range run.Lines() {
			must(t, err)
			same("lines", ops[n], op, false)
			must(t, run.Load(op))
			same("loaded", ops[n], op, true)
			n++
		}
		for op, err := range run.Sends() {
			must(t, err)
			same("sends", ops[op.N], op, false)
			sends++
		}
		for op, err := range run.Ops() {
			must(t, err)
			same("ops", ops[op.N], op, true)
			n++
		}
		if n != 2*len(ops) || sends != 3 || run.Len() != len(ops) {
			t.Errorf("%d lines, %d that send, of %d ops", n, sends, run.Len())
		}
		reader, err := run.Reader()
		must(t, err)
		for _, n := range []int{5, 0, 4} {
			op, err := reader.Op(n)
			must(t, err)
			same("reader", ops[n], op, true)
		}
		must(t, reader.Close())
	}
	a, err := made.Checksum()
	must(t, err)
	b, err := run.Checksum()
	must(t, err)
	c, err := planned(t, p.Open(), "other", 1).Checksum()
	must(t, err)
	if a != b || a == c || a == "" {
		t.Errorf("checksums: %s, %s, and of another plan %s", a, b, c)
	}
	for range run.Lines() {
		break // whoever has enough may stop
	}
}

func discarded(t *testing.T, p Place) {
	s := p.Open()
	draft, err := s.Draft(begun)
	must(t, err)
	for n := range 1000 {
		must(t, draft.Add(op(n, plan.Create)))
	}
	must(t, draft.Discard())
	nothing(t, p)
	if run := planned(t, s, "next", 1); run.Header().Number != 1 {
		t.Errorf("the first run has the number %d", run.Header().Number)
	}
}

func unsealed(t *testing.T, p Place) {
	draft, err := p.Open().Draft(begun)
	must(t, err)
	must(t, draft.Add(op(0, plan.Create)))
	nothing(t, p)
	must(t, draft.Discard())
}

func names(t *testing.T, p Place) {
	s := p.Open()
	var ids []string
	for i := range 3 {
		// The clock is set back between them.
		ids = append(ids, sealed(t, s, begun.Add(-time.Duration(i)*time.Hour), header("same"), nil, op(0, plan.Create)).ID())
	}
	s = p.Open()
	for name, want := range map[string]string{
		"latest": ids[2], "latest~1": ids[1], "latest~2": ids[0], ids[1]: ids[1], ids[0][:len(ids[0])-1]: ids[0],
	} {
		if run, err := s.Find(name); err != nil || run.ID() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for _, name := range []string{"latest~3", "nope", "", ".", "..", "latest~", "%", "_"} {
		if run, err := s.Find(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, %v", name, run, err)
		}
	}
	if _, err := s.Find("20261121"); !errors.Is(err, failure.Usage) {
		t.Errorf("several: %v", err)
	}
	runs, err := s.Runs()
	must(t, err)
	var listed []string
	for i := range runs {
		listed = append(listed, runs[i].ID)
		if runs[i].Err != nil || runs[i].Header.Number != i+1 || runs[i].Started || runs[i].Tally.Open() != 1 {
			t.Errorf("listed as %+v", runs[i])
		}
	}
	if !slices.Equal(ids, listed) {
		t.Errorf("listed %v, want %v", listed, ids)
	}
}

func unfinished(t *testing.T, p Place) {
	s := p.Open()
	first, second := planned(t, s, "same", 1), planned(t, s, "same", 1)
	planned(t, s, "other", 1)
	want := func(id string) {
		t.Helper()
		run, err := p.Open().Unfinished("same")
		must(t, err)
		switch {
		case run == nil && id != "":
			t.Error("nothing is unfinished")
		case run != nil && run.ID() != id:
			t.Errorf("%s is unfinished, not %s", run.ID(), id)
		}
	}
	want(second.ID())
	for _, run := range []*journal.Run{second, first} {
		j, _ := attached(t, run)
		want(run.ID())
		must(t, j.Commit(t.Context(), intent(0)))
		want(run.ID())
		must(t, j.Commit(t.Context(), ok(0)))
		must(t, j.Commit(t.Context(), end("done")))
		must(t, j.Close())
	}
	want("")
}

func oneWriter(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 2)
	again := found(t, p.Open(), run.ID())
	j, _ := attached(t, run)
	for _, r := range []*journal.Run{run, again} {
		_, _, err := r.Attach(journal.Attachment{Target: here})
		if held, locked := errors.AsType[*journal.LockedError](err); !locked || held.What != "run "+run.ID() || held.PID == 0 {
			t.Errorf("a second process got %v", err)
		}
	}
	must(t, j.Commit(t.Context(), intent(0)))
	if state, err := again.State(); err != nil || !state.Started || state.Ops[0].Status != journal.Sent {
		t.Errorf("who only looks sees %+v, %v", state, err)
	}
	must(t, j.Close())
	must(t, j.Close())
	if err := j.Append(intent(1)); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("a closed journal took a record: %v", err)
	}
	j, state := attached(t, again)
	if state.Attached != 2 || state.Ops[0].Status != journal.Sent {
		t.Errorf("the successor finds %+v", state)
	}
	p.Kill(run.ID())
	_ = j.Close() // of a process that is no more
	j, _ = attached(t, found(t, p.Open(), run.ID()))
	must(t, j.Close())
}

// manyPlanners has several processes plan at a time, which only whoever copies the store waits for.
func manyPlanners(t *testing.T, p Place) {
	a, b := p.Open(), p.Open()
	one, two := locked(t, a, journal.Planning), locked(t, b, journal.Planning)
	must(t, errors.Join(locked(t, b, journal.Runs)(), one()))
	busy(t, a, journal.Quiet)
	must(t, two())
	alone := locked(t, a, journal.Quiet)
	busy(t, b, journal.Planning)
	must(t, alone())
	must(t, locked(t, b, journal.Quiet)())
}

func oneLock(t *testing.T, p Place) {
	a, b := p.Open(), p.Open()
	unlock := locked(t, a, journal.Runs)
	busy(t, b, journal.Runs)
	must(t, unlock())
	must(t, locked(t, b, journal.Runs)())
}

// locked takes a lock that is free.
func locked(t *testing.T, s journal.Store, what journal.Lock) (unlock func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	unlock, err := s.Lock(ctx, what)
	must(t, err)
	return unlock
}

// busy has a lock not be taken.
func busy(t *testing.T, s journal.Store, what journal.Lock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Lock(ctx, what); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is not free: %v", err)
	}
}

func target(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 1)
	for range 2 { // before the journal exists, and after
		for _, tt := range []struct {
			now  plan.Target
			want *journal.StaleTargetError
		}{
			{
				plan.Target{BaseURL: "https://other.test", Calendars: here.Calendars},
				&journal.StaleTargetError{Run: run.ID(), Want: service, Have: "https://other.test"},
			},
			{
				plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "ffffffff"}},
				&journal.StaleTargetError{Run: run.ID(), Calendar: "cal-1", Want: "00112233", Have: "ffffffff"},
			},
			{plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "00112233", "cal-2": "44556677"}}, nil},
		} {
			j, _, err := run.Attach(journal.Attachment{Target: tt.now})
			if err == nil {
				must(t, j.Close())
			}
			got, _ := errors.AsType[*journal.StaleTargetError](err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v: %v %s", tt.now, err, diff)
			}
		}
	}
}

func poisoned(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 3)
	j, _ := attached(t, run)
	must(t, j.Commit(t.Context(), intent(0)))
	p.Break(run.ID())
	for n := range 2 {
		err := j.Commit(t.Context(), intent(1+n))
		if _, is := errors.AsType[*journal.PoisonedError](err); !is {
			t.Errorf("commit %d gave %v", n, err)
		}
	}
	if err := j.Append(ok(0)); err == nil {
		t.Error("it takes a record that would be lost")
	}
	if err := j.Close(); err == nil {
		t.Error("it closes as if nothing had been")
	}
	_, state := attached(t, found(t, p.Open(), run.ID()))
	if state.Ops[0].Status != journal.Sent || state.Ops[2].Status == journal.Sent {
		t.Errorf("the successor finds %+v", state.Ops)
	}
}

func damaged(t *testing.T, p Place) {
	told := func(part Part, spoil func(run string), want bool) {
		t.Helper()
		run := planned(t, p.Open(), string(part), 3)
		j, _ := attached(t, run)
		for n := range 3 {
			must(t, j.Commit(t.Context(), intent(n)))
		}
		must(t, j.Close())
		spoil(run.ID())
		s := p.Open()
		err := read(s, run.ID())
		if _, is := errors.AsType[*journal.DamagedError](err); !is {
			t.Errorf("%s: reading it all gave %v", part, err)
		}
		runs, err := s.Runs()
		must(t, err)
		told := slices.ContainsFunc(runs, func(s journal.Summary) bool { return s.ID == run.ID() && s.Err != nil })
		if told != want {
			t.Errorf("%s: it is listed as damaged: %v", part, told)
		}
	}
	for _, part := range []Part{Header, Lines, Rows} {
		told(part, func(run string) { p.Spoil(run, part) }, part == Header)
	}
	if p, lines := p.(LinesPlace); lines {
		told("journal", p.SpoilLine, true)
	}
}

// read takes a run up, and reads all that is sent of it.
func read(s journal.Store, id string) error {
	run, err := s.Find(id)
	if err != nil {
		return err
	}
	j, _, err := run.Attach(journal.Attachment{Target: here})
	if err != nil {
		return err
	}
	defer j.Close()
	for op, err := range run.Ops() {
		if err != nil {
			return fmt.Errorf("op %v: %w", op, err)
		}
	}
	return nil
}

func kept(t *testing.T, p Place) {
	s := p.Open()
	if _, err := s.Kept("sources", "members"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before anything was kept: %v", err)
	}
	for _, text := range []string{"one", "two\n", ""} {
		must(t, s.Keep("sources", "members", []byte(text)))
		must(t, s.Keep("sources", "/a/b.csv", []byte("other")))
		if got, err := p.Open().Kept("sources", "members"); err != nil || string(got) != text {
			t.Errorf("kept %q, %v, want %q", got, err, text)
		}
	}
}

// same holds what a process reads of a run against what records come to, and what comes of that once it is put into
// another state.
func same(t *testing.T, run *journal.Run, turn int, records []journal.Record) {
	t.Helper()
	header := run.Header()
	fresh := func() *journal.State {
		s := journal.NewState(&header, run.Len(), nil, 0)
		s.Naming()
		return s
	}
	want, restored := fresh(), fresh()
	for _, r := range append([]journal.Record{{Type: journal.Attach, Turn: turn}}, records...) {
		must(t, want.Apply(&r))
	}
	got, err := run.Read(true)
	must(t, err)
	if diff := cmp.Diff(outcomes(want), outcomes(got), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is read: %s", diff)
	}
	for at := range got.Ops {
		o := got.Outcome(at)
		if !restored.Restore(&o) {
			t.Errorf("there is no op %d", o.Op)
		}
	}
	if diff := cmp.Diff(outcomes(got), outcomes(restored)); diff != "" {
		t.Errorf("what is restored: %s", diff)
	}
	for _, diff := range []string{
		cmp.Diff(want.Tally(), got.Tally()), cmp.Diff(want.Ended, got.Ended), cmp.Diff(want.Requests, got.Requests),
		cmp.Diff(want.Turn, got.Turn), cmp.Diff(want.At, got.At), cmp.Diff(got.Tally(), restored.Tally()),
	} {
		if diff != "" {
			t.Errorf("what the run comes to: %s", diff)
		}
	}
	bare, err := run.State()
	must(t, err)
	for n := range run.Len() {
		if diff := cmp.Diff(got.Op(n), bare.Op(n), cmp.AllowUnexported(journal.OpState{})); diff != "" {
			t.Errorf("without names op %d is another: %s", n, diff)
		}
	}
}

func severally(t *testing.T, p Place) {
	const turn = 1
	run := planned(t, p.Open(), "identity", 5)
	j, _, err := run.Attach(journal.Attachment{Target: here, Turn: turn})
	must(t, err)
	key := func(n int) string { return journal.KeyHash("cal-1", fmt.Sprint("key-", n)) }
	again := intent(0)
	again.Hash, again.Attempt = "hash-later", 7
	records := []journal.Record{
		intent(0),
		{Type: journal.No, Op: 0, Code: "throttled", Status: 429},
		again,
		{Type: journal.Doubt, Op: 0, Code: "reset", Error: "cut \"off\" <&> ☕"},
		{Type: journal.Intent, Ops: []int{2, 1, 3}, Operation: "events/guests/add"},
		{Type: journal.Resolved, Op: 0, Code: "adopted", EventID: "evt-0"},
		{Type: journal.OK, Op: 1, Key: key(1), Hash: "h-1", EventID: "gst-1", Status: 200},
		{
			Type: journal.Fail, Op: 2, Key: key(2), Code: "rejected", Status: 400, Error: "Invalid request.",
			Fields: []journal.FieldError{{Path: "start_at", Reason: "Invalid input"}, {Reason: "x"}},
		},
		intent(4),
		{Type: journal.OK, Op: 4, EventID: "evt-4"},
		{Type: journal.Doubt, Op: 4, Code: journal.Misled},
		{Type: journal.End, Code: "partial", Requests: journal.Requests{Sent: 5, Reads: 2, Throttled: 1}},
	}
	later := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	for i := range records {
		r := &records[i]
		r.At = later.Add(time.Duration(i) * time.Second)
		if i%3 == 1 {
			must(t, j.Append(*r))
			continue
		}
		must(t, j.Commit(t.Context(), *r))
		if r.Type != journal.End {
			same(t, found(t, p.Open(), run.ID()), turn, records[:i+1])
		}
	}
	must(t, j.Close())
	same(t, found(t, p.Open(), run.ID()), turn, records)
}

func anyOrder(t *testing.T, p Place) {
	const ops = 700
	run := found(t, p.Open(), planned(t, p.Open(), "identity", ops).ID())
	reader, err := run.Reader()
	must(t, err)
	var reading sync.WaitGroup
	for by := range 8 {
		reading.Go(func() {
			for _, n := range rand.New(rand.NewPCG(1, uint64(by))).Perm(ops) {
				got, err := reader.Op(n)
				if err != nil {
					t.Errorf("op %d: %v", n, err)
					return
				}
				want := op(n, plan.Create)
				want.At, want.Size = got.At, got.Size
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("op %d: %s", n, diff)
					return
				}
			}
		})
	}
	reading.Wait()
	must(t, reader.Close())
}

func sendings(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 4)
	if list, err := run.Sendings(); err != nil || len(list) > 0 {
		t.Errorf("before the first request: %v, %v", list, err)
	}
	gathered := journal.Record{Type: journal.Intent, Ops: []int{2, 0, 1}, Operation: "events/guests/add"}
	no := func(n int) journal.Record { return journal.Record{Type: journal.No, Op: n} }
	var want []journal.Sending
	at := begun
	for round, records := range [][]journal.Record{
		{intent(3), no(3), gathered, no(2), no(0), no(1)},
		{intent(0), no(0), gathered, no(2), no(0), ok(1), intent(3), ok(3)}, // and in another process
	} {
		j, _, err := found(t, p.Open(), run.ID()).Attach(journal.Attachment{Target: here, Turn: 1 + round})
		must(t, err)
		for _, r := range records {
			at = at.Add(time.Second)
			if r.At = at; r.Type == journal.Intent {
				want = append(want, journal.Sending{Op: r.Each()[0], At: at})
			}
			must(t, j.Append(r))
		}
		must(t, j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "partial", At: at}))
		must(t, j.Close())
	}
	got, err := found(t, p.Open(), run.ID()).Sendings()
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func elsewhere(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 1)
	j, _ := attached(t, run)
	for _, r := range []journal.Record{intent(0), ok(0), end("done")} {
		must(t, j.Commit(t.Context(), r))
	}
	must(t, j.Close())
	for baseURL, want := range map[string]bool{service: true, "https://other.test": false} {
		m, err := p.Open().Memory(baseURL)
		must(t, err)
		_, known := m.Recall("cal-1", "key-0")
		if _, event := m.Event("evt-0"); known != want || event != want {
			t.Errorf("%s knows of the key: %v, and of its event: %v", baseURL, known, event)
		}
		must(t, errors.Join(m.Err(), m.Close()))
	}
}
