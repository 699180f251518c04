package match

import "eventbatch/mapping/mapfile"

// inParts reads dates whose day, month and year stand in columns of their own, beside one of times of day. It reports
// whether there are such columns.
func (b timeStep) inParts(clocks []timeColumn) bool {
	if len(clocks) != 1 || clocks[0].hours() {
		return false
	}
	var parts []*column
	for _, p := range []struct {
		list        string
		least, most int
	}{{"year header", 1900, 2200}, {"month header", 1, 12}, {"weekday header", 1, 31}} {
		for i := range b.all.columns {
			c := &b.all.columns[i]
			if !b.used[i] && !c.twice && in(p.list, c.header) && c.counts[valueInteger] == c.looked && !c.blank() &&
				c.least >= p.least && c.greatest <= p.most {
				parts = append(parts, c)
				break
			}
		}
	}
	if len(parts) != 3 {
		return false
	}
	set := func(path string, clock *column) {
		expr := ""
		for i, c := range append(parts[:3:3], clock) {
			expr += []string{"", ` + "-" + `, ` + "-" + `, ` + " " + `}[i] + whole(c)
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
