package match

import (
	"fmt"
	"slices"
	"strconv"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// timing infers when events start and end, and which take whole days.
type timing struct{ *builder }

// resolution is what the cells of a column hold of a time.
type resolution uint8

const (
	resolutionDate resolution = iota
	resolutionClock
	resolutionWhole // a date with its time
	resolutionSpan  // a date or a whole up to another
	resolutionHours // a time of day up to another
)

// timed is a column of dates or times.
type timed struct {
	settled
	resolution resolution
}

var (
	startRoles = []semantic{typeStart, typeStartDate, typeStartTime}
	endRoles   = []semantic{typeEnd, typeEndDate, typeEndTime}
	anyRoles   = []semantic{typeWhen, typeTime}
)

func (b timing) timed(types ...semantic) []timed {
	var all []timed
	for _, s := range b.having(types...) {
		t := timed{s, s.resolution()}
		if (s.semantic == typeStart || s.semantic == typeEnd) && t.resolution == resolutionWhole && t.unread() && b.dated(s.column) {
			t.resolution = resolutionClock
		}
		all = append(all, t)
	}
	return all
}

// unread reports whether the cells of a column can mostly not be read as they are.
func (s *settled) unread() bool { return !s.blank() && !s.readable() && !s.onlyDates() }

// dated reports whether another column than one has the dates.
func (b timing) dated(other *column) bool {
	return slices.ContainsFunc(b.having(typeWhen, typeStartDate), func(s settled) bool {
		return s.column != other && s.resolution() == resolutionDate
	})
}

// read keeps the columns whose cells can be read, where there are any.
func read(all []timed) []timed {
	return least(all, func(t *timed) int {
		if t.unread() {
			return 1
		}
		return 0
	})
}

// besideClocks takes columns of midnights for dates, as other columns have the times of day.
func besideClocks(all, others []timed) {
	if len(only(slices.Concat(all, others), resolutionClock, resolutionHours)) == 0 {
		return
	}
	for i := range all {
		t := &all[i]
		if n := t.counts[valueMidnight]; t.resolution == resolutionWhole && n > 0 && n == t.counts[valueMoment] {
			t.resolution = resolutionDate
		}
	}
}

// resolution takes the word of the cells, and that of the header only where there are none.
func (s *settled) resolution() resolution {
	switch {
	case s.counts[valueSpan] > 0 && s.most(valueSpan, valueMoment, valueDate):
		return resolutionSpan
	case s.hours():
		return resolutionHours
	case s.share(valueMoment) >= 0.5 || s.counts[valueMoment] > 0 && s.most(valueDate, valueMoment):
		return resolutionWhole
	case s.share(valueClock, valueBare) >= 0.5:
		return resolutionClock
	case s.share(valueDate) >= 0.5, s.onlyDates():
		return resolutionDate
	}
	switch s.semantic {
	case typeStartDate, typeEndDate, typeWhen:
		return resolutionDate
	case typeStartTime, typeEndTime, typeTime:
		return resolutionClock
	}
	return resolutionWhole
}

func only(all []timed, wanted ...resolution) []timed {
	var found []timed
	for _, t := range all {
		if slices.Contains(wanted, t.resolution) {
			found = append(found, t)
		}
	}
	return found
}

// when finds the start and the end.
func (b timing) when() {
	if a := &b.all.above; len(a.week) > 0 && a.day >= 0 && a.blank[a.day] > 0 && !b.all.columns[a.day].twice {
		b.headedWeek(&b.all.columns[a.day])
	}
	starts, others := b.timed(startRoles...), b.timed(anyRoles...)
	besideClocks(starts, others)
	besideClocks(others, starts)
	options := append(ranges(starts), wholes(starts)...)
	dates, clocks := only(starts, resolutionDate), only(starts, resolutionClock, resolutionHours)
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
			options = append(options, option{columns: []*column{d.column}, line: reasonOf(&d.settled), sure: d.sure(), rank: d.rank()})
		}
	}
	if b.ofWeek() && len(clocks) < 2 && !b.updates {
		var hours *settled
		if b.p.File.Grid.Time == "" && len(clocks) == 1 {
			hours = &clocks[0].settled
		}
		if hours != nil || b.p.File.Grid.Time != "" {
			b.week(hours)
			return
		}
	}
	if both := spansBesideClocks(slices.Concat(starts, others)); len(both) > 0 {
		b.startOf(both, false)
		return
	}
	options = bestOptions(options)
	if len(options) == 0 {
		if b.updates {
			return
		}
		if b.inParts(clocks) {
			return
		}
		strays := b.strays()
		_, given := b.config.Answers["start_at"]
		if len(clocks) == 1 && !clocks[0].blank() && len(b.all.above.week) > 0 && !given {
			b.headedDays(&clocks[0].settled)
			return
		}
		if len(clocks) == 1 && !clocks[0].blank() && len(strays) == 0 && !given && !b.all.above.unread {
			b.oneDay(&clocks[0].settled)
			return
		}
		b.startOf(strays, false)
		return
	}
	b.startOf(options, options[0].sure)
}

