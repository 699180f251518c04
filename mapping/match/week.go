package match

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/yamldoc"
)

// weekStep finds the dates of days of the week.
type weekStep struct{ *builder }

// week reads a grid whose columns are the days of a week, or dates, beside a column of hours or with the times in its
// cells: what is asked is the date of the first day.
func (b weekStep) week(hours *candidate) {
	g := &b.p.File.Grid
	times := mapfile.Names{g.Heading, g.Time}
	line, ranges := Line{Basis: ByValues, Reason: "the header of the cell, and the time in it"}, b.all.rangesIn(g.Columns)
	var asked []*column
	if hours != nil {
		times[1], line, ranges, asked = hours.header, reasonOf(hours), hours.hours(), []*column{hours.column}
	}
	days := dayHeaders(g.Columns)
	if weeks := b.furtherWeeks(); weeks != "" {
		b.ask(Question{
			ID: "week", At: "start_at", Text: "on which date is each " + g.Columns[0] + "?", Why: "there is more than one week: " + weeks,
			Free: "make a file, or a sheet, of each week", Refused: true,
		}, asked...)
		return
	}
	answer, ok := b.askWeek(g.Columns[0], "the columns are the days of a week, and nothing says of which", days, asked...)
	if !ok {
		b.hold(slices.Concat(endRoles, anyRoles, []semantic{typeLength, typeDoors})...)
		return
	}
	var lines yamldoc.Map[string]
	for i, date := range datesFrom(answer, days) {
		if text := date.Format(time.DateOnly); dayOf(g.Columns[i]) != text {
			lines = append(lines, yamldoc.Item[string]{Key: g.Columns[i], Value: text})
		}
	}
	line.Reason += "; the headers say the days"
	for _, side := range []struct{ path, part string }{{"start_at", mapfile.RangeStart}, {"end_at", mapfile.RangeEnd}} {
		c := mapfile.Column{From: times}
		if ranges {
			c.Range = side.part
		}
		b.set(side.path, c, line, asked...)
		if len(lines) > 0 {
			b.p.File.Reads = append(b.p.File.Reads, yamldoc.Item[yamldoc.Map[string]]{Key: side.path, Value: lines})
		}
		if c.Range == "" {
			endStep(b).assume()
			break
		}
	}
	b.times = append(b.times, asked...)
}

// furtherWeeks returns the rows below the header by which a further week may begin: those that repeat it, and headings
// with a number or a date.
func (b weekStep) furtherWeeks() string {
	for i := range b.all.left {
		l := &b.all.left[i]
		if l.Kind == reshape.Header || l.Kind == reshape.Heading && slices.ContainsFunc(l.Texts, func(text string) bool {
			_, isDate := reshape.ParseHeading(text)
			isWeek := slices.ContainsFunc(strings.Fields(text), func(w string) bool { return in("week", w) })
			return isDate || isWeek && hasDigit(text)
		}) {
			return l.Words("is a "+l.Kind.One(), "are "+l.Kind.One()+"s")
		}
	}
	return ""
}

// askWeek asks for the date of the first of some days. The date in the title is offered where the days agree with it.
// Dates that can be read in one way only are not asked for.
func (b weekStep) askWeek(first, why string, days []*dayHeader, columns ...*column) (answer string, ok bool) {
	q := Question{
		ID: "week", At: "start_at", Text: "on which date is " + first + "?", Free: "a date such as 2027-03-08", Why: why,
		check: func(answer string) bool { return datesFrom(answer, days) != nil },
	}
	if days[0].date == "" {
		if date := dateIn(b.config.About); date != "" && q.check(date) {
			q.Default, q.Choices = date, []Choice{{date, "as the title says"}}
		}
	} else {
		dates, certain := b.firstDates(days)
		if _, given := b.config.Answers[q.ID]; certain && !given {
			q.Default = dates[0]
			b.p.Settled = append(b.p.Settled, q)
			return dates[0], true
		}
		for _, date := range dates {
			q.Choices = append(q.Choices, Choice{Value: date})
		}
		if q.Why = "the header can be read in more than one way"; len(dates) == 1 && namesWeekday(days[0].date) {
			q.Default, q.Why = dates[0], "the header says no year"
		}
	}
	if answer, ok = b.ask(q, columns...); !ok {
		return "", false
	}
	return dayOf(answer), true
}

