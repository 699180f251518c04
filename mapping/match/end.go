package match

import (
	"slices"

	"eventbatch/mapping/mapfile"
)

// endStep infers when events end.
type endStep struct{ *builder }

// end finds what says when events end.
func (b endStep) end(start option) {
	ends := b.timed(endRoles...)
	besideClocks(ends, nil)
	if filled := slices.DeleteFunc(slices.Clone(ends), func(t timeColumn) bool { return t.blank() }); len(filled) > 0 {
		ends = filled
	}
	options := append(ranges(ends), wholes(ends)...)
	dates, clocks := best(only(ends, resolutionDate)), best(only(ends, resolutionClock))
	for _, t := range clocks {
		for _, d := range dates {
			options = append(options, pair(d, t))
		}
		first := start.columns[0]
		if len(dates) == 0 && (first.share(valueDate, valueMoment, valueSpan) >= 0.5 || first.onlyDates() || b.completes(first)) {
			options = append(options, pair(timeColumn{candidate: candidate{start.columns[0], claim{basis: ByPath}}}, t))
		}
	}
	options = bestOptions(options)
	if len(options) > 0 {
		chosen, ok := b.choose("end_at", "which column has the end?", options, options[0].sure)
		if ok {
			b.times = append(b.times, chosen.columns...)
			if !b.orLength(chosen) {
				b.set("end_at", mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
			}
			b.leave("the end has other columns", slices.Concat(endRoles, []semantic{typeLength})...)
		}
		return
	}
	lengths := b.having(typeLength)
	if len(lengths) == 0 && len(dates) > 0 && !dates[0].blank() {
		b.endTime(dates[0], start)
		return
	}
	b.leave("there is no telling an end from it alone", endRoles...)
	switch {
	case len(lengths) > 0:
		b.length(surest(lengths))
	case !b.wholeDays(start.columns[0], start.line):
		b.assume()
	}
}

// wholeDays takes the last day of events that take whole days from a column of dates.
func (b endStep) wholeDays(date *column, line Line) bool {
	start, _ := b.p.File.Columns.Get("start_at")
	if start.Range == "" {
		return false
	}
	line.Reason += "; whole days, as was answered"
	b.set("end_at", mapfile.Column{From: names([]*column{date}), Range: mapfile.RangeEnd}, line, date)
	return true
}

// endTime asks when events end, where of that a date is all there is: an event of several days would end on its first.
func (b endStep) endTime(date timeColumn, start option) {
	b.times = append(b.times, date.column)
	if b.wholeDays(date.column, reasonOf(&date.candidate)) {
		return
	}
	q := Question{
		ID: "end_time", At: "end_at", Text: "at what time of day do the events of " + quoted(date.header) + " end?",
		Why:     "no column has it, so that " + rowsOf(date.filled) + " would end at the same",
		Choices: []Choice{{None, "the dates of their ends are not read"}},
		Free:    "a time such as 17:00", check: isClock,
	}
	hours := start.columns[len(start.columns)-1]
	n := hours.counts[valueHours] + hours.counts[valueBareHours]
	ranges := n > 0 && hours != date.column
	if ranges {
		q.Why = quoted(hours.header) + " has it of " + rowsOf(n) + ", and may be meant for each of several days"
		q.Choices = append([]Choice{{hours.header, "when that ends, on the last day"}}, q.Choices...)
		q.Free, q.check = "", nil
	}
	answer, ok := b.ask(q, date.column)
	switch {
	case !ok:
	case ranges && answer == hours.header:
		line := reasonOf(&date.candidate)
		line.Reason += "; " + hours.header + ": when it ends, as was answered"
		b.set("end_at", mapfile.Column{From: names([]*column{date.column, hours}), Range: mapfile.RangeEnd}, line, date.column)
	case answer == None:
		b.ignore(date.column, "answered: the dates of the ends are not read")
		b.assume()
	default:
		line := reasonOf(&date.candidate)
		line.Reason += "; the time of day was answered"
		b.set("end_at", withTime(date.column, answer), line, date.column)
	}
}

// withTime is a date with a time of day, and blank where the date is.
func withTime(date *column, clock string) mapfile.Column {
	return mapfile.Column{Expr: whole(date) + ` == "" ? "" : ` + whole(date) + ` + " ` + clock + `"`}
}

// assume asks how long events take, where the file does not say. The service takes
// events without an end.
func (b endStep) assume() {
	answer, answered := b.ask(Question{
		ID: "duration", At: "end_at", Text: "how long do the events take?",
		Why: "no column has the end, so that " + allRows(b.all.rows) + " would take the same; one without lasts an hour",
		Choices: []Choice{
			{None, "events without an end, of which the platform makes one hour"}, {"1h", ""}, {"1h30m", ""}, {"2h", ""}, {"3h", ""},
		},
		Free: "a time such as 45m or 2h30m", check: isGoLength, Default: None, Optional: true,
	})
	if answered && answer != None {
		b.set("end_at", mapfile.Column{Expr: `start_at + duration("` + answer + `")`}, Line{Basis: ByAnswer, Reason: "answered"})
	}
}

// bothSides reads a range of dates that stands in one cell.
func (b endStep) bothSides(c *column, line Line) {
	b.set("start_at", mapfile.Column{From: mapfile.Names{c.header}, Range: "start"}, line, c)
	b.set("end_at", mapfile.Column{From: mapfile.Names{c.header}, Range: "end"}, line, c)
	b.leave("the end stands in "+quoted(c.header), slices.Concat(endRoles, []semantic{typeLength})...)
}

// bothHours reads a date beside a range of hours.
func (b endStep) bothHours(date, hours *column, line Line) {
	if date == hours {
		b.ask(
			Question{
				ID: "start_at", Text: "which column has the date?", Why: quoted(hours.header) + " has hours only",
				Choices: []Choice{{None, ""}},
			},
			hours,
		)
		return
	}
	from := names([]*column{date, hours})
	b.set("start_at", mapfile.Column{From: from, Range: mapfile.RangeStart}, line, date, hours)
	b.set("end_at", mapfile.Column{From: from, Range: mapfile.RangeEnd}, line, date, hours)
	b.leave("the end stands in "+quoted(hours.header), slices.Concat(endRoles, []semantic{typeLength})...)
}
