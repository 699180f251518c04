package match

import (
	"fmt"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// timeStep infers when events start, and which take whole days.
type timeStep struct{ *builder }

// when finds the start and the end.
func (b timeStep) when() {
	if a := &b.all.above; len(a.week) > 0 && a.day >= 0 && a.blank[a.day] > 0 && !b.all.columns[a.day].twice {
		weekStep(b).headedWeek(&b.all.columns[a.day])
	}
	starts, others := b.timed(startRoles...), b.timed(anyRoles...)
	besideClocks(starts, others)
	besideClocks(others, starts)
	options, clocks := b.starts(starts, others)
	if hours, alone := b.hoursOfWeek(clocks); alone || hours != nil {
		weekStep(b).week(hours)
		return
	}
	if both := spansBesideClocks(slices.Concat(starts, others)); len(both) > 0 {
		b.startOf(both, false)
		return
	}
	if options = bestOptions(options); len(options) > 0 {
		b.startOf(options, options[0].sure)
	} else if !b.updates {
		b.dateless(clocks)
	}
}

// starts returns what the start may be: columns that have it whole, and dates with the times of day that go with
// them. It returns those times too.
func (b timeStep) starts(starts, others []timeColumn) (options []option, clocks []timeColumn) {
	options = append(ranges(starts), wholes(starts)...)
	dates := only(starts, resolutionDate)
	clocks = only(starts, resolutionClock, resolutionHours)
	if len(dates) == 0 && len(options) == 0 {
		dates = only(others, resolutionDate)
		if len(dates) == 0 || len(clocks) == 0 {
			options = append(append(options, ranges(only(others, resolutionSpan))...), wholes(others)...)
		}
	}
	if clocks = read(clocks); len(only(starts, resolutionWhole, resolutionSpan)) == 0 && (len(clocks) == 0 || clocks[0].unread()) {
		clocks = read(append(clocks, only(others, resolutionClock, resolutionHours)...))
	}
	dates, clocks = best(read(dates)), best(clocks)
	if len(clocks) == 0 && len(options) == 0 && len(dates) == 1 {
		options = b.clocksOf(dates[0])
		options = append(options, b.doors(dates[0], len(options) == 0)...)
	}
	for _, d := range dates {
		for _, t := range clocks {
			options = append(options, pair(d, t))
		}
		if len(clocks) == 0 {
			options = append(options, option{columns: []*column{d.column}, line: reasonOf(&d.candidate), sure: d.sure(), rank: d.rank()})
		}
	}
	return options, clocks
}

// hoursOfWeek returns the hours of a grid of days of the week; alone where such a grid has its times in its cells.
func (b timeStep) hoursOfWeek(clocks []timeColumn) (hours *candidate, alone bool) {
	if !b.ofWeek() || len(clocks) > 1 || b.updates {
		return nil, false
	}
	if alone = b.p.File.Grid.Time != ""; !alone && len(clocks) == 1 {
		hours = &clocks[0].candidate
	}
	return hours, alone
}

// dateless finds the date of events that no column has it of: headings or an answer say it of the hours of one column.
func (b timeStep) dateless(clocks []timeColumn) {
	strays := b.strays()
	_, given := b.config.Answers["start_at"]
	switch alone := len(clocks) == 1 && !clocks[0].blank() && !given; {
	case alone && len(b.all.above.week) > 0:
		b.headedDays(&clocks[0].candidate)
	case alone && len(strays) == 0 && !b.all.above.unread:
		b.oneDay(&clocks[0].candidate)
	default:
		b.startOf(strays, false)
	}
}

// spansBesideClocks returns what the start may be where one column has ranges of days and another
// the time of day, which whole days would lose; none elsewhere.
func spansBesideClocks(all []timeColumn) []option {
	spans, clocks := only(all, resolutionSpan), only(all, resolutionClock, resolutionHours)
	if len(spans) != 1 || len(clocks) != 1 || clocks[0].blank() || spans[0].counts[valueMoment] > 0 {
		return nil
	}
	whole, paired := ranges(spans)[0], pair(spans[0], clocks[0])
	whole.sure, paired.sure = false, false
	whole.likely = spans[0].share(valueSpan) > 0.5
	paired.likely = !whole.likely
	return []option{paired, whole}
}

// clocksOf pairs a date with columns of times of day of which no header says what they are: one of them may be the
// start, and no time is asked for all rows beside them.
func (b timeStep) clocksOf(date timeColumn) []option {
	var options []option
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if _, known := b.claims[i]; c.header == "" || c.twice || known || c.share(valueClock) < 0.5 {
			continue
		}
		options = append(options, option{
			columns: []*column{date.column, c}, rank: date.rank(),
			line: Line{Basis: ByValues, Reason: quoted(c.header) + " has times of day"},
		})
	}
	return options
}

