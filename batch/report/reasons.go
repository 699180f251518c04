package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/pattern"
)

// ReasonCount is how many rows have one action for one reason.
type ReasonCount struct {
	Action string
	Reason string
	Rows   int
}

// named are what reasons name: a run, the row of an event, or the cell by which a filter goes. Of several, many words how many there are.
var named = []struct {
	what func() *regexp.Regexp
	many string
}{
	{pattern.New(`\brun \d{8}-\d{6}-[0-9a-z]+`), "one of %s runs"},
	{pattern.New(`^its event, .*, is\b`), "they wait for %s events that are"},
	{pattern.New(` is ("([^"\\]|\\.)*"|blank)$`), " has %s such values"},
}

// Reasons puts the reasons of rows that send nothing into a fixed order: by action,
// then the most rows first. Those that differ in the run or the event that they name are one, and
// the unchanged rows are one, whatever their reasons: after a year of nights each row
// may have a run of its own.
func Reasons(counts map[ReasonCount]int) []ReasonCount {
	var list []ReasonCount
	at, all := map[ReasonCount]int{}, map[ReasonCount][]string{}
	for c, rows := range counts {
		kind, name, many := c, "", ""
		for _, n := range named {
			if found := n.what().FindString(c.Reason); found != "" {
				kind.Reason, name, many = strings.Replace(c.Reason, found, n.many, 1), found, n.many
				break
			}
		}
		i, seen := at[kind]
		if !seen {
			i, at[kind] = len(list), len(list)
			list = append(list, ReasonCount{Action: c.Action, Reason: c.Reason})
		}
		list[i].Rows += rows
		if !slices.Contains(all[kind], name) {
			all[kind] = append(all[kind], name)
		}
		if n := len(all[kind]); n > 1 {
			list[i].Reason = strings.Replace(c.Reason, name, fmt.Sprintf(many, Number(n)), 1)
		}
	}
	slices.SortFunc(list, func(a, b ReasonCount) int {
		return cmp.Or(strings.Compare(a.Action, b.Action), cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Reason, b.Reason))
	})
	return oneUnchanged(list)
}

// oneUnchanged makes one line of the unchanged rows in a sorted list.
func oneUnchanged(list []ReasonCount) []ReasonCount {
	unchanged := func(c ReasonCount) bool { return c.Action == string(finding.Unchanged) }
	first := slices.IndexFunc(list, unchanged)
	if first < 0 || !slices.ContainsFunc(list[first+1:], unchanged) {
		return list
	}
	one := ReasonCount{Action: string(finding.Unchanged)}
	var words []string
	for _, c := range list {
		if unchanged(c) {
			one.Rows += c.Rows
			words = append(words, fmt.Sprintf("%s (%s)", c.Reason, Number(c.Rows)))
		}
	}
	one.Reason = strings.Join(words, ", ")
	return slices.Insert(slices.DeleteFunc(list, unchanged), first, one)
}
