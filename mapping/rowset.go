package mapping

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/spelling"
)

// RowSet is a set of physical rows; the empty one admits every row.
type RowSet []RowRange

// RowRange is the rows from First to Last, both included.
type RowRange struct {
	First, Last int
	Sheet       string // empty: of any
}

// ParseRowSet reads --rows: 2-40,77 or Guests!2-40. A range may be open at its end: 500-.
func ParseRowSet(text string) (RowSet, error) {
	var set RowSet
	for word := range strings.SplitSeq(text, ",") {
		sheet := ""
		if at := strings.LastIndexByte(word, '!'); at >= 0 {
			sheet, word = strings.TrimSpace(word[:at]), word[at+1:]
		}
		first, last, isRange := strings.Cut(strings.TrimSpace(word), "-")
		from, err := strconv.Atoi(strings.TrimSpace(first))
		to := from
		if err == nil && isRange {
			if last = strings.TrimSpace(last); last == "" {
				to = int(^uint(0) >> 1)
			} else {
				to, err = strconv.Atoi(last)
			}
		}
		if err != nil || from < 1 || to < from {
			return nil, optionError(
				"rows", fmt.Sprintf("%q does not name rows", word),
				"write row numbers as the spreadsheet shows them: --rows 2-40,77",
			)
		}
		set = append(set, RowRange{from, to, sheet})
	}
	return set, nil
}

// Has reports whether the set admits a row of a sheet.
func (s RowSet) Has(sheet string, row int) bool {
	return len(s) == 0 || slices.ContainsFunc(s, func(r RowRange) bool {
		return r.First <= row && row <= r.Last && (r.Sheet == "" || r.Sheet == sheet)
	})
}

// Fits refuses a set that names none of the sheets, or where several names say what rows are
// about, says of none which it means.
func (s RowSet) Fits(sheets []string, several bool) error {
	for _, r := range s {
		switch {
		case r.Sheet == "" && several:
			return optionError("rows", "rows of which sheet?", "write it before them, such as --rows '"+sheets[0]+"!2-40,"+sheets[1]+"!7'")
		case r.Sheet != "" && !slices.Contains(sheets, r.Sheet):
			return optionError("rows", "no sheet "+quoted(r.Sheet)+" is read", spelling.DidYouMean(r.Sheet, sheets))
		}
	}
	return nil
}
