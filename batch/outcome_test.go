package batch

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

var letters = []plan.Sheet{{File: "a.csv", Header: []string{"Title", "Begin", "Where", "Lat", "Slug", "Old"}}}

// refused is an op that the service refused with these words.
func refused(from map[string]int, why *journal.Why) (*plan.Op, *outcomes) {
	op := &plan.Op{
		Action: plan.Create,
		Row:    plan.Row{Number: 4, Line: 5}, Payload: plan.Payload{Cells: []string{"Tea", "soon", "Hall", "89", "tea", "x"}, From: from},
	}
	return op, &outcomes{state: stateOf(journal.OpState{Status: journal.Failed, Why: why}), sources: letters}
}

func TestReasonsStandAtTheirCells(t *testing.T) {
	from := map[string]int{
		"name": 0, "start_at": 1, "geo_address_json.address": 2, "coordinate.latitude": 3, "slug": 4, "meeting_url": 5,
	}
	for _, test := range []struct {
		path   string
		column int
	}{
		{"start_at", 1},
		{"geo_address_json", 2}, // the whole, of which a part has a column
		{"geo_address_json.address", 2},
		{"coordinate.latitude", 3},
		{"coordinate", 3},
		{"meeting_url", 5},
		{"timezone", -1},
		{"", -1},
	} {
		op, known := refused(
			from, &journal.Why{Error: "Invalid request.", Fields: []journal.FieldError{{Path: test.path, Reason: "No."}}},
		)
		problems := known.row(op).Problems
		if len(problems) != 1 || problems[0].Place.Column != test.column || problems[0].Place.Row != 4 || problems[0].Place.Line != 5 {
			t.Errorf("%q: %+v, want column %d", test.path, problems, test.column)
			continue
		}
		if p := problems[0]; test.column >= 0 && (p.Value != op.Cells[test.column] ||
			p.Place.Header != letters[0].Header[test.column]) {
			t.Errorf("%q: %+v", test.path, p)
		}
	}
}

func TestReasonsWithoutAFieldStandAtTheFieldOfTheirCode(t *testing.T) {
	from := map[string]int{"slug": 4, "event_id": 5}
	for code, column := range map[schema.Code]int{
		schema.CodeSlugTaken: 4, schema.CodeNotAllowed: 5, schema.CodeServiceRejected: -1,
	} {
		op, known := refused(from, &journal.Why{Code: string(code), Error: "no"})
		problems := known.row(op).Problems
		if len(problems) != 1 || problems[0].Place.Column != column || problems[0].Code != code || problems[0].Message != "no" {
			t.Errorf("%s: %+v", code, problems)
		}
	}
	op, known := refused(nil, nil)
	if problems := known.row(op).Problems; len(problems) != 1 || problems[0].Message == "" {
		t.Errorf("without words: %+v", problems)
	}
}

func TestMissingEventsAreNamedWithWhatHelps(t *testing.T) {
	for hint, from := range map[string]map[string]int{"--forget-missing": {"name": 0}, "correct event_id": {"name": 0, "event_id": 5}} {
		op, known := refused(from, &journal.Why{Code: string(schema.CodeNotAllowed), Error: "not allowed (status 403)"})
		op.Action, op.Event.ID = plan.Update, "evt-1"
		problems := known.row(op).Problems
		if len(problems) != 1 || !strings.Contains(
			problems[0].Message, "event evt-1 is gone",
		) || !strings.Contains(problems[0].Hint, hint) {
			t.Errorf("%v: %+v", from, problems)
		}
	}
}

func TestRowsInDoubtSayHowToSettleThem(t *testing.T) {
	for action, hint := range map[plan.Action]string{
		plan.Create: "eventbatch apply r1 looks again; or look at the calendar yourself, then add --adopt ROW=EVENT_ID or --not-created " +
			"ROW",
		plan.Update: "eventbatch apply r1 looks again",
	} {
		op, known := refused(nil, nil)
		op.Action = action
		known.state.Run, known.state.Ops[0].Status = "r1", journal.InDoubt
		if problems := known.row(op).Problems; len(problems) != 1 || problems[0].Hint != hint {
			t.Errorf("%s: %+v", action, problems)
		}
	}
}

