package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"eventbatch/batch/printable"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
)

// The most that is shown of each rule at each column, and of a cell.
const (
	shownEdits = 5
	cellLength = 40
)

// Edits prints what would change, cell by cell, grouped by rule and column: the
// first few of each. It reports whether some were left out.
func (s *Screen) Edits(edits []fix.Edit) (cut bool) {
	type key struct {
		rule, sheet string
		column      int
	}
	groups, order := map[key][]fix.Edit{}, []key{}
	for _, e := range edits {
		k := key{e.Rule, e.Place.Sheet, e.Place.Column}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], e)
	}
	for _, k := range order {
		group := groups[k]
		s.Printf("%s\n", s.Bold(titleOf(group)))
		width := 0
		shown := group[:min(len(group), shownEdits)]
		for i := range shown {
			width = max(width, len(shown[i].Place.Cell()))
		}
		for i := range shown {
			s.Printf("  %-*s  %s\n", width, shown[i].Place.Cell(), s.change(&shown[i]))
		}
		if more := len(group) - len(shown); more > 0 {
			s.Printf("  %s\n", s.Dim("and "+Number(more)+" more"))
			cut = true
		}
	}
	return cut
}

// titleOf names a group: coerce-dates: start_at (column C), 214 cells.
func titleOf(group []fix.Edit) string {
	first := &group[0]
	header := printable.Clean(first.Place.Header)
	if header == "" {
		header = "column " + schema.ColumnName(first.Place.Column)
	}
	if first.Place.Sheet != "" {
		header = printable.Clean(first.Place.Sheet) + "!" + header
	}
	return fmt.Sprintf("%s: %s, %s", first.Rule, header, Count(len(group), "cell"))
}

func (s *Screen) change(e *fix.Edit) string {
	change := s.red(shownCell(e.Before)) + " → " + s.green(shownCell(e.After))
	if e.Reason != "" {
		change += "  " + s.Dim(printable.Clean(e.Reason))
	}
	return change
}

// shownCell makes white space at the ends of a cell, and a blank cell, visible.
func shownCell(text string) string {
	if text == "" {
		return "(blank)"
	}
	short := printable.Shorten(strings.ToValidUTF8(text, ""), cellLength)
	clean := printable.Clean(short)
	if clean != short || strings.TrimSpace(text) != text || utf8.RuneCountInString(clean) == 0 {
		return fmt.Sprintf("%q", short)
	}
	return clean
}