// spansBesideClocks returns what the start may be where one column has ranges of days and another
// the time of day, which whole days would lose; none elsewhere.
func spansBesideClocks(all []timed) []option {
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
func (b timing) clocksOf(date timed) []option {
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
func (b timing) doors(date timed, likely bool) []option {
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
func (b timing) startOf(options []option, sure bool) {
	chosen, ok := b.choose("start_at", "which column has the start?", options, sure)
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
		b.bothHours(first, last, chosen.line)
		return
	case last.counts[valueSpan] > 0 && last.most(valueSpan, valueMoment, valueDate) && !(last.counts[valueMoment] > 0 && b.hasLengths()):
		b.bothSides(last, chosen.line)
		return
	case (last == first || last.blank() && !first.blank()) && first.onlyDates() && first.counts[valueMoment] == 0:
		b.timeOfDay(first, chosen.line)
	default:
		b.set("start_at", mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
	}
	b.end(chosen)
	b.allDay()
}

// allDay takes the column that says which events take whole days.
func (b timing) allDay() {
	found := surest(b.having(typeAllDay))
	start, _ := b.p.File.Columns.Get("start_at")
	if len(found) != 1 || !found[0].sure() || len(start.From) == 0 {
		return
	}
	s := &found[0]
	b.p.File.AllDay.Column = s.header
	var values yamldoc.Map[string]
	for _, v := range s.distinct {
		if _, fault := schema.ParseBool(v); fault == nil {
			continue
		}
		if truth, ok := truth(v); ok {
			values = append(values, yamldoc.Item[string]{Key: v, Value: truth})
		}
	}
	b.p.File.AllDay.Values = paired(schema.FieldRegistrationOpen.Field(), values, &mapfile.Column{})
	b.say("all_day", reasonOf(s), s.column)
}

// hours reports whether the cells are times of day, some up to another.
func (p *profile) hours() bool {
	return p.share(valueHours) >= 0.5 || p.counts[valueHours] > 0 && p.most(valueHours, valueClock, valueBare)
}

// hasEnds reports whether a column with cells has ends of its own.
func (b timing) hasEnds() bool {
	return slices.ContainsFunc(b.having(endRoles...), func(s settled) bool { return !s.blank() })
}

// hasLengths reports whether a column says how long events take. The end of a cell that holds a range is its own.
func (b timing) hasLengths() bool {
	return slices.ContainsFunc(b.having(typeLength), func(s settled) bool { return !s.blank() })
}

// timeOfDay asks when events start, where a date is all there is.
func (b timing) timeOfDay(date *column, line Line) {
	answer, ok := b.ask(Question{
		ID: "start_time", At: "start_at", Text: "at what time of day do the events of " + quoted(date.header) + " start?",
		Why:  "no column has a time of day, so that " + rowsOf(date.filled) + " would start at the same",
		Free: "a time such as 18:30", check: isClock,
	}, date)
	if !ok {
		return
	}
	line.Reason += "; the time of day was answered"
	b.set("start_at", withTime(date, answer), line, date)
}

func isClock(text string) bool {
	m, ok := scan(text)
	return ok && m.HasTime && !m.HasDate && !m.HasOffset
}

func ranges(all []timed) []option { return singles(only(all, resolutionSpan)) }
func wholes(all []timed) []option { return singles(only(all, resolutionWhole)) }

func singles(all []timed) []option {
	var options []option
	for _, t := range all {
		options = append(options, option{columns: []*column{t.column}, line: reasonOf(&t.settled), sure: t.sure(), rank: t.rank()})
	}
	return options
}

func pair(d, t timed) option {
	o := option{columns: []*column{d.column, t.column}, line: reasonOf(&d.settled)}
	o.sure, o.rank = d.sure() && t.sure(), max(d.rank(), t.rank())
	second := reasonOf(&t.settled)
	if d.basis == ByPath && d.semantic == typePath {
		o.line = second
		o.line.Reason += ", with the start's date"
		return o
	}
	o.line.Reason = d.header + ": " + o.line.Reason + "; " + t.header + ": " + second.Reason
	if t.rank() > d.rank() {
		o.line.Basis, o.line.Score = second.Basis, second.Score
	}
	return o
}

// best keeps the columns of the surest basis.
func best(all []timed) []timed { return least(all, func(t *timed) int { return t.rank() }) }

func bestOptions(all []option) []option { return least(all, func(o *option) int { return o.rank }) }

// strays are columns that hold dates and are not known to be about something else, each after its pairs with times of
// day of which the same is true.
func (b timing) strays() []option {
	var options []option
	for i := range b.all.columns {
		c := &b.all.columns[i]
		cl, known := b.claims[i]
		named := known && cl.semantic != typeTime && cl.semantic != typeEnd
		if c.header == "" || c.twice || named || !c.most(valueDate, valueMoment, valueSpan) {
			continue
		}
		if c.onlyDates() {
			options = append(options, b.clocksOf(timed{settled{c, claim{basis: ByValues}}, resolutionDate})...)
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
