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
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"eventbatch/batch/journal"
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
