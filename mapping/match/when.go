package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// grain is what the cells of a column hold of a time.
type grain uint8

const (
	grainDate grain = iota
	grainClock
	grainWhole // a date with its time
	grainSpan  // a date or a whole up to another
	grainHours // a time of day up to another
)

// timed is a column of dates or times.
type timed struct {
	settled
	grain grain
}

var (
	startRoles = []role{roleStart, roleStartDate, roleStartTime}
	endRoles   = []role{roleEnd, roleEndDate, roleEndTime}
	anyRoles   = []role{roleWhen, roleTime}
)

func (b *builder) timed(roles ...role) []timed {
	var all []timed
	for _, s := range b.having(roles...) {
		all = append(all, timed{s, s.grain()})
	}
	return all
}

// grain takes the word of the cells, and that of the header only where there are none.
func (s *settled) grain() grain {
	switch {
	case s.counts[shapeSpan] > 0 && s.most(shapeSpan, shapeMoment, shapeDate):
		return grainSpan
	case s.hours():
		return grainHours
	case s.share(shapeMoment) >= 0.5 || s.counts[shapeMoment] > 0 && s.most(shapeDate, shapeMoment):
		return grainWhole
	case s.share(shapeClock, shapeBare) >= 0.5:
		return grainClock
	case s.share(shapeDate) >= 0.5:
		return grainDate
	}
	switch s.role {
	case roleStartDate, roleEndDate, roleWhen:
		return grainDate
	case roleStartTime, roleEndTime, roleTime:
		return grainClock
	}
	return grainWhole
}

func of(all []timed, grains ...grain) []timed {
	var found []timed
	for _, t := range all {
		if slices.Contains(grains, t.grain) {
			found = append(found, t)
		}
	}
	return found
}

// when finds the start and the end.
func (b *builder) when() {
	starts, others := b.timed(startRoles...), b.timed(anyRoles...)
	options := append(ranges(starts), wholes(starts)...)
	dates, clocks := of(starts, grainDate), of(starts, grainClock, grainHours)
	if len(dates) == 0 && len(options) == 0 {
		dates = of(others, grainDate)
		if len(dates) == 0 || len(clocks) == 0 {
			options = append(append(options, ranges(of(others, grainSpan))...), wholes(others)...)
		}
	}
	if len(clocks) == 0 && len(of(starts, grainWhole, grainSpan)) == 0 {
		clocks = of(others, grainClock, grainHours)
	}
	dates, clocks = best(dates), best(clocks)
	for _, d := range dates {
		for _, t := range clocks {
			options = append(options, pair(d, t))
		}
		if len(clocks) == 0 {
			options = append(options, option{columns: []*column{d.column}, line: d.reason(), sure: d.sure()})
		}
	}
	options = bestOptions(options)
	if len(options) == 0 {
		if b.updates {
			return
		}
		b.startOf(b.strays(), false)
		return
	}
	b.startOf(options, options[0].sure)
}

