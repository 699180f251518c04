package match

import (
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/yamldoc"
)

// week reads a grid whose columns are the days of a week, beside a column of hours: what is
// asked is the date of the first day.
func (b timing) week(hours *settled) {
	days := b.p.File.Grid.Columns
	first, _ := datetime.Weekday(days[0])
	answer, ok := b.ask(Question{
		ID: "week", At: "start_at", Text: "on which date is " + days[0] + "?", Free: "a date such as 2027-03-08",
		Why: "the columns are the days of a week, and nothing says of which",
		check: func(answer string) bool {
			date, err := time.Parse(time.DateOnly, answer)
			return err == nil && date.Weekday() == first
		},
	}, hours.column)
	if !ok {
		return
	}
	date, _ := time.Parse(time.DateOnly, answer)
	lines := make(yamldoc.Map[string], len(days))
	for i, name := range days {
		day, _ := datetime.Weekday(name)
		lines[i] = yamldoc.Item[string]{Key: name, Value: date.AddDate(0, 0, int(day-first+7)%7).Format(time.DateOnly)}
	}
	line := reasonOf(hours)
	line.Reason += "; the week was answered"
	for _, side := range []struct{ path, part string }{{"start_at", mapfile.RangeStart}, {"end_at", mapfile.RangeEnd}} {
		c := mapfile.Column{From: mapfile.Names{b.p.File.Grid.Heading, hours.header}}
		if hours.hours() {
			c.Range = side.part
		}
		b.set(side.path, c, line, hours.column)
		b.p.File.Reads = append(b.p.File.Reads, yamldoc.Item[yamldoc.Map[string]]{Key: side.path, Value: lines})
		if c.Range == "" {
			b.assume()
			break
		}
	}
	b.times = append(b.times, hours.column)
}
