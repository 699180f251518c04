package sheet

import (
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// Merge is a range of merged cells. Rows count from 1, columns from 0.
type Merge struct{ Left, Top, Right, Bottom int }

// mostMerges bounds how many of them are kept.
const mostMerges = 100_000

// sightings counts what is seen of a sheet that is no error.
type sightings struct {
	hidden int   // rows
	off    []int // the first rows that are struck through
	offs   int   // of them all
	merged []Merge
	inside int64 // cells in them beyond the first of each
}

// row takes in a row that holds something: that it is hidden, or that half of its cells are struck
// through, which it reports.
func (s *sightings) row(number int, hidden bool, filled, struck int) (isStruck bool) {
	if hidden {
		s.hidden++
	}
	if isStruck = struck > 0 && struck*2 >= filled; isStruck {
		if s.offs++; len(s.off) < 10 {
			s.off = append(s.off, number)
		}
	}
	return isStruck
}

// merge takes in merged cells.
func (s *sightings) merge(m Merge) {
	if len(s.merged) < mostMerges {
		s.merged = append(s.merged, m)
	}
	s.inside += int64(m.Right-m.Left+1)*int64(m.Bottom-m.Top+1) - 1
}

// notes tells what was counted on the way.
func (s *sightings) notes(file, sheet string) []schema.Problem {
	var all []schema.Problem
	warn := func(code schema.Code, message, hint string) {
		all = append(all, schema.Problem{
			Severity: schema.Warning, Code: code, Place: schema.Place{File: file, Sheet: sheet, Column: -1}, Message: message, Hint: hint,
		})
	}
	if s.hidden > 0 {
		warn(schema.CodeHiddenRows, fmt.Sprintf("hidden rows are read like the others: %d", s.hidden),
			"delete them, or clear the filter that hides them, if they are not meant")
	}
	if s.offs > 0 {
		var rows []string
		for _, number := range s.off {
			rows = append(rows, strconv.Itoa(number))
		}
		if more := s.offs - len(rows); more > 0 {
			rows = append(rows, strconv.Itoa(more)+" more")
		}
		warn(schema.CodeStruckRows, "rows that are struck through are read like the others: "+strings.Join(rows, ", "),
			"delete them, or write SKIP or CANCEL in a column action, if they are not meant")
	}
	if len(s.merged) > 0 {
		warn(schema.CodeMergedCells, fmt.Sprintf("cells that are blank because they are merged with another: %d", s.inside),
			"if the value is meant for each of them, unmerge them and fill them in")
	}
	return all
}
