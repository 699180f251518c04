package file

import (
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
)

// verdict says in a line what the report comes to.
func verdict(s *finding.Summary) string {
	if s.Exit.Error != "" {
		return s.Exit.Error
	}
	read, parts := 0, []string{}
	for _, t := range s.Totals {
		switch {
		case t.Word == "read":
			read = t.Rows
		case t.Rows > 0:
			parts = append(parts, printable.Number(t.Rows)+" "+finding.Status(t.Word).Words())
		}
	}
	text := printable.Count(read, "row")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// requests says what a run has sent, or would send.
func requests(r *finding.Requests) string {
	switch sent := r.Sent + r.Reads; {
	case sent > 0:
		return printable.Count(sent, "request") + " sent"
	case r.Planned > 0:
		return printable.Count(r.Planned, "request") + " planned, none sent"
	}
	return "nothing to send"
}

// addAll adds the problems of a row to the groups.
func addAll(groups *finding.Groups, row *finding.Row) {
	for i := range row.Problems {
		groups.Add(&row.Problems[i])
	}
}

// cells names the first cells of a group: F19, F22 and 3 more.
func cells(g *finding.Group) string {
	var names []string
	for _, p := range g.Places {
		if name := p.Cell(); name != "" {
			names = append(names, name)
		}
	}
	text := strings.Join(names, ", ")
	if more := g.N - len(g.Places); more > 0 {
		text += " and " + printable.Number(more) + " more"
	}
	return text
}
