package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"eventbatch/batch/journal"
)

// Whoever checks a store finds tables that do not fit together.
func TestMisfitsAreFound(t *testing.T) {
	p, a, _, run := twoOf(t)
	j := take(t, a, run)
	for n := range 2 {
		must(t, j.Commit(t.Context(), intent(n)))
		must(t, j.Commit(t.Context(), journal.Record{Type: journal.OK, Op: n, EventID: "evt"}))
	}
	must(t, j.Close())
	if err := a.Fits(); err != nil {
		t.Fatal(err)
	}
	p.exec("delete from outcomes where n = 1")
	p.exec("delete from ops where n in (2, 3)")
	p.exec("update keys set run = 9")
	err := a.Fits()
	if _, damaged := errors.AsType[*journal.DamagedError](err); !damaged {
		t.Fatal(err)
	}
	for _, want := range []string{"changes without an outcome: 1", "outcomes of no change: 2", "keys of a run that is not there: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

// A server with fewer locks than owners is warned of.
func TestTooFewLocksAreARisk(t *testing.T) {
	p, a, _, _ := twoOf(t)
	few := func() bool {
		risks, err := a.Risks()
		must(t, err)
		return slices.ContainsFunc(risks, func(risk string) bool { return strings.Contains(risk, "fewer than the 100000 owners") })
	}
	if few() {
		t.Error("there are no owners yet")
	}
	p.exec("insert into leases (name, epoch, pid, host, since) select 'owner ' || n, 0, 0, '', now() from generate_series(1, 100000) as n")
	if !few() {
		t.Error("nobody is told")
	}
}
