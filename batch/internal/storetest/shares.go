package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// Shares tests what a store promises whose runs are carried in shares.
func Shares(t *testing.T, open func(t testing.TB) SharedPlace) {
	for _, promise := range []struct {
		name string
		test func(t *testing.T, p SharedPlace)
	}{
		{"two processes carry a run at once", together},
		{"a share is that of its calendars", partial},
		{"an owner is for one process at a time", oneOwner},
		{"whoever was lost sends nothing more", fenced},
		{"whoever was lost keeps nothing", keepsNothing},
		{"whoever takes nothing fences nobody", takesNothing},
		{"a calendar changes its owner", changed},
		{"another run is seen by the same calendars", overtaken},
		{"what was sent is known whoever settles it", settled},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.test(t, open(t)) })
	}
}

// sharedRun plans a run of creates: op n is in calendar n modulo so many.
func sharedRun(t fataler, s journal.Store, ops, calendars int) *journal.Run {
	t.Helper()
	h := header("identity")
	h.Target = everywhere(calendars)
	var list []*plan.Op
	for n := range ops {
		op := op(n, plan.Create)
		op.Event.Calendar = calendar(n % calendars)
		list = append(list, op)
	}
	return sealed(t, s, begun, h, list...)
}

func calendar(n int) string { return fmt.Sprint("cal-", n+1) }

func everywhere(calendars int) plan.Target {
	target := plan.Target{BaseURL: service, Calendars: map[string]string{}}
	for n := range calendars {
		target.Calendars[calendar(n)] = "00112233"
	}
	return target
}

// process is one that carries shares.
type process struct {
	store journal.Store
	lease *journal.Lease
	share journal.Store
}

// leased opens a process that has an owner with its calendars.
func leased(t fataler, p Place, owner string, calendars ...string) *process {
	t.Helper()
	store := p.Open()
	lease, err := store.(journal.Shared).Lease(owner)
	must(t, err)
	return &process{store, lease, lease.Share(calendars)}
}

// take takes the share of a run up.
func (p *process) take(run string) (journal.Journal, *journal.State, error) {
	r, err := p.share.Find(run)
	if err != nil {
		return nil, nil, err
	}
	return r.Attach(journal.Attachment{Target: r.Header().Target, By: "test"})
}

func (p *process) taken(t fataler, run string) (journal.Journal, *journal.State) {
	t.Helper()
	j, state, err := p.take(run)
	must(t, err)
	return j, state
}

func isLocked(err error) bool {
	_, locked := errors.AsType[*journal.LockedError](err)
	return locked
}

func isFenced(err error) bool {
	_, is := errors.AsType[*journal.FencedError](err)
	return is
}

// statusesOf returns how far the ops of a run have come.
func statusesOf(t fataler, p Place, run string) []journal.Status {
	t.Helper()
	state, err := found(t, p.Open(), run).State()
	must(t, err)
	var list []journal.Status
	for n := range state.Ops {
		list = append(list, state.Op(n).Status)
	}
	return list
}

func sent(t *testing.T, j journal.Journal, n int) {
	t.Helper()
	in := intent(n)
	must(t, j.Commit(t.Context(), in))
}

