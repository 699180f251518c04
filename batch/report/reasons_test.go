package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReasonsComeInAFixedOrder(t *testing.T) {
	sent := func(run, rows int) ReasonCount {
		return ReasonCount{"unchanged", fmt.Sprintf("the same values were sent by run 20261121-2059%02d-0abcde", run), rows}
	}
	nights := []ReasonCount{{"skip", "the row says SKIP", 3}}
	for i := range 46 {
		nights = append(nights, sent(i, 1+i%2))
	}
	for _, test := range []struct {
		name       string
		list, want []ReasonCount
	}{
		{"none", nil, nil},
		{"one run", []ReasonCount{sent(1, 150)}, []ReasonCount{sent(1, 150)}},
		{"one a night", nights, []ReasonCount{
			{"skip", "the row says SKIP", 3},
			{"unchanged", "the same values were sent by one of 46 runs", 69},
		}},
		{"skipped by several runs", []ReasonCount{
			{"skip", "cancelled by run 20261121-205901-0abcde", 1},
			{"skip", "the filter", 1},
			{"skip", "cancelled by run 20261121-205902-0abcde", 1},
		}, []ReasonCount{{"skip", "cancelled by one of 2 runs", 2}, {"skip", "the filter", 1}}},
		{"held back with several events", []ReasonCount{
			{"blocked", "its event, a.xlsx:Events!14, is blocked", 3},
			{"blocked", "its event, a.xlsx:Events!15, is blocked", 5},
			{"blocked", "its event, a.xlsx:Events!16, is invalid", 1},
		}, []ReasonCount{
			{"blocked", "they wait for 2 events that are blocked", 8}, {"blocked", "its event, a.xlsx:Events!16, is invalid", 1},
		}},
		{"left out by several values", []ReasonCount{
			{"skip", `the filter leaves it out: "Status" is "Draft"`, 3},
			{"skip", `the filter leaves it out: "Status" is blank`, 1},
			{"skip", `the filter leaves it out: "Live" is "No"`, 1},
		}, []ReasonCount{
			{"skip", `the filter leaves it out: "Status" has 2 such values`, 4}, {"skip", `the filter leaves it out: "Live" is "No"`, 1},
		}},
		{"unchanged for several reasons", []ReasonCount{
			sent(1, 2), {"invalid", "left out", 1}, {"unchanged", "the row sets no field", 9}, {"skip", "x", 1}, sent(2, 1),
		}, []ReasonCount{
			{"invalid", "left out", 1},
			{"skip", "x", 1},
			{"unchanged", "the row sets no field (9), the same values were sent by one of 2 runs (3)", 12},
		}},
	} {
		counts := map[ReasonCount]int{}
		for _, c := range test.list {
			counts[ReasonCount{Action: c.Action, Reason: c.Reason}] = c.Rows
		}
		if diff := cmp.Diff(test.want, Reasons(counts)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}
