package match

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// length reads the end from how long events take.
func (b timing) length(found []settled) {
	sure := len(found) == 1 && found[0].sure()
	chosen, ok := b.choose("end_at", "which column says how long an event takes?", optionsOf(found), sure)
	if !ok {
		return
	}
	c := chosen.columns[0]
	form, ok := b.lengthForm(c)
	if !ok {
		return
	}
	chosen.line.Reason += ", added to the start"
	b.set("end_at", mapfile.Column{Expr: whole(c) + ` == "" ? "" : start_at + duration(` + form + `)`}, chosen.line, c)
}

// lengthForm returns the expression that makes a duration of a cell.
func (b timing) lengthForm(c *column) (form string, ok bool) {
	cell := whole(c)
	switch {
	case c.most(valueClock):
		return `split(` + cell + `, ":")[0] + "h" + split(` + cell + `, ":")[1] + "m"`, true
	case c.most(valueInteger, valueNumber):
		unit, ok := b.lengthUnit(c)
		return cell + ` + "` + unit + `"`, ok
	}
	// "1 h 30 min", each word in the place of which Go has a letter; the longest first.
	form = `lower(` + cell + `)`
	units := words().units
	names := slices.SortedFunc(maps.Keys(units), func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) })
	for _, name := range names {
		for _, unit := range []string{name + ".", name} {
			if len(name) > 1 && slices.ContainsFunc(c.distinct, func(v string) bool { return strings.Contains(strings.ToLower(v), unit) }) {
				form = `replace(` + form + `, "` + unit + `", "` + units[name] + `")`
			}
		}
	}
	form = `replace(` + form + `, " ", "")`
	if slices.ContainsFunc(c.distinct, func(v string) bool { return strings.ContainsAny(v[len(v)-1:], "0123456789") }) {
		form += ` + (` + cell + ` matches "[0-9]$" ? "m" : "")` // 1h30
	}
	for _, v := range c.distinct {
		if _, fault := schema.ParseDuration(v); fault == nil {
			return strings.Replace(form, "lower(", `replace(lower(`, 1) + `, "pt", "")`, true
		}
	}
	return form, true
}

// lengthUnit finds the unit of bare numbers: the header names it, or no event
// could take as long in the other one.
func (b timing) lengthUnit(c *column) (unit string, ok bool) {
	for w := range strings.FieldsSeq(fold(c.header)) {
		if u := words().units[w]; u != "" && len(w) > 1 || w == "h" {
			return u, true
		}
	}
	switch {
	case c.counts[valueInteger] > 0 && c.least >= 15:
		return "m", true
	case c.counts[valueNumber] > 0 && c.greatest <= 12:
		return "h", true
	}
	answer, ok := b.ask(Question{
		ID: "duration_unit", At: "end_at", Text: "in which unit does " + quoted(c.header) + " say how long an event takes?",
		Why:     "it goes from " + strconv.Itoa(c.least) + " to " + strconv.Itoa(c.greatest),
		Choices: []Choice{{"minutes", ""}, {"hours", ""}},
	}, c)
	return map[string]string{"minutes": "m", "hours": "h"}[answer], ok
}

// isGoLength reports whether a text is a length such as 45m, 2h and 2h30m.
func isGoLength(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil && strings.Trim(text, "0123456789hm") == "" && strings.ContainsAny(text, "hm") && len(text) <= 8
}
