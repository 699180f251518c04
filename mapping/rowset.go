package mapping

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RowSet is a set of physical rows; the empty one admits every row.
type RowSet []RowRange

// RowRange is the rows from First to Last, both included.
type RowRange struct{ First, Last int }

// ParseRowSet reads --rows: 2-40,77. A range may be open at its end: 500-.
func ParseRowSet(text string) (RowSet, error) {
	var set RowSet
	for word := range strings.SplitSeq(text, ",") {
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
		set = append(set, RowRange{from, to})
	}
	slices.SortFunc(set, func(a, b RowRange) int { return cmp.Compare(a.First, b.First) })
	return set, nil
}

// Has reports whether the set admits a row.
func (s RowSet) Has(row int) bool {
	if len(s) == 0 {
		return true
	}
	for _, r := range s {
		if row < r.First {
			return false
		}
		if row <= r.Last {
			return true
		}
	}
	return false
}
