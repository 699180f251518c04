package report

import (
	"strings"

	"eventbatch/batch/report/finding"
)

// Shortfall returns in words what was not done of a run that has ended.
func Shortfall(rows finding.Rows) string {
	var parts []string
	for _, part := range []struct {
		status finding.Status
		words  string
	}{
		{finding.Failed, "failed"},
		{finding.Conflict, "in conflict"},
		{finding.Blocked, "blocked"},
		{finding.Invalid, "left out as invalid"},
		{finding.InDoubt, "in doubt"},
		{finding.Pending, "not sent"},
	} {
		if n := rows[part.status]; n > 0 {
			parts = append(parts, Number(n)+" "+part.words)
		}
	}
	return "of " + Count(rows[finding.Read], "row") + ", " + strings.Join(parts, ", ")
}