func together(t *testing.T, p SharedPlace) {
	run := sharedRun(t, p.Open(), 4, 2).ID()
	a, b := leased(t, p, "two", calendar(0)), leased(t, p, "one", calendar(1))
	ja, sa := a.taken(t, run)
	jb, _ := b.taken(t, run)
	if sa.Op(1) != nil || sa.Op(2) == nil || len(sa.Ops) != 2 || sa.Tally().Open() != 2 {
		t.Errorf("the state of a share is %+v", sa)
	}
	sent(t, ja, 0)
	sent(t, jb, 1)
	must(t, ja.Append(ok(0)))
	_, _, err := found(t, p.Open(), run).Attach(journal.Attachment{Target: everywhere(2), Turn: 100})
	if held, locked := errors.AsType[*journal.LockedError](err); !locked || held.PID == 0 {
		t.Errorf("a third process could take the whole run: %v", err)
	}
	must(t, jb.Append(ok(1)))
	must(t, jb.Commit(t.Context(), end("interrupted")))
	if state, err := found(t, p.Open(), run).State(); err != nil || state.Ended != "" {
		t.Errorf("a run of which a share is at work has ended: %q, %v", state.Ended, err)
	}
	must(t, ja.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done", Requests: journal.Made{Sent: 3}}))
	must(t, errors.Join(ja.Close(), jb.Close()))
	state, err := found(t, p.Open(), run).State()
	must(t, err)
	if tally := state.Tally(); tally[journal.Done] != 2 || tally.Open() != 2 || state.Attached != 2 || state.Requests.Sent != 3 ||
		state.Ended != "interrupted" || state.Lost != "" {
		t.Errorf("the shares come to %+v, %v", state, tally)
	}
	// Whoever has the whole run goes on with all of it, and nobody else meanwhile.
	whole, all, err := found(t, p.Open(), run).Attach(journal.Attachment{Target: everywhere(2), Turn: 100})
	must(t, err)
	if all.Op(0).Status != journal.Done || all.Op(1).Status != journal.Done || all.Op(2).Status != journal.Pending {
		t.Errorf("whoever has the whole run finds %+v", all.Ops)
	}
	if _, _, err := a.take(run); !isLocked(err) {
		t.Errorf("a share was taken besides the whole run: %v", err)
	}
	sent(t, whole, 2)
	must(t, whole.Commit(t.Context(), end("error")))
	must(t, whole.Close())
	ja, sa = a.taken(t, run)
	if sa.Op(2).Status != journal.Sent || sa.Op(0).Status != journal.Done {
		t.Errorf("the share goes on from %+v", sa.Ops)
	}
	must(t, ja.Append(ok(2)))
	must(t, ja.Commit(t.Context(), end("done")))
	must(t, ja.Close())
	if got := statusesOf(t, p, run); fmt.Sprint(got) != "[done done done pending]" {
		t.Errorf("it all comes to %v", got)
	}
}

func partial(t *testing.T, p SharedPlace) {
	run := sharedRun(t, p.Open(), 6, 3).ID()
	a := leased(t, p, "one", calendar(2), calendar(0))
	r := found(t, a.share, run)
	for _, ops := range []func() string{
		func() (got string) {
			for op, err := range r.Sends() {
				must(t, err)
				got += fmt.Sprint(op.N, op.Event.Calendar, " ")
			}
			return got
		},
		func() (got string) {
			for op, err := range r.Ops() {
				must(t, err)
				got += fmt.Sprint(op.N, op.Event.Calendar, " ")
			}
			return got
		},
	} {
		if got := ops(); got != "0cal-1 2cal-3 3cal-1 5cal-3 " {
			t.Errorf("the share has %s", got)
		}
	}
	if got := r.Header().Target.Calendars; len(got) != 2 || got[calendar(1)] != "" {
		t.Errorf("its target is %v", got)
	}
	reader, err := r.Reader()
	must(t, err)
	op, err := reader.Op(5)
	must(t, err)
	if op.N != 5 || len(op.Body) == 0 {
		t.Errorf("op 5 is %+v", op)
	}
	must(t, reader.Close())
}

func oneOwner(t *testing.T, p SharedPlace) {
	run, other := sharedRun(t, p.Open(), 2, 1).ID(), sharedRun(t, p.Open(), 2, 1).ID()
	a := leased(t, p, "one", calendar(0))
	if a.lease.Left.Known || a.lease.Epoch != 1 {
		t.Errorf("the first lease is %+v", a.lease)
	}
	ja, _ := a.taken(t, run)
	_, err := p.Open().(journal.Shared).Lease("one")
	if held, locked := errors.AsType[*journal.LockedError](err); !locked || held.What != "one" || held.PID == 0 {
		t.Errorf("a second process got the owner: %v", err)
	}
	if _, _, err := a.take(other); !isLocked(err) {
		t.Errorf("an owner has shares of two runs: %v", err)
	}
	must(t, ja.Close())
	ja, _ = a.taken(t, other)
	must(t, ja.Close())
	must(t, a.lease.Release([]byte("slots")))
	b := leased(t, p, "one", calendar(0))
	if left := b.lease.Left; !left.Known || !left.Released || string(left.Slots) != "slots" || left.Ago < 0 || left.Ago > time.Minute {
		t.Errorf("its predecessor has left %+v", left)
	}
	p.Lose("one", run)
	c := leased(t, p, "one", calendar(0))
	if left := c.lease.Left; !left.Known || left.Released || left.Slots != nil || c.lease.Epoch != 3 {
		t.Errorf("whoever was lost has left %+v", c.lease)
	}
	_ = b.lease.Release([]byte("late"))
	if got := c.lease.Release(nil); got != nil {
		t.Error(got)
	}
	if left := leased(t, p, "one", calendar(0)).lease.Left; !left.Released || left.Slots != nil {
		t.Errorf("whoever was lost has released %+v", left)
	}
}

func fenced(t *testing.T, p SharedPlace) {
	run, other := sharedRun(t, p.Open(), 2, 1).ID(), sharedRun(t, p.Open(), 2, 1).ID()
	a := leased(t, p, "one", calendar(0))
	ja, _ := a.taken(t, run)
	sent(t, ja, 0)
	p.Lose("one", run)
	b := leased(t, p, "one", calendar(0))
	// It has not come to this run yet, but sends for the same owner.
	if err := ja.Commit(t.Context(), intent(1)); !isFenced(err) {
		t.Errorf("whoever was lost goes on: %v", err)
	}
	jb, state := b.taken(t, run)
	if state.Op(0).Status != journal.Sent || state.Op(1).Status != journal.Pending {
		t.Errorf("the successor finds %+v", state.Ops)
	}
	if err := ja.Close(); !isFenced(err) {
		t.Errorf("it ends as if nothing had been: %v", err)
	}
	if _, _, err := a.take(other); !isFenced(err) {
		t.Errorf("whoever was lost takes another share: %v", err)
	}
	must(t, jb.Close())

	// A command takes the whole run of somebody who was lost.
	jb, _ = b.taken(t, other)
	p.Lose("one", run)
	whole, _, err := found(t, p.Open(), other).Attach(journal.Attachment{Target: everywhere(1), Turn: 100})
	must(t, err)
	if err := jb.Commit(t.Context(), intent(0)); !isFenced(err) {
		t.Errorf("a share goes on besides the whole run: %v", err)
	}
	_ = jb.Close()
	sent(t, whole, 0)
	// And the other way round.
	p.Lose("", other)
	c := leased(t, p, "one", calendar(0))
	jc, state := c.taken(t, other)
	if state.Op(0).Status != journal.Sent {
		t.Errorf("the share goes on from %+v", state.Ops)
	}
	if err := whole.Commit(t.Context(), intent(1)); !isFenced(err) {
		t.Errorf("the whole run goes on besides a share: %v", err)
	}
	_ = whole.Close()
	must(t, jc.Close())
}

func takesNothing(t *testing.T, p SharedPlace) {
	run := sharedRun(t, p.Open(), 2, 1).ID()
	a := leased(t, p, "organization", calendar(0))
	ja, _ := a.taken(t, run)
	must(t, ja.Close())
	// The calendar is still the share of an owner whose lease is held; a command that has the whole run is lost.
	whole, _, err := found(t, p.Open(), run).Attach(journal.Attachment{Target: everywhere(1), Turn: 100})
	must(t, err)
	p.Lose("", run)
	if _, _, err := leased(t, p, "one", calendar(0)).take(run); !isLocked(err) {
		t.Errorf("the share of another owner is taken: %v", err)
	}
	sent(t, whole, 0)
	must(t, whole.Close())
}

func keepsNothing(t *testing.T, p SharedPlace) {
	keep := func(by *process, text string) error { return by.share.Keep("nights", "members", []byte(text)) }
	a := leased(t, p, "sync:members")
	must(t, errors.Join(keep(a, "one"), keep(a, "two")))
	p.Lose("sync:members", "")
	b := leased(t, p, "sync:members")
	must(t, keep(b, "three"))
	if err := keep(a, "four"); !isFenced(err) {
		t.Errorf("whoever was lost keeps a text: %v", err)
	}
	if text, err := b.store.Kept("nights", "members"); string(text) != "three" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	must(t, errors.Join(a.lease.Release(nil), keep(b, "five"), b.lease.Release(nil)))
}

func changed(t *testing.T, p SharedPlace) {
	run := sharedRun(t, p.Open(), 4, 2).ID()
	a := leased(t, p, "calendar one", calendar(0))
	ja, _ := a.taken(t, run)
	sent(t, ja, 0)
	// Another process reaches both calendars by the key of their organization.
	b := leased(t, p, "organization", calendar(0), calendar(1))
	if _, _, err := b.take(run); !isLocked(err) {
		t.Errorf("two processes have a calendar: %v", err)
	}
	must(t, ja.Close())
	if _, _, err := b.take(run); !isLocked(err) {
		t.Errorf("the owner of the calendar is still taken: %v", err)
	}
	must(t, a.lease.Release(nil))
	jb, state := b.taken(t, run)
	if state.Op(0).Status != journal.Sent || state.Op(1).Status != journal.Pending {
		t.Errorf("the next owner finds %+v", state.Ops)
	}
	must(t, jb.Append(ok(0)))
	sent(t, jb, 2)
	must(t, jb.Close())
	must(t, b.lease.Release(nil))
	a = leased(t, p, "calendar one", calendar(0))
	ja, state = a.taken(t, run)
	if state.Op(0).Status != journal.Done || state.Op(2).Status != journal.Sent || state.Op(1) != nil {
		t.Errorf("the first owner finds %+v", state.Ops)
	}
	must(t, ja.Append(ok(2)))
	sent(t, ja, 0)
	p.Lose("calendar one", run)
	b = leased(t, p, "organization", calendar(0), calendar(1))
	jb, _ = b.taken(t, run)
	if err := ja.Commit(t.Context(), ok(0)); !isFenced(err) {
		t.Errorf("whoever was lost goes on besides another owner: %v", err)
	}
	_ = ja.Close()
	must(t, jb.Append(ok(0)))
	must(t, jb.Close())
	if got := statusesOf(t, p, run); fmt.Sprint(got) != "[done pending done pending]" {
		t.Errorf("it all comes to %v", got)
	}
}

func overtaken(t *testing.T, p SharedPlace) {
	first, second := sharedRun(t, p.Open(), 2, 2), sharedRun(t, p.Open(), 2, 2)
	a := leased(t, p, "one", calendar(0))
	by := func() string {
		t.Helper()
		m, err := a.share.Memory(service)
		must(t, err)
		run := found(t, a.share, second.ID())
		state, err := run.State()
		must(t, err)
		_, by, err := m.Overtaken(run, state)
		must(t, errors.Join(err, m.Err(), m.Close()))
		return by
	}
	b := leased(t, p, "two", calendar(1))
	jb, _ := b.taken(t, first.ID())
	sent(t, jb, 1)
	must(t, jb.Close())
	if got := by(); got != "" {
		t.Errorf("run %s has dealt with another calendar", got)
	}
	ja, _ := a.taken(t, first.ID())
	sent(t, ja, 0)
	must(t, ja.Append(ok(0)))
	must(t, ja.Close())
	if got := by(); got != first.ID() {
		t.Errorf("run %q has dealt with the calendar, not %s", got, first.ID())
	}
	m, err := p.Open().Memory(service)
	must(t, err)
	known, _ := m.Recall(calendar(0), "key-0")
	owed, _ := m.Recall(calendar(1), "key-1")
	if known.EventID != "evt-0" || !owed.Owed || owed.Run != first.ID() {
		t.Errorf("what is remembered of shares: %+v, %+v", known, owed)
	}
	must(t, m.Close())
}

func settled(t *testing.T, p SharedPlace) {
	run := sharedRun(t, p.Open(), 2, 1).ID()
	share := func(owner string, records ...journal.Record) {
		t.Helper()
		of := leased(t, p, owner, calendar(0))
		j, _ := of.taken(t, run)
		for _, r := range records {
			must(t, j.Append(r))
		}
		must(t, j.Close())
		must(t, of.lease.Release(nil))
	}
	share("zoe", intent(0), intent(1))
	share("one", journal.Record{Type: journal.Resolved, Op: 0, EventID: "evt-0"}) // its chain is read before
	whole, state, err := found(t, p.Open(), run).Attach(journal.Attachment{Target: everywhere(1), Turn: 100})
	must(t, err)
	if got := state.Op(0).Operation(); got != "events/create" {
		t.Errorf("what was sent is %q", got)
	}
	must(t, whole.Append(journal.Record{Type: journal.Resolved, Op: 1, EventID: "evt-1"}))
	must(t, whole.Commit(t.Context(), end("done")))
	must(t, whole.Close())
	m, err := p.Open().Memory(service)
	must(t, err)
	for n := range 2 {
		known, _ := m.Recall(calendar(0), fmt.Sprint("key-", n))
		if want := fmt.Sprint("evt-", n); known.EventID != want || known.Hash == "" || known.Owed {
			t.Errorf("of what became %s it remembers %+v", want, known)
		}
	}
	must(t, m.Close())
}
