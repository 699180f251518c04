package mapping

import (
	"cmp"
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

// cutSheet takes the name of a sheet off a text that begins with one as formulas quote it.
func cutSheet(text string) (sheet, rest string, quoted bool) {
	inner, quoted := strings.CutPrefix(strings.TrimSpace(text), "'")
	for at := 0; quoted && at < len(inner); at++ {
		switch {
		case inner[at] != '\'':
		case strings.HasPrefix(inner[at:], "''"):
			at++
		case strings.HasPrefix(inner[at:], "'!"):
			return strings.ReplaceAll(inner[:at], "''", "'"), inner[at+2:], true
		default:
			quoted = false
		}
	}
	return "", text, false
}

// RowsOf returns what stands before the rows of a sheet in --rows: its name, quoted as in a formula where it has to be.
func RowsOf(sheet string) string {
	if strings.Contains(sheet, ",") || strings.HasPrefix(sheet, "'") || sheet != strings.TrimSpace(sheet) {
		sheet = "'" + strings.ReplaceAll(sheet, "'", "''") + "'"
	}
	return sheet + "!"
}

// ParseRowSet reads --rows: 2-40,77 or Guests!2-40 or 'Tea, coffee'!2-40. A range may be open at its end: 500-.
func ParseRowSet(text string) (RowSet, error) {
	var set RowSet
	for more := true; more; {
		var sheet, word string
		var quoted bool
		sheet, text, quoted = cutSheet(text)
		word, text, more = strings.Cut(text, ",")
		if at := strings.LastIndexByte(word, '!'); at >= 0 && !quoted {
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
	return set.Sorted(), nil
}

// Sorted returns the set in the order in which it is looked into.
func (s RowSet) Sorted() RowSet {
	slices.SortFunc(s, func(a, b RowRange) int { return cmp.Or(cmp.Compare(a.Sheet, b.Sheet), a.First-b.First) })
	kept := s[:0]
	for _, r := range s {
		if n := len(kept) - 1; n >= 0 && kept[n].Sheet == r.Sheet && r.First <= kept[n].Last {
			kept[n].Last = max(kept[n].Last, r.Last)
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// Has reports whether the set, which is sorted, admits a row of a sheet.
func (s RowSet) Has(sheet string, row int) bool {
	return len(s) == 0 || s.of("", row) || sheet != "" && s.of(sheet, row)
}

// of reports whether a range of a sheet, or of any, has a row.
func (s RowSet) of(sheet string, row int) bool {
	i, found := slices.BinarySearchFunc(s, row, func(r RowRange, row int) int {
		return cmp.Or(cmp.Compare(r.Sheet, sheet), cmp.Compare(r.First, row))
	})
	if found {
		return true
	}
	return i > 0 && s[i-1].Sheet == sheet && row <= s[i-1].Last
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

// picks reports whether some of the rows are read only.
func (o *options) picks() bool { return len(o.Rows) > 0 || len(o.Without) > 0 || o.Limit > 0 }

// admits reports whether a row of a sheet is read, as far as its number says.
func (o *options) admits(sheet string, row int) bool {
	return o.Rows.Has(sheet, row) && (len(o.Without) == 0 || !o.Without.Has(sheet, row))
}
