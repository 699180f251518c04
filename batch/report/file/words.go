package file

import (
	"strconv"
	"strings"

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
			parts = append(parts, number(t.Rows)+" "+word(t.Word))
		}
	}
	text := count(read, "row")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// requests says what a run has sent, or would send.
func requests(r *finding.Requests) string {
	switch sent := r.Sent + r.Reads; {
	case sent > 0:
		return count(sent, "request") + " sent"
	case r.Planned > 0:
		return count(r.Planned, "request") + " planned, none sent"
	}
	return "nothing to send"
}

// word gives a total's word as people write it.
func word(total string) string { return strings.ReplaceAll(total, "_", " ") }

// failed reports whether what the row is about is not as it should be.
func failed(row *finding.Row) bool {
	switch row.Status {
	case "invalid", "failed", "in_doubt", "blocked":
		return true
	}
	return false
}

// sourceName names a sheet as places do.
func sourceName(file, sheet string) string {
	if sheet != "" {
		return file + ":" + sheet
	}
	return file
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// number writes a number in groups of three digits.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
