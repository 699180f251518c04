package storetest

import (
	"fmt"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// What the promises are tried with: runs of a service, and records of their ops.

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
	return sealed(t, s, begun, header(identity), list...)
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

func sealed(t fataler, s journal.Store, at time.Time, h plan.Header, ops ...*plan.Op) *journal.Run {
	t.Helper()
	draft, err := s.Draft(at)
	must(t, err)
	for _, op := range ops {
		must(t, draft.Add(op))
	}
	run, err := draft.Seal(h, nil)
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