func TestUnsettledRowsHaveTheirReason(t *testing.T) {
	op := &plan.Op{Action: plan.Create, Event: plan.Event{Calendar: "cal-1"}}
	for _, test := range []struct {
		state   journal.OpState
		blocked map[string]error
		status  finding.Status
		code    schema.Code
	}{
		{journal.OpState{Status: journal.InDoubt}, nil, finding.InDoubt, schema.CodeInDoubt},
		{journal.OpState{Status: journal.Sent}, nil, finding.InDoubt, schema.CodeInDoubt},
		{journal.OpState{}, nil, finding.Pending, ""},
		{journal.OpState{}, map[string]error{"cal-1": errors.New("key refused")}, finding.Blocked, schema.CodeBlocked},
		{journal.OpState{Status: journal.Skipped}, nil, finding.Skipped, ""},
	} {
		known := &outcomes{state: stateOf(test.state), blocked: test.blocked, sources: letters}
		if got := known.of(op); got != test.status {
			t.Errorf("%+v: %s, want %s", test.state, got, test.status)
		}
		problems := known.row(op).Problems
		if test.code == "" && len(problems) > 0 || test.code != "" && (len(problems) != 1 || problems[0].Code != test.code) {
			t.Errorf("%+v: %+v", test.state, problems)
		}
	}
}

// stateOf makes the state of a run from what each op came to.
func stateOf(ops ...journal.OpState) *journal.State { return &journal.State{Ops: ops} }

// Whatever was planned, and whatever became of it, every row is counted once.
func TestEveryRowIsCountedOnce(t *testing.T) {
	actions := []plan.Action{plan.Create, plan.Update, plan.Cancel, plan.Unchanged, plan.Skip, plan.Blocked, plan.Invalid}
	statuses := []journal.Status{journal.Pending, journal.Sent, journal.Done, journal.Failed, journal.InDoubt, journal.Skipped}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 50).Draw(t, "rows")
		ops := make([]*plan.Op, n)
		states := make([]journal.OpState, n)
		for i := range n {
			ops[i] = &plan.Op{
				N: i, Action: rapid.SampledFrom(actions).Draw(t, "action"),
				Event: plan.Event{Calendar: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "calendar")},
			}
			states[i].Status = rapid.SampledFrom(statuses).Draw(t, "status")
		}
		rows := finding.Rows{}
		known := &outcomes{state: stateOf(states...), blocked: map[string]error{"b": errors.New("no key")}}
		for _, op := range ops {
			rows.Add(string(op.Action), known.of(op), 1)
		}
		sum := 0
		for _, status := range finding.Statuses {
			sum += rows[status]
		}
		if rows[finding.Read] != n || sum != n {
			t.Fatalf("%d rows: %+v add up to %d", n, rows, sum)
		}
	})
}

func TestReasonsLandOnTheirCells(t *testing.T) {
	op := &plan.Op{Payload: plan.Payload{From: map[string]int{
		"start_at": 2, "geo_address_json.address": 4, "feedback_email.delay": 5, "registration_questions": 6,
		"coordinate.latitude": 7,
	}}}
	for path, want := range map[string]int{
		"start_at":                          2,
		"geo_address_json.address":          4,
		"geo_address_json":                  4,
		"feedback_email":                    5,
		"feedback_email.delay":              5,
		"registration_questions[2].options": 6,
		"registration_questions.0":          6,
		"coordinate.latitude":               7,
		"name":                              -1,
		"":                                  -1,
	} {
		if got := columnOf(op, path); got != want {
			t.Errorf("columnOf(%q) = %d, want %d", path, got, want)
		}
	}
}

// A row that comes to its end is called then as its run calls it afterwards.
func TestASettledRowIsCalledAsItsRunTells(t *testing.T) {
	op := &plan.Op{Action: plan.Update}
	for _, end := range []journal.Record{
		{Type: journal.OK, Status: 200},
		{Type: journal.Fail, Code: string(schema.CodeServiceRejected)},
		{Type: journal.Doubt},
		{Type: journal.Skip},
		{Type: journal.Skip, Code: journal.Waited},
		{Type: journal.Skip, Code: string(schema.CodeConflict)},
		{Type: journal.Skip, Code: string(schema.CodeMoreThanPlanned)},
	} {
		state := end.OpState()
		run := &outcomes{state: stateOf(state), sources: letters}
		if got, want := Settled(op, &end), run.of(op); got != want {
			t.Errorf("%s %s: %s, and %s afterwards", end.Type, end.Code, got, want)
		}
	}
	if got := Settled(op, &journal.Record{Type: journal.Skip, Code: string(schema.CodeConflict)}); got != finding.Conflict {
		t.Errorf("a conflict is called %s", got)
	}
}
