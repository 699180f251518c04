package report

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// stateOf makes the state of a run from what each op came to.
func stateOf(ops ...journal.OpState) *journal.State { return &journal.State{Ops: ops} }

func seq(ops ...*plan.Op) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for _, op := range ops {
			if !yield(op, nil) {
				return
			}
		}
	}
}

func TestResultsKeepTheInputsOwnCells(t *testing.T) {
	ops := []*plan.Op{
		{
			N: 0, Row: plan.Row{Number: 2}, Action: plan.Create, Event: plan.Event{Slug: "tea-1"},
			Payload: plan.Payload{Cells: []string{"Tea, \"green\"", "=1+1"}},
		},
		{N: 1, Row: plan.Row{Number: 5}, Action: plan.Invalid, Payload: plan.Payload{Cells: []string{"two\nlines"}, Problems: []schema.Problem{
			{Severity: schema.Warning, Message: "odd"},
			{Field: "start_at", Message: "no time"},
			{Field: "name", Message: "no name"},
		}}},
		{
			N: 2, Row: plan.Row{Number: 6}, Action: plan.Update, Event: plan.Event{ID: "evt-2"},
			Payload: plan.Payload{Cells: []string{"-5", "x"}, From: map[string]int{"start_at": 1}},
		},
	}
	results := &Results{
		Header: plan.Header{Sources: []plan.Source{{File: "a.xlsx", Sheet: "Events", Header: []string{"Title", "Note"}}}},
		Ops:    seq(ops...),
		Outcomes: Outcomes{State: stateOf(
			journal.OpState{Status: journal.Done, EventID: "evt-1"}, journal.OpState{},
			journal.OpState{Status: journal.Failed, Why: &journal.Why{
				Error: "Invalid request.", Fields: []journal.FieldError{{Path: "start_at", Reason: "too early"}},
			}},
		)},
		SiteURL: "https://example.com/",
	}
	var b bytes.Buffer
	if err := results.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"\ufeffTitle,Note,_row,_sheet,_action,_status,_event_id,_url,_error,_field,_at",
		`"Tea, ""green""",'=1+1,2,Events,create,created,evt-1,https://example.com/tea-1,,,`,
		"\"two\nlines\",,5,Events,invalid,invalid,,,column A: no time; column A: no name,start_at,",
		"-5,x,6,Events,update,failed,evt-2,,start_at: too early,start_at,",
		"",
	}, "\n")
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestResultsOfSourcesWithOtherColumns(t *testing.T) {
	results := &Results{
		Header: plan.Header{Sources: []plan.Source{
			{File: "dir/a.csv", Header: []string{"name", "x", "x"}},
			{File: "dir/b.csv", Header: []string{"x", "key", "name"}},
		}},
		Ops: seq(
			&plan.Op{Row: plan.Row{Number: 2}, Payload: plan.Payload{Cells: []string{"A", "1", "2"}}, Action: plan.Skip},
			&plan.Op{Row: plan.Row{Source: 1, Number: 2}, Payload: plan.Payload{Cells: []string{"3", "K", "B"}}, Action: plan.Skip},
		),
	}
	var b bytes.Buffer
	if err := results.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "\ufeffname,x,x,key,_row,_sheet,_action,_status,_event_id,_url,_error,_field,_at\n" +
		"A,1,2,,2,a.csv,skip,skipped,,,,,\nB,3,,K,2,b.csv,skip,skipped,,,,,\n"
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestResultsNameTheSheetOfEachRow(t *testing.T) {
	for _, c := range []struct {
		sources []plan.Source
		want    []string
	}{
		{[]plan.Source{{File: "a.csv"}}, []string{""}},
		{[]plan.Source{{File: "a.xlsx", Sheet: "May"}, {File: "a.xlsx", Sheet: "June"}}, []string{"May", "June"}},
		{
			[]plan.Source{{File: "a.xlsx", Sheet: "Events"}, {File: "b.xlsx", Sheet: "Events"}, {File: "a.xlsx", Sheet: "More"}},
			[]string{"a.xlsx:Events", "b.xlsx:Events", "a.xlsx:More"},
		},
		{[]plan.Source{{File: "in/1/a.csv"}, {File: "in/2/a.csv"}}, []string{"1/a.csv", "2/a.csv"}},
	} {
		if diff := cmp.Diff(c.want, sheetNames(c.sources)); diff != "" {
			t.Error(diff)
		}
	}
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

func TestCountsAddUp(t *testing.T) {
	actions := []plan.Action{plan.Create, plan.Update, plan.Cancel, plan.Unchanged, plan.Skip, plan.Blocked, plan.Invalid}
	statuses := []journal.Status{journal.Pending, journal.Sent, journal.Done, journal.Failed, journal.InDoubt, journal.Skipped}
	counts := plan.Counts{}
	var ops []*plan.Op
	var states []journal.OpState
	for _, calendar := range []string{"cal-1", "cal-2"} {
		for _, action := range actions {
			for _, status := range statuses {
				ops = append(ops, &plan.Op{N: len(ops), Action: action, Event: plan.Event{Calendar: calendar}})
				states = append(states, journal.OpState{Status: status})
				counts[action]++
			}
		}
	}
	outcomes := Outcomes{State: stateOf(states...), Blocked: map[string]error{"cal-2": errors.New("no key")}}
	rows := Planned(counts)
	for _, op := range ops {
		rows.Settle(outcomes.Of(op))
	}
	sum := rows.Invalid + rows.Skipped + rows.Unchanged + rows.Created + rows.Updated + rows.Cancelled +
		rows.Failed + rows.InDoubt + rows.Blocked + rows.Pending
	if rows.Read != len(ops) || sum != rows.Read {
		t.Errorf("%d rows read, %d accounted for: %+v", rows.Read, sum, rows)
	}
	if rows.Pending != 3 || rows.Blocked != 12+3 {
		t.Errorf("pending %d, blocked %d: %+v", rows.Pending, rows.Blocked, rows)
	}
}

// The input's own cells stay as they are; what is put behind them does not act on a
// terminal.
func TestResultsAddNothingThatATerminalActsOn(t *testing.T) {
	results := &Results{
		Header: plan.Header{Sources: []plan.Source{{File: "a.xlsx", Sheet: "\x1b[31mEvents", Header: []string{"Title"}}}},
		Ops:    seq(&plan.Op{Row: plan.Row{Number: 2}, Payload: plan.Payload{Cells: []string{"Tea\u200b"}}, Action: plan.Create}),
		Outcomes: Outcomes{State: stateOf(journal.OpState{Status: journal.Failed, EventID: "evt\x1b]0;x\a", Why: &journal.Why{
			Fields: []journal.FieldError{{Path: "na\u202eme", Reason: "bad\x00"}},
		}})},
	}
	var b bytes.Buffer
	if err := results.Write(&b); err != nil {
		t.Fatal(err)
	}
	if _, got, _ := strings.Cut(b.String(), "\n"); got != "Tea\u200b,2,[31mEvents,create,failed,evt]0;x,,name: bad,name,\n" {
		t.Errorf("%q", got)
	}
}
