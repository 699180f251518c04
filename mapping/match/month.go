package match

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
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

// unreadable names a layout of which no answer makes rows, as what it is. The day of an event in a month grid may stand in its
// cell, in the row above, or some rows above, and its month outside of the table.
func (b gridStep) unreadable() bool {
	const list = "write a list: the columns Date, Time and Event, and a row for each event; eventbatch template makes such a file"
	at, q := b.labels(), Question{Text: "a form with a label in each row", Why: "the first column holds what are usual headers"}
	q.Free = "turn it: the labels as headers, and a row for each event"
	if months := b.months(); months != nil {
		at, q = months, Question{Text: "a column for each month", Why: "the headers are months", Free: list}
	}
	if m := &b.all.month; m.found() {
		at, q.Text, q.Free = m.columns, "a month grid", list
		q.Why = "the columns are days of the week, and their cells hold the numbers of days"
	}
	if at == nil {
		return false
	}
	var columns []*column
	for _, i := range at {
		columns = append(columns, &b.all.columns[i])
	}
	q.ID, q.At, q.Text, q.Refused = "layout", "columns", "this looks like "+q.Text+", which cannot be read", true
	b.ask(q, columns...)
	for i := range b.all.columns {
		b.about[i] = true
	}
	for id := range b.config.Answers {
		b.taken[id] = true // nothing else is asked
	}
	return true
}

// months returns the columns that are headed by months, where these are all but one or two and no column says when.
func (b gridStep) months() (at []int) {
	headed := 0
	for i := range b.all.columns {
		word, _, _ := strings.Cut(b.all.columns[i].header, " ")
		switch {
		case datetime.Month(strings.TrimSuffix(word, ".")) > 0:
			at = append(at, i)
		case tellsWhen(word) || tellsWhen(b.all.columns[i].header):
			return nil
		case word != "":
			headed++
		}
	}
	if len(at) < 3 || headed > 2 {
		return nil
	}
	return at
}

// labels returns the first column where it holds what are usual headers, one of a start among them, and no other column is
// headed by one.
func (b gridStep) labels() []int {
	usualHeader := func(c column) bool { return isUsual(c.header) }
	if len(b.all.columns) < 2 || !usualHeader(b.all.columns[0]) || slices.ContainsFunc(b.all.columns[1:], usualHeader) {
		return nil
	}
	first, usual, when := &b.all.columns[0], 0, false
	for _, text := range first.distinct {
		if isUsual(text) {
			usual, when = usual+1, when || tellsWhen(text)
		}
	}
	if usual < 2 || !when || 4*usual < 3*len(first.distinct) {
		return nil
	}
	return []int{0}
}

// isUsual reports whether a text is a usual header of events.
func isUsual(text string) bool {
	claims := claimsOf(text)
	return len(claims) > 0 && claims[0].basis != BySimilar
}

// tellsWhen reports whether a text is a usual header of a column that says when events start.
func tellsWhen(text string) bool {
	return isUsual(text) && slices.Contains(slices.Concat(startRoles, anyRoles), claimsOf(text)[0].semantic)
}
