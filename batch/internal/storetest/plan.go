package storetest

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

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
		ids = append(ids, sealed(t, s, begun.Add(-time.Duration(i)*time.Hour), header("same"), op(0, plan.Create)).ID())
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
