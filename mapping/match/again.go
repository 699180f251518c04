package match

import (
	"slices"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
)

// again settles the rows of a column that says how often they take place. It reports whether some do more than once.
func (b choiceStep) again(c *column, gate *Gate) bool {
	values := slices.DeleteFunc(slices.Clone(c.distinct), func(v string) bool { return gate.State(v) != Recurs })
	if len(values) == 0 {
		return false
	}
	if b.asked("start_at") {
		b.about[c.index] = true // between which days is asked once that is known
		return true
	}
	b.leaveOut(c, b.held(c, values, func(string) Sign { return Again }))
	return true
}

// offerDays offers to make an event of each day until that of a column. It is what the rows mean where its header says
// so, each rhythm can be counted off, and no column names exceptions. What is said in a name is no column of rhythms.
func (b choiceStep) offerDays(q *Question, c *column, values []string) {
	q.Choices[1].Text = "each row is one event, on its first day"
	if f := &b.p.File; b.names(c) || b.firstDays() == nil || len(f.Grid.Columns) > 0 || len(f.Group) > 0 {
		return
	}
	var sure []string
	for _, last := range b.lastDays() {
		q.Choices = append(q.Choices, Choice{last.header, "an event of each time until the day in " + quoted(last.header)})
		if cl, known := b.claims[last.index]; in("last day", last.header) || known && slices.Contains(endRoles, cl.semantic) {
			sure = append(sure, last.header)
		}
	}
	counted := !slices.ContainsFunc(values, func(v string) bool {
		r, _ := datetime.ScanRhythm(v)
		return r.Unit == datetime.OtherUnit
	})
	excepted := slices.ContainsFunc(b.all.columns, func(c column) bool { return in("except", c.header) && !c.blank() })
	if len(sure) == 1 && counted && !excepted {
		q.Default = sure[0]
	}
}

// firstDays returns the column with the date of the start; nil where that is made of other things.
func (b choiceStep) firstDays() *column {
	start, _ := b.p.File.Columns.Get("start_at")
	if len(start.From) == 0 || start.Range != "" {
		return nil
	}
	if found := b.headed(start.From[0]); len(found) == 1 && found[0].share(valueDate, valueMoment) >= 0.5 {
		return found[0]
	}
	return nil
}

// lastDays returns the columns of dates that may say on which day the events of a row end.
func (b choiceStep) lastDays() (found []*column) {
	for i := range b.all.columns {
		c := &b.all.columns[i]
		feeds := slices.ContainsFunc(b.p.Lines, func(l Line) bool { return l.At != "end_at" && slices.Contains(l.Columns, c.header) })
		if c.header != "" && !c.twice && !feeds && c != b.firstDays() && c.share(valueDate, valueMoment) >= 0.5 {
			found = append(found, c)
		}
	}
	return found
}

// unroll makes an event of each time of the rows, until the day in a column.
func (b choiceStep) unroll(c, until *column) {
	start, _ := b.p.File.Columns.Get("start_at")
	u := mapfile.Unroll{Frequency: c.header, Start: start.From[0], Until: until.header}
	if l := b.p.line("end_at"); l != nil && slices.Contains(l.Columns, until.header) {
		u.End = until.header // each time ends on its own day
		if end, _ := b.p.File.Columns.Get("end_at"); len(start.From) == 2 && len(end.From) == 2 {
			u.Clocks = mapfile.Names{start.From[1], end.From[1]}
		}
	}
	columns := []*column{c, until}
	for i := range b.all.columns {
		if every := &b.all.columns[i]; in("interval", every.header) && !every.twice && !b.used[i] {
			u.Interval = every.header
			columns = append(columns, every)
		}
	}
	b.p.File.Unroll = u
	b.p.Ignored = slices.DeleteFunc(b.p.Ignored, func(i Ignored) bool { return i.Header == until.header })
	b.say("unroll", Line{Basis: ByAnswer, Reason: "answered: the rows repeat"}, columns...)
}