// startOf settles the start, then the end that goes with it.
func (b *builder) startOf(options []option, sure bool) {
	chosen, ok := b.choose("start_at", "which column has the start?", options, sure, false)
	if !ok {
		b.hold(slices.Concat(endRoles, anyRoles, []role{roleLength})...)
		return
	}
	first := chosen.columns[0]
	last := chosen.columns[len(chosen.columns)-1]
	b.times = append(b.times, chosen.columns...)
	switch {
	case last.hours() && !b.hasEnds():
		b.bothHours(first, last, chosen.line)
		return
	case last.counts[shapeSpan] > 0 && last.most(shapeSpan, shapeMoment, shapeDate):
		b.bothSides(last, chosen.line)
		return
	case len(chosen.columns) == 1 && !last.blank() && last.counts[shapeMoment] == 0:
		b.timeOfDay(first, chosen.line)
	default:
		b.set("start_at", mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
	}
	b.end(chosen)
	b.allDay()
}

// allDay takes the column that says which events take whole days.
func (b *builder) allDay() {
	found := surest(b.having(roleAllDay))
	start, _ := b.p.File.Columns.Get("start_at")
	if len(found) != 1 || !found[0].sure() || len(start.From) == 0 {
		return
	}
	s := &found[0]
	b.p.File.AllDay.Column = s.header
	for _, v := range s.distinct {
		if _, fault := schema.ParseBool(v); fault == nil {
			continue
		}
		if truth, ok := truths[fold(v)]; ok {
			b.p.File.AllDay.Values = append(b.p.File.AllDay.Values, yamldoc.Item[string]{Key: v, Value: truth})
		}
	}
	b.say("all_day", reasonOf("all_day", s), s.column)
}

// hours reports whether the cells are times of day, some up to another.
func (c *column) hours() bool {
	return c.share(shapeHours) >= 0.5 || c.counts[shapeHours] > 0 && c.most(shapeHours, shapeClock, shapeBare)
}

// hasEnds reports whether a column with cells has ends of its own.
func (b *builder) hasEnds() bool {
	return slices.ContainsFunc(b.having(endRoles...), func(s settled) bool { return !s.blank() })
}

// timeOfDay asks when events start, where a date is all there is.
func (b *builder) timeOfDay(date *column, line Line) {
	answer, ok := b.ask(Question{
		ID: "start_time", At: "start_at", Text: "at what time of day do the events of " + quoted(date.header) + " start?",
		Why:  "no column has a time of day",
		Free: "a time such as 18:30", check: isClock,
	}, date)
	if !ok {
		return
	}
	line.Reason += "; the time of day was answered"
	b.set("start_at", mapfile.Column{Expr: whole(date) + ` == "" ? "" : ` + whole(date) + ` + " ` + answer + `"`}, line, date)
}

func isClock(text string) bool {
	m, ok := scan(text)
	return ok && m.HasTime && !m.HasDate && !m.HasOffset
}

// end finds what says when events end.
func (b *builder) end(start option) {
	ends := b.timed(endRoles...)
	options := append(ranges(ends), wholes(ends)...)
	dates, clocks := best(of(ends, grainDate)), best(of(ends, grainClock))
	for _, t := range clocks {
		for _, d := range dates {
			options = append(options, pair(d, t))
		}
		if len(dates) == 0 && len(start.columns) == 2 {
			options = append(options, pair(timed{settled: settled{start.columns[0], claim{basis: ByPath}}}, t))
		}
	}
	options = bestOptions(options)
	if len(options) > 0 {
		chosen, ok := b.choose("end_at", "which column has the end?", options, options[0].sure, false)
		if ok {
			b.times = append(b.times, chosen.columns...)
			b.set("end_at", mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
			b.leave("the end has other columns", slices.Concat(endRoles, []role{roleLength})...)
		}
		return
	}
	b.leave("there is no telling an end from it alone", endRoles...)
	if lengths := b.having(roleLength); len(lengths) > 0 {
		b.length(surest(lengths))
		return
	}
	b.assume()
}

// assume asks how long events take, where the file does not say. The service takes
// events without an end.
func (b *builder) assume() {
	answer, answered := b.ask(Question{
		ID: "duration", At: "end_at", Text: "how long do the events take?", Why: "no column has the end; an event may do without",
		Choices: []Choice{{None, "events without an end"}, {"1h", ""}, {"1h30m", ""}, {"2h", ""}, {"3h", ""}},
		Free:    "a time such as 45m or 2h30m", check: isGoLength, Default: None, Optional: true,
	})
	if answered && answer != None {
		b.set("end_at", mapfile.Column{Expr: `start_at + duration("` + answer + `")`}, Line{Basis: ByAnswer, Reason: "answered"})
	}
}

// bothSides reads a range of dates that stands in one cell.
func (b *builder) bothSides(c *column, line Line) {
	b.set("start_at", mapfile.Column{From: mapfile.Names{c.header}, Range: "start"}, line, c)
	b.set("end_at", mapfile.Column{From: mapfile.Names{c.header}, Range: "end"}, line, c)
	b.leave("the end stands in "+quoted(c.header), slices.Concat(endRoles, []role{roleLength})...)
}

// bothHours reads a date beside a range of hours.
func (b *builder) bothHours(date, hours *column, line Line) {
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
	b.leave("the end stands in "+quoted(hours.header), slices.Concat(endRoles, []role{roleLength})...)
}

// leave ignores the columns of some roles that nothing has taken.
func (b *builder) leave(reason string, roles ...role) { b.ignoreAll(b.having(roles...), reason) }

// hold keeps the columns of some roles from being ignored: a question that is open
// decides about them.
func (b *builder) hold(roles ...role) {
	for _, s := range b.having(roles...) {
		b.about[s.index] = true
	}
}

func ranges(all []timed) []option { return singles(of(all, grainSpan)) }
func wholes(all []timed) []option { return singles(of(all, grainWhole)) }

func singles(all []timed) []option {
	var options []option
	for _, t := range all {
		options = append(options, option{columns: []*column{t.column}, line: t.reason(), sure: t.sure(), rank: t.rank()})
	}
	return options
}

// reason says why a column has a time, and what of it cannot be read.
func (t *timed) reason() Line {
	l := reasonOf("", &t.settled)
	where := datetime.AnyCell
	if t.grain == grainClock || t.grain == grainHours {
		where = datetime.ClockCell
	}
	l.Doubt = t.doubt(where)
	return l
}

func pair(d, t timed) option {
	o := option{columns: []*column{d.column, t.column}, line: d.reason(), sure: d.sure() && t.sure(), rank: max(d.rank(), t.rank())}
	second := t.reason()
	if d.basis == ByPath && d.role == rolePath {
		o.line = second
		o.line.Reason += ", with the start's date"
		return o
	}
	o.line.Reason = d.header + ": " + o.line.Reason + "; " + t.header + ": " + second.Reason
	if t.rank() > d.rank() {
		o.line.Basis, o.line.Score = second.Basis, second.Score
	}
	o.line.Doubt = strings.Trim(o.line.Doubt+"; "+second.Doubt, "; ")
	return o
}

// best keeps the columns of the surest basis.
func best(all []timed) []timed {
	var kept []timed
	for _, t := range all {
		switch {
		case len(kept) == 0 || t.rank() < kept[0].rank():
			kept = []timed{t}
		case t.rank() == kept[0].rank():
			kept = append(kept, t)
		}
	}
	return kept
}

func bestOptions(all []option) []option {
	var kept []option
	for _, o := range all {
		switch {
		case len(kept) == 0 || o.rank < kept[0].rank:
			kept = []option{o}
		case o.rank == kept[0].rank:
			kept = append(kept, o)
		}
	}
	return kept
}

// strays are columns that hold dates and are not known to be about something else.
func (b *builder) strays() []option {
	var options []option
	for i := range b.all.columns {
		c := &b.all.columns[i]
		named := slices.ContainsFunc(b.settled, func(s settled) bool { return s.column == c && s.role != roleTime && s.role != roleEnd })
		if c.header == "" || c.twice || named || !c.most(shapeDate, shapeMoment, shapeSpan) {
			continue
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
