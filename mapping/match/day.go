package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// oneDay reads a programme that has times of day and no date: what is asked is the day of all of them.
func (b timeStep) oneDay(hours *candidate) {
	back := (&evidence{builder: b.builder, hours: hours.column}).hear(ofDays)
	answer, ok := b.ask(Question{
		ID: "day", At: "start_at", Text: "on which day do the events of " + quoted(hours.header) + " take place?",
		Why:  "no column has a date, so that " + rowsOf(hours.filled) + " would be on the same day" + also(back),
		Free: "a date such as 2027-10-14", check: func(answer string) bool { return dayOf(answer) != "" },
	}, hours.column)
	if !ok {
		b.hold(slices.Concat(endRoles, anyRoles, []semantic{typeLength, typeDoors})...)
		return
	}
	b.p.File.Fill = append(b.p.File.Fill, yamldoc.Item[string]{Key: hours.header, Value: dayOf(answer)})
	b.say("fill", Line{Basis: ByAnswer, Reason: "answered: the day of all rows"})
	b.completedHours(hours)
}

// headedDays reads hours below headings that are days of the week.
func (b timeStep) headedDays(hours *candidate) {
	if !weekStep(b).headedWeek(hours.column) {
		b.hold(slices.Concat(endRoles, anyRoles, []semantic{typeLength, typeDoors})...)
		return
	}
	b.completedHours(hours)
}

// completedHours takes the start, and the end, from hours that the mapping says the date of.
func (b timeStep) completedHours(hours *candidate) {
	chosen := option{columns: []*column{hours.column}, line: reasonOf(hours)}
	b.times = append(b.times, hours.column)
	if hours.hours() && !b.hasEnds() {
		endStep(b).bothSides(hours.column, chosen.line)
		return
	}
	b.set("start_at", mapfile.Column{From: mapfile.Names{hours.header}}, chosen.line, hours.column)
	endStep(b).end(chosen)
	b.allDay()
}

// momentOf returns a date with its time as a mapping has it; empty where a text is none, or another by the other order.
func momentOf(text string) (moment string) {
	for _, order := range []datetime.Order{datetime.DayFirst, datetime.MonthFirst} {
		m, fault := datetime.Scan(text, order)
		if fault != datetime.OK || !m.HasDate || !m.HasTime {
			continue
		}
		read := string(m.Append(nil))
		if moment != "" && moment != read {
			return ""
		}
		moment = read
	}
	return moment
}

// dayOf returns a date as a mapping has it; empty where a text is none, or more than one.
func dayOf(text string) string {
	m, fault := datetime.Scan(text, datetime.Unknown)
	if fault != datetime.OK || !m.HasDate || m.HasTime {
		return ""
	}
	return string(m.Append(nil))
}

// with returns the cells with the date that is said for all of them.
func (k *cells) with(fill *reshape.Fill) *cells {
	whole := &cells{kind: k.kind, count: k.count, times: map[string]int{}}
	for _, text := range k.texts {
		date := fill.Above
		day, bare, marked := strings.Cut(text, weekMark)
		if !marked {
			bare = text
		} else if above, _ := reshape.ParseHeading(day); !fill.Week.IsZero() {
			date = above.In(fill.Week)
		}
		cell := sheet.Cell{Kind: sheet.Text, Text: bare} // a time of a workbook stands here as it is written
		if date.Complete(&cell) {
			whole.kind = sheet.Text
		}
		whole.texts = append(whole.texts, cell.Text)
		whole.times[cell.Text] += k.times[text]
	}
	return whole
}
