package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
)

func TestReasonsComeInAFixedOrder(t *testing.T) {
	sent := func(run, rows int) ReasonCount {
		return ReasonCount{plan.Unchanged, fmt.Sprintf("the same values were sent by run 20261121-2059%02d-0abcde", run), rows}
	}
	nights := []ReasonCount{{plan.Skip, "the row says SKIP", 3}}
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
			{plan.Skip, "the row says SKIP", 3},
			{plan.Unchanged, "the same values were sent by one of 46 runs", 69},
		}},
		{"skipped by several runs", []ReasonCount{
			{plan.Skip, "cancelled by run 20261121-205901-0abcde", 1},
			{plan.Skip, "the filter", 1},
			{plan.Skip, "cancelled by run 20261121-205902-0abcde", 1},
		}, []ReasonCount{{plan.Skip, "cancelled by one of 2 runs", 2}, {plan.Skip, "the filter", 1}}},
		{"unchanged for several reasons", []ReasonCount{
			sent(1, 2), {plan.Invalid, "left out", 1}, {plan.Unchanged, "the row sets no field", 9}, {plan.Skip, "x", 1}, sent(2, 1),
		}, []ReasonCount{
			{plan.Invalid, "left out", 1},
			{plan.Skip, "x", 1},
			{plan.Unchanged, "the row sets no field (9), the same values were sent by one of 2 runs (3)", 12},
		}},
	} {
		if diff := cmp.Diff(test.want, Reasons(test.list)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}
