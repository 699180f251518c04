package match

import (
	"strconv"
	"strings"

	"eventbatch/mapping/sheet"
)

// monthGrid finds a month in weeks: a column for each day of the week, with the day's number in the cells, alone or before
// the event.
type monthGrid struct {
	columns []int    // that are headed by days of the week
	seen    [32]bool // numbers of days
}

// leastDays is how many different numbers make cells below days of the week those of a month.
const leastDays = 10

func newMonthGrid(header []string) (m monthGrid) {
	for i, day := range dayHeaders(header) {
		if day != nil && day.date == "" && day.number == 0 {
			m.columns = append(m.columns, i)
		}
	}
	if len(m.columns) < 5 {
		m.columns = nil
	}
	return m
}

// add takes a row, before it is known what it is: numbers alone look like a total.
func (m *monthGrid) add(row *sheet.Row) {
	for _, i := range m.columns {
		words := strings.Fields(row.Cell(i).Text)
		if len(words) == 0 {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimRight(words[0], ".:")); err == nil && n >= 1 && n < len(m.seen) {
			m.seen[n] = true
		}
	}
}

func (m *monthGrid) found() bool {
	n := 0
	for _, seen := range m.seen {
		if seen {
			n++
		}
	}
	return n >= leastDays
}

// month names a month grid as what it is. No answer makes rows of it: the day of an event may stand in its cell, in the row
// above, or some rows above, and its month outside of the table.
func (b gridStep) month() bool {
	m := &b.all.month
	if !m.found() {
		return false
	}
	columns := make([]*column, len(m.columns))
	for i, at := range m.columns {
		columns[i] = &b.all.columns[at]
	}
	b.ask(Question{
		ID: "layout", At: "columns", Text: "this looks like a month grid, which cannot be read", Refused: true,
		Why:  "the columns are days of the week, and their cells hold the numbers of days",
		Free: "write a list: the columns Date, Time and Event, and a row for each event; eventbatch template makes such a file",
	}, columns...)
	for i := range b.all.columns {
		b.about[i] = true
	}
	for id := range b.config.Answers {
		b.taken[id] = true // nothing else is asked
	}
	return true
}
