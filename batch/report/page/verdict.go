package page

import (
	"fmt"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
)

// verdict returns a sentence on the whole and its level: good, fair or bad.
func (s *Sink) verdict(summary *finding.Summary) (words, level string) {
	n := map[string]int{}
	for _, t := range summary.Totals {
		n[t.Word] += t.Rows
	}
	read := n["read"]
	done := n["created"] + n["updated"] + n["cancelled"]
	switch {
	case summary.Broken:
		words = "An error ended it after " + printable.Count(read, "row") + "."
		if done > 0 {
			words = "An error ended it with " + printable.Number(done) + " of " + printable.Count(read, "row") + " done."
		}
		return words, "bad"
	case summary.Run == "":
		return s.checked(read, n["invalid"])
	}
	return s.ran(n, read, done, summary.Requests.Sent)
}

func (s *Sink) checked(read, invalid int) (words, level string) {
	errors, warnings := s.severity[0], s.severity[1]
	switch {
	case invalid > 0:
		words = fmt.Sprintf("%s of %s %s errors that keep %s from being imported.",
			printable.Number(invalid), printable.Count(read, "row"), printable.Pick(invalid, "has", "have"),
			printable.Pick(invalid, "it", "them"))
		if invalid == read {
			words = fmt.Sprintf(
				"No row can be imported yet: %s %s errors.", printable.Pick(read, "the only one", "all "+printable.Number(read)),
				printable.Pick(read, "has", "have"),
			)
		}
		return words, "bad"
	case errors > 0:
		return fmt.Sprintf(
			"%s %s to be mended before anything can be imported.", capital(printable.Count(errors, "problem")),
			printable.Pick(errors, "has", "have"),
		), "bad"
	case read == 0:
		return "There is no row to import.", "fair"
	case warnings > 0:
		return fmt.Sprintf(
			"%s can be imported; %s %s worth a look.", capital(all(read)), printable.Count(warnings, "warning"),
			printable.Pick(warnings, "is", "are"),
		), "fair"
	}
	return capital(all(read)) + " can be imported.", "good"
}

func (s *Sink) ran(n map[string]int, read, done, sent int) (words, level string) {
	trouble := s.list(n, "failed", "in_doubt", "conflict", "blocked", "invalid")
	pending := n["pending"]
	switch {
	case read == 0:
		return "There was no row to send.", "fair"
	case pending > 0 && done == 0 && sent == 0:
		are := printable.Pick(pending, "is", "are")
		words = fmt.Sprintf("Nothing has been sent yet: %s %s waiting.", printable.Count(pending, "row"), are)
		level = "fair"
	case pending > 0:
		words, level = fmt.Sprintf("Not finished: %s done, %s still to be sent.", printable.Number(done), printable.Number(pending)), "fair"
	case trouble != "" && done == 0:
		words, level = "Nothing was done.", "bad"
	case trouble != "":
		words = fmt.Sprintf(
			"%s of %s %s sent and accepted.", printable.Number(done), printable.Count(read, "row"), printable.Pick(done, "was", "were"),
		)
		level = "bad"
	case done == 0:
		return "Nothing had to be done: every row was as it should be.", "good"
	default:
		return "All done: " + s.list(n, "created", "updated", "cancelled", "unchanged", "skipped") + ".", "good"
	}
	if trouble != "" {
		words, level = strings.TrimSuffix(words, ".")+"; "+trouble+".", "bad"
	}
	return words, level
}

// list returns the counts that are not 0: 3 failed, 1 in doubt.
func (s *Sink) list(n map[string]int, words ...string) string {
	var parts []string
	for _, word := range words {
		if n[word] > 0 {
			parts = append(parts, printable.Number(n[word])+" "+s.plain(word))
		}
	}
	return strings.Join(parts, ", ")
}

func all(n int) string {
	switch n {
	case 1:
		return "the only row"
	case 2:
		return "both rows"
	}
	return "all " + printable.Count(n, "row")
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// tile is one total, and its share of the bar in the page's order.
type tile struct {
	Word, Plain, Number string
	X, Width            string // of the bar, in 1000
}

// tiles returns the first total, those after it that are not 0, and whether they add
// up to it.
func (s *Sink) tiles(totals []finding.Total) (read *tile, rest []tile, adds bool) {
	if len(totals) == 0 {
		return nil, nil, false
	}
	first := totals[0]
	sum := 0
	for _, t := range totals[1:] {
		sum += t.Rows
	}
	adds = sum == first.Rows && sum > 0
	x := 0.0
	for _, t := range totals[1:] {
		if t.Rows == 0 {
			continue
		}
		width := 0.0
		if adds {
			width = 1000 * float64(t.Rows) / float64(sum)
		}
		rest = append(rest, tile{
			Word: t.Word, Plain: s.plain(t.Word), Number: printable.Number(t.Rows),
			X: fmt.Sprintf("%.2f", x), Width: fmt.Sprintf("%.2f", width),
		})
		x += width
	}
	return &tile{Word: first.Word, Plain: s.plain(first.Word), Number: printable.Number(first.Rows)}, rest, adds
}
