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
	form := `duration(` + whole(c) + `)`
	if hasBareLength(c) {
		unit, ok := b.lengthUnit(c)
		if !ok {
			return
		}
		form = `duration(` + whole(c) + `, "` + unit + `")`
	}
	chosen.line.Reason += ", added to the start"
	b.set("end_at", mapfile.Column{Expr: whole(c) + ` == "" ? "" : start_at + ` + form}, chosen.line, c)
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
