package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
)

// inParts reads dates whose day, month and year stand in columns of their own, beside one of times of day. It reports
// whether there are such columns.
func (b timeStep) inParts(clocks []timeColumn) bool {
	if len(clocks) != 1 || clocks[0].hours() {
		return false
	}
	var parts []*column
	named := false // the months
	for _, p := range []struct {
		list        string
		least, most int
	}{{"year header", 1900, 2200}, {"month header", 1, 12}, {"weekday header", 1, 31}} {
		for i := range b.all.columns {
			c := &b.all.columns[i]
			if b.used[i] || c.twice || c.blank() || !in(p.list, c.header) {
				continue
			}
			numbers := c.counts[valueInteger] == c.looked && c.least >= p.least && c.greatest <= p.most
			if words := p.most == 12 && c.months(); numbers || words {
				named = named || words
				parts = append(parts, c)
				break
			}
		}
	}
	if len(parts) != 3 {
		return false
	}
	set := func(path string, clock *column) {
		order, marks := []*column{parts[0], parts[1], parts[2]}, `-`
		if named {
			slices.Reverse(order)
			marks = ` `
		}
		expr := whole(order[0])
		for i, c := range append(order[1:], clock) {
			expr += ` + "` + []string{marks, marks, " "}[i] + `" + ` + whole(c)
		}
		if path == "end_at" {
			expr = whole(clock) + ` == "" ? "" : ` + expr
		}
		line := Line{Basis: ByAlias, Reason: "year, month and day have columns of their own"}
		b.set(path, mapfile.Column{Expr: expr}, line, append(parts[:3:3], clock)...)
	}
	set("start_at", clocks[0].column)
	if ends := best(only(b.timed(endRoles...), resolutionClock)); len(ends) == 1 && !ends[0].blank() {
		set("end_at", ends[0].column)
		return true
	}
	endStep(b).assume()
	return true
}

// months reports whether all cells are names of months.
func (c *column) months() bool {
	return !slices.ContainsFunc(c.distinct, func(text string) bool { return datetime.Month(strings.TrimRight(text, ".")) == 0 })
}
