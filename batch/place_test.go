package batch

import (
	"errors"
	"testing"

	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/schema"
)

// What only the plan can find out stands at its cell as well.
func TestProblemsOfThePlanStandAtTheirCells(t *testing.T) {
	w := newWorld(t, profile.Key{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}})
	w.mustApply(w.mustPlan(header, tea).Run)
	for _, test := range []struct {
		name  string
		rows  []string
		code  schema.Code
		place string
		value string
	}{
		{
			"a key that has its event",
			[]string{"name,start_at,timezone,action,key", "Pie,2027-04-03T18:00:00Z,Etc/UTC,CREATE,1"},
			schema.CodeKeyExists, "E2", "1",
		},
		{
			"a key without an event",
			[]string{"name,start_at,timezone,action,key", "Pie,2027-04-03T18:00:00Z,Etc/UTC,UPDATE,9"},
			schema.CodeKeyMissing, "E2", "9",
		},
		{"a key of another event", []string{"name,key,event_id", "Pie,1,evt-other"}, schema.CodeKeyConflict, "C2", "evt-other"},
		{
			"a calendar without a key",
			[]string{"name,start_at,timezone,calendar_id", "Pie,2027-04-03T18:00:00Z,Etc/UTC,cal-b"},
			schema.CodeUnknownCalendar, "D2", "cal-b",
		},
		{
			"one key in a calendar of two names",
			[]string{
				"key,name,start_at,timezone,calendar_id", "5,Pie,2027-04-03T18:00:00Z,Etc/UTC,",
				"5,Pie,2027-04-04T18:00:00Z,Etc/UTC,cal-a",
			},
			schema.CodeDuplicateKey, "A3", "5",
		},
		{
			"one event in a calendar of two names",
			[]string{"name,start_at,timezone,calendar_id", "Pie,2027-04-03T18:00:00Z,Etc/UTC,", "Pie,2027-04-03T18:00:00Z,Etc/UTC,cal-a"},
			schema.CodeDuplicateCreate, "A3", "Pie",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var found []schema.Problem
			w.problem = func(p schema.Problem, _ Whose) {
				if p.Severity == schema.Error {
					found = append(found, p)
				}
			}
			_, err := w.plan(test.rows...)
			if _, invalid := errors.AsType[*InvalidError](err); !invalid || len(found) != 1 {
				t.Fatalf("%v, %+v", err, found)
			}
			p := found[0]
			if p.Code != test.code || p.Place.Cell() != test.place || p.Value != test.value || p.Place.Header == "" {
				t.Errorf("%+v", p)
			}
		})
	}
}
