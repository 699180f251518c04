package match

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
)

// length reads the end from how long events take.
func (b endStep) length(found []candidate) {
	sure := len(found) == 1 && found[0].sure()
	chosen, ok := b.choose("end_at", "which column says how long an event takes?", optionsOf(found), sure)
	if !ok {
		return
	}
	c := chosen.columns[0]
	expr, ok := b.lengthened(c)
	if !ok {
		return
	}
	chosen.line.Reason += ", added to the start"
	b.set("end_at", mapfile.Column{Expr: expr}, chosen.line, c)
}

// lengthened is the start with the length of a column added, and blank where that is.
func (b endStep) lengthened(c *column) (expr string, ok bool) {
	form := `duration(` + whole(c) + `)`
	if hasBareLength(c) {
		unit, ok := b.lengthUnit(c)
		if !ok {
			return "", false
		}
		form = `duration(` + whole(c) + `, "` + unit + `")`
	}
	return whole(c) + ` == "" ? "" : start_at + ` + form, true
}

// orLength asks what becomes of rows that have a length where others have an end. It reports whether both are read.
func (b endStep) orLength(end option) bool {
	lengths := surest(b.having(typeLength))
	if len(lengths) == 0 {
		return false
	}
	last, length, rows := end.columns[len(end.columns)-1], lengths[0].column, 0
	for row := range min(b.all.rows, mostRows) {
		if !last.has.at(row) && length.has.at(row) {
			rows++
		}
	}
	if rows == 0 {
		return false
	}
	q := Question{
		ID: "lengths", At: "end_at", Text: "do events without an end take as long as " + quoted(length.header) + " says?",
		Why:     rowsOf(rows) + " with a length and nothing under " + quoted(last.header),
		Choices: []Choice{{None, "the lengths are not read: such events have no end, of which the platform makes one hour"}},
	}
	text := whole(last)
	if len(end.columns) == 2 {
		text = whole(end.columns[0]) + ` + " " + ` + text
	}
	if last.counts[valueSpan] == 0 && (len(end.columns) == 1 || end.columns[0].share(valueDate) == 1) { // else no text is both
		const read = "as long as it says; an end past midnight needs its date then"
		q.Choices = slices.Insert(q.Choices, 0, Choice{"read", read})
	}
	answer, answered := b.ask(q, length)
	if answer == None && answered {
		b.ignore(length, "answered: the lengths are not read")
	}
	if answer != "read" {
		return false
	}
	expr, ok := b.lengthened(length)
	if ok {
		line, columns := end.line, append(slices.Clip(end.columns), length)
		line.Reason += "; without it, the length, added to the start"
		b.set("end_at", mapfile.Column{Expr: whole(last) + ` != "" ? ` + text + " : " + expr}, line, columns...)
	}
	return ok
}

// hasBareLength reports whether a cell of a column is a length without its unit.
func hasBareLength(c *column) bool {
	return c.counts[valueInteger]+c.counts[valueNumber] > 0 || slices.ContainsFunc(c.distinct, func(text string) bool {
		_, named := datetime.ParseLength(text, 0)
		_, bare := datetime.ParseLength(text, time.Hour)
		return bare && !named
	})
}

// lengthUnit finds the unit of bare numbers: the header names it, or no event
// could take as long in the other one.
func (b endStep) lengthUnit(c *column) (unit string, ok bool) {
	for w := range strings.FieldsSeq(fold(c.header)) {
		switch u := datetime.LengthUnit(w); {
		case u == time.Minute && len(w) > 1:
			return "m", true
		case u == time.Hour:
			return "h", true
		}
	}
	days := !slices.ContainsFunc(c.distinct, func(text string) bool {
		n, err := strconv.Atoi(text)
		return err == nil && !slices.Contains([]int{24, 36, 48, 72}, n)
	})
	switch {
	case c.counts[valueInteger] > 0 && c.least >= 15 && !days:
		return "m", true
	case c.counts[valueInteger] == 0 && c.greatest <= 12, c.counts[valueNumber] > 0 && c.greatest <= 12:
		return "h", true
	}
	answer, ok := b.ask(Question{
		ID: "duration_unit", At: "end_at", Text: "in which unit does " + quoted(c.header) + " say how long an event takes?",
		Why:     "it goes from " + strconv.Itoa(c.least) + " to " + strconv.Itoa(c.greatest),
		Choices: []Choice{{"minutes", ""}, {"hours", ""}, {None, "in another one, such as lessons: the column is left behind"}},
	}, c)
	if answer == None {
		b.ignore(c, "it is in another unit")
		return "", false
	}
	return map[string]string{"minutes": "m", "hours": "h"}[answer], ok
}

// isGoLength reports whether a text is a length such as 45m, 2h and 2h30m.
func isGoLength(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil && strings.Trim(text, "0123456789hm") == "" && strings.ContainsAny(text, "hm") && len(text) <= 8
}
