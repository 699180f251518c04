package file

import (
	"testing"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// What is said of a row can be read where nothing else of the report is seen.
func TestTheVerdictSaysTheReason(t *testing.T) {
	problem := func(severity schema.Severity, header, value, message string) schema.Problem {
		return schema.Problem{Severity: severity, Place: schema.Place{Header: header}, Value: value, Message: message}
	}
	late := problem(schema.Error, "Beginn", "25:00", "there is no such time of day")
	seats := problem(schema.Error, "Plätze", "viele", `"viele" is not a number`)
	past := problem(schema.Warning, "Datum", "2020-01-01", "the event lies in the past")
	for want, row := range map[string]finding.Row{
		"ok": {Status: finding.Valid, Action: "upsert"},
		`Beginn: "25:00": there is no such time of day`: {Status: finding.Invalid, Problems: []schema.Problem{past, late}},
		`Plätze: "viele" is not a number, and 2 more`: {
			Status: finding.Invalid, Problems: []schema.Problem{seats, late, past, late},
		},
		"name is missing": {
			Status: finding.Invalid, Reason: "the row has errors",
			Problems: []schema.Problem{problem(schema.Error, "", "", "name is missing")},
		},
		"no column has the time zone": {Status: finding.Invalid, Reason: "no column has the time zone"},
		`ok, but Datum: "2020-01-01": the event lies in the past`: {
			Status: finding.Valid, Action: "upsert", Problems: []schema.Problem{past},
		},
		"left out: the row says SKIP": {Status: finding.Valid, Action: "skip", Reason: "the row says SKIP"},
		"created":                     {Status: finding.Created, Action: "create"},
		"failed: the slug is taken":   {Status: finding.Failed, Result: finding.Result{Error: "the slug is taken"}},
	} {
		if got := rowWords(&row); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
