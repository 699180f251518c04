package match

import (
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/yamldoc"
)

// week reads a grid whose columns are the days of a week, beside a column of hours: what is
// asked is the date of the first day.
func (b timing) week(hours *settled) {
	columns := b.p.File.Grid.Columns
	days := dayHeaders(columns)
	if weeks := b.furtherWeeks(); weeks != "" {
		b.ask(Question{
			ID: "week", At: "start_at", Text: "on which date is each " + columns[0] + "?", Why: "there is more than one week: " + weeks,
			Free: "make a file, or a sheet, of each week", Refused: true,
		}, hours.column)
		return
	}
	answer, ok := b.askWeek(columns[0], "the columns are the days of a week, and nothing says of which", days, hours.column)
	if !ok {
		b.hold(slices.Concat(endRoles, anyRoles, []semantic{typeLength, typeDoors})...)
		return
	}
	lines := make(yamldoc.Map[string], len(days))
	for i, date := range datesFrom(answer, days) {
		lines[i] = yamldoc.Item[string]{Key: columns[i], Value: date.Format(time.DateOnly)}
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

// furtherWeeks returns the rows below the header by which a further week may begin: those that repeat it, and headings
// with a number or a date.
func (b *builder) furtherWeeks() string {
	for i := range b.all.left {
		l := &b.all.left[i]
		if l.Kind == reshape.Header || l.Kind == reshape.Heading && slices.ContainsFunc(l.Texts, func(text string) bool {
			_, isDate := reshape.ParseHeading(text)
			isWeek := slices.ContainsFunc(strings.Fields(text), func(w string) bool { return words().in("week", w) })
			return isDate || isWeek && hasDigit(text)
		}) {
			return l.Words("is a "+l.Kind.One(), "are "+l.Kind.One()+"s")
		}
	}
	return ""
}

// askWeek asks for the date of the first of some days. The date in the title is offered where the days agree with it.
func (b *builder) askWeek(first, why string, days []*dayHeader, columns ...*column) (answer string, ok bool) {
	fits := func(answer string) bool { return datesFrom(answer, days) != nil }
	q := Question{
		ID: "week", At: "start_at", Text: "on which date is " + first + "?", Free: "a date such as 2027-03-08", Why: why, check: fits,
	}
	if date := dateIn(b.config.About); date != "" && fits(date) {
		q.Default, q.Choices = date, []Choice{{date, "as the title says"}}
	}
	if answer, ok = b.ask(q, columns...); !ok {
		return "", false
	}
	return dayOf(answer), true
}

// datesFrom returns the dates of days, the first of which is on a date: none where it is another day of the week, or
// where one of them has another number than its header says.
func datesFrom(first string, days []*dayHeader) []time.Time {
	date, err := time.Parse(time.DateOnly, dayOf(first))
	if err != nil || date.Weekday() != days[0].weekday {
		return nil
	}
	dates := make([]time.Time, len(days))
	for i, day := range days {
		dates[i] = date.AddDate(0, 0, int(day.weekday-days[0].weekday+7)%7)
		if day.number > 0 && dates[i].Day() != day.number {
			return nil
		}
	}
	return dates
}