// doors pairs a date with the time at which the doors open, where no column has the start. It is likely where no
// other column may have it.
func (b timeStep) doors(date timeColumn, likely bool) []option {
	var options []option
	for _, t := range only(b.timed(typeDoors), resolutionClock, resolutionHours) {
		o := pair(date, t)
		o.sure, o.likely, o.rank = false, likely, date.rank()
		o.line.Reason = quoted(t.header) + " says when the doors open, and no column has the start"
		options = append(options, o)
	}
	return options
}

// startOf settles the start, then the end that goes with it.
func (b timeStep) startOf(options []option, sure bool) {
	choose := func() (option, bool) { return b.choose("start_at", "which column has the start?", options, sure) }
	if len(options) == 0 && b.needs("start_at") {
		choose = b.oneStart
	}
	chosen, ok := choose()
	if _, once := b.p.File.Columns.Get("start_at"); once {
		return
	}
	if !ok {
		b.hold(slices.Concat(endRoles, anyRoles, []semantic{typeLength, typeDoors})...)
		return
	}
	first := chosen.columns[0]
	last := chosen.columns[len(chosen.columns)-1]
	b.times = append(b.times, chosen.columns...)
	b.split(chosen.columns)
	defer b.leave("it says when the doors open, and the start has another column", typeDoors)
	switch {
	case last.hours() && !b.hasEnds() && !b.hasLengths():
		endStep(b).bothHours(first, last, chosen.line)
		return
	case last.counts[valueSpan] > 0 && last.most(valueSpan, valueMoment, valueDate) && !(last.counts[valueMoment] > 0 && b.hasLengths()):
		if last.counts[valueDate] <= last.counts[valueSpan] || last.counts[valueMoment] > 0 || !last.spansDays() {
			endStep(b).bothSides(last, chosen.line)
			return
		}
		b.timeOfDay(first, chosen.line)
	case (last == first || last.blank() && !first.blank()) && first.onlyDates() && first.counts[valueMoment] == 0:
		b.timeOfDay(first, chosen.line)
	default:
		b.set("start_at", mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
	}
	endStep(b).end(chosen)
	b.allDay()
}

// oneStart asks for the column of the start where none looks like it: all events may begin together, as a title says.
func (b timeStep) oneStart() (chosen option, ok bool) {
	answer, answered := b.ask(Question{
		ID: "start_at", Text: "which column has the start?", Why: "no column looks like it",
		Free:  "the header of another column, or the start of all events such as 2027-03-08 18:30",
		check: func(answer string) bool { return b.headed(answer) != nil || momentOf(answer) != "" },
	})
	if !answered {
		return option{}, false
	}
	line := Line{Basis: ByAnswer, Reason: "answered"}
	if columns := b.headed(answer); columns != nil {
		return option{columns: columns, line: line}, true
	}
	line.Reason = "answered: the start of all rows"
	b.set("start_at", mapfile.Column{Value: momentOf(answer)}, line)
	return option{}, false
}

// allDay takes the column that says which events take whole days.
func (b timeStep) allDay() {
	found := surest(b.having(typeAllDay))
	start, _ := b.p.File.Columns.Get("start_at")
	if len(found) != 1 || !found[0].sure() || len(start.From) == 0 {
		return
	}
	s := &found[0]
	b.p.File.AllDay.Column = s.header
	var values yamldoc.Map[string]
	for _, v := range s.distinct {
		if _, fault := value.ParseBool(v); fault == nil {
			continue
		}
		if truth, ok := truth(v); ok {
			values = append(values, yamldoc.Item[string]{Key: v, Value: truth})
		}
	}
	b.p.File.AllDay.Values = paired(catalog.Field(catalog.FieldRegistrationOpen), values, &mapfile.Column{})
	b.say("all_day", reasonOf(s), s.column)
}

// timeOfDay asks when events start, where a date is all there is. The cells of a grid may say it.
func (b timeStep) timeOfDay(date *column, line Line) {
	if clock := b.p.File.Grid.Time; clock != "" {
		line.Reason += "; the cells of the grid have the time of day"
		b.set("start_at", mapfile.Column{From: mapfile.Names{date.header, clock}}, line, date)
		return
	}
	answer, ok := b.ask(Question{
		ID: "start_time", At: "start_at", Text: "at what time of day do the events of " + quoted(date.header) + " start?",
		Why:     "no column has a time of day, so that " + rowsOf(date.filled) + " would start at the same",
		Choices: []Choice{{wholeDay, "they take whole days, from midnight to midnight"}},
		Free:    "a time such as 18:30", check: isClock,
	}, date)
	switch {
	case answer == wholeDay, !ok && date.counts[valueSpan] > 0: // of which nothing is seen otherwise
		b.set("start_at", mapfile.Column{From: names([]*column{date}), Range: mapfile.RangeStart}, line, date)
	case ok:
		line.Reason += "; the time of day was answered"
		b.set("start_at", withTime(date, answer), line, date)
	}
}

const wholeDay = "all day" // an answer

func isClock(text string) bool {
	m, ok := scan(text)
	return ok && m.HasTime && !m.HasDate && !m.HasOffset
}

// strays are columns that hold dates and are not known to be about something else, each after its pairs with times of
// day of which the same is true.
func (b timeStep) strays() []option {
	var options []option
	for i := range b.all.columns {
		c := &b.all.columns[i]
		cl, known := b.claims[i]
		named := known && cl.semantic != typeTime && cl.semantic != typeEnd
		if c.header == "" || c.twice || named || !c.most(valueDate, valueMoment, valueSpan) {
			continue
		}
		if c.onlyDates() {
			options = append(options, b.clocksOf(timeColumn{candidate{c, claim{basis: ByValues}}, resolutionDate})...)
		}
		options = append(options, option{columns: []*column{c}, line: Line{Basis: ByValues, Reason: c.describe()}})
	}
	return options
}

func names(columns []*column) mapfile.Names {
	all := make(mapfile.Names, len(columns))
	for i, c := range columns {
		all[i] = c.header
	}
	return all
}

// whole is a cell in an expression.
func whole(c *column) string { return "col(" + strconv.Quote(c.header) + ")" }

func quoted(text string) string { return fmt.Sprintf("%q", shorten(text)) }

// isHour reports whether a text is a number of one or two digits.
func isHour(text string) bool {
	_, err := strconv.ParseUint(text, 10, 8)
	return err == nil && len(text) <= 2
}

// hasHours reports whether numbers in a column are surely hours: another cell is a time of day, or counts beyond 12.
func (u *use) hasHours() bool {
	return u.counts[valueClock]+u.counts[valueBare]+u.counts[valueNumber] > 0 || slices.ContainsFunc(u.distinct, func(text string) bool {
		return isHour(text) && text > "12" && text <= "24" && len(text) == 2
	})
}