// firstDates returns what the first of some dates in headers may be, in the years that the title says, this one and the
// next, none of which is over. It is certain where they say their years and need no order of day and month.
func (b weekStep) firstDates(days []*dayHeader) (dates []string, certain bool) {
	years := []int{0}
	if datetime.LacksYear(days[0].date) {
		years = nil
		for _, text := range fourDigits().FindAllString(b.config.About, -1) {
			year, _ := strconv.Atoi(text)
			years = append(years, year)
		}
		if now := b.config.Now; !now.IsZero() {
			years = append(years, now.Year(), now.Year()+1)
		}
	}
	for _, year := range years {
		for _, order := range []datetime.Order{datetime.DayFirst, datetime.MonthFirst} {
			all := datesOf(days, order, year)
			if all == nil || year > 0 && all[len(all)-1].Before(b.config.Now.AddDate(0, 0, -1)) {
				continue
			}
			if date := all[0].Format(time.DateOnly); !slices.Contains(dates, date) {
				dates = append(dates, date)
			}
		}
	}
	return dates, len(dates) == 1 && years != nil && years[0] == 0
}

// datesOf reads dates in headers, which go forward: those without a year are of that one, or of the next behind New Year.
// It is nil where one is no date in that order, or another day of the week than it says.
func datesOf(days []*dayHeader, order datetime.Order, year int) []time.Time {
	dates := make([]time.Time, len(days))
	for i, day := range days {
		for {
			whole, lacks := datetime.WithYear(day.date, year)
			m, fault := datetime.Scan(whole, order)
			if fault != datetime.OK || !m.HasDate || m.HasTime {
				return nil
			}
			dates[i] = time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC)
			if i == 0 || dates[i].After(dates[i-1]) {
				break
			}
			if year++; !lacks || year > dates[0].Year()+1 {
				return nil
			}
		}
	}
	return dates
}

// datesFrom returns the dates of days, the first of which is on a date: none where it is another day, or
// where one of them has another number than its header says.
func datesFrom(first string, days []*dayHeader) []time.Time {
	date, err := time.Parse(time.DateOnly, dayOf(first))
	if err != nil {
		return nil
	}
	if days[0].date != "" {
		for _, order := range []datetime.Order{datetime.DayFirst, datetime.MonthFirst} {
			if dates := datesOf(days, order, date.Year()); dates != nil && dates[0].Equal(date) {
				return dates
			}
		}
		return nil
	}
	dates := make([]time.Time, len(days))
	for i, day := range days {
		dates[i] = date.AddDate(0, 0, int(day.weekday-days[0].weekday+7)%7)
		if day.number > 0 && dates[i].Day() != day.number {
			return nil
		}
	}
	if date.Weekday() != days[0].weekday {
		return nil
	}
	return dates
}

// headedWeek asks for the week of days that stand in headings, by which the cells of a column are completed. It reports
// whether it is answered.
func (b weekStep) headedWeek(c *column) bool {
	a := &b.all.above
	if a.twice != "" {
		b.ask(Question{
			ID: "week", At: "fill", Text: "on which dates is " + a.twice + "?", Free: "write the date of each behind it into the file",
			Why: "more than one heading says " + a.twice, Refused: true,
		}, c)
		return false
	}
	answer, ok := b.askWeek(a.texts[0], "the headings are days of a week, and nothing says of which", a.week, c)
	if !ok {
		return false
	}
	b.p.File.Fill = append(b.p.File.Fill, yamldoc.Item[string]{Key: c.header, Value: reshape.FillWeek + answer})
	b.say("fill", Line{Basis: ByAnswer, Reason: "answered: the week of the headings " + strings.Join(a.texts, ", ")})
	return true
}
