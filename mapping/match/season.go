package match

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/sheet"
)

// calendar is what the dates without a year of a column are, in the order of its rows.
type calendar struct {
	days   [13]int     // the last day of each month that is there
	steps  [13][13]int // how often a date of one month is followed by one of another
	before int         // the month of the last date
	dates  int
}

func (c *calendar) add(month, day int) {
	c.days[month] = max(c.days[month], day)
	c.steps[c.before][month]++
	c.before = month
	c.dates++
}

// back counts how often a date is followed by an earlier one where a year begins with a month.
func (c *calendar) back(from time.Month) int {
	n := 0
	place := func(month int) int { return (month - int(from) + 12) % 12 }
	for a := 1; a <= 12; a++ {
		for b := 1; b <= 12; b++ {
			if place(b) < place(a) {
				n += c.steps[a][b]
			}
		}
	}
	return n
}

// begins returns with which month a year of the dates begins, so that they go back as seldom
// as possible: January where they never do.
func (c *calendar) begins() time.Month {
	best := time.January
	for month := time.February; month <= time.December; month++ {
		if c.days[month] > 0 && c.back(month) < c.back(best) {
			best = month
		}
	}
	return best
}

// span returns the first and the last day of the dates in some years.
func (c *calendar) span(years reads.Years) (first, last time.Time) {
	for month := time.January; month <= time.December; month++ {
		day := time.Date(years.Of(month), month, c.days[month], 0, 0, 0, 0, time.UTC)
		if c.days[month] == 0 {
			continue
		}
		if first.IsZero() || day.Before(first) {
			first = day
		}
		if day.After(last) {
			last = day
		}
	}
	return first, last
}

// words says from when to when the dates are in some years: September 2027 – May 2028.
func (c *calendar) words(years reads.Years) string {
	first, last := c.span(years)
	return first.Format("January 2006") + " – " + last.Format("January 2006")
}

// seasons are the dates without a year with the day first and with the month first.
type seasons [2]calendar

// note adds a date without a year.
func (c *column) note(text string) {
	for i, order := range []datetime.Order{datetime.DayFirst, datetime.MonthFirst} {
		if month, day, ok := datetime.MonthAndDay(text, order); ok {
			if c.seasons == nil {
				c.seasons = &seasons{}
			}
			c.seasons[i].add(month, day)
		}
	}
}

// of returns the dates in an order; none where it is not known and makes a difference.
func (s *seasons) of(order datetime.Order) calendar {
	switch {
	case s == nil || order == datetime.Unknown && s[0] != s[1]:
		return calendar{}
	case order == datetime.MonthFirst:
		return s[1]
	}
	return s[0]
}

var fourDigits = pattern.New(`\b(19|20)\d\d\b`)

// yearsOf returns the year of the dates of the column that have none, and what it may be: those that the
// days of the week agree with among the years of the other dates, those that the file's name and title
// say, and this one and the next, but none in which all dates are over. One below a later date that has its year is
// the likelier of the next. Dates that go back from row to row are a season over New Year, where more than two say so. A
// year of which nothing speaks but the clock is certain enough only where all dates are still to come.
func (v *shownColumn) yearsOf(text string) (years reads.Years, fits []reads.Years) {
	if !v.lacksYear(text) || v.years.First > 0 {
		return v.years, nil
	}
	dates := v.uses[0].seasons.of(v.order)
	days, all := v.namesDays()
	from, named, certain := dates.begins(), days > 0 && days*2 >= all, false
	forward := dates.back(from) == 0
	if from == time.January {
		from = 0
	}
	if other := v.builder.years; other.First > 0 && dates.back(max(other.From, time.January)) == 0 && v.agrees(other) {
		fits, certain = append(fits, other), true // the end is of the years of the start
	}
	for _, t := range (&evidence{builder: v.builder, shown: v, from: from}).hear(ofYear) {
		first, _ := strconv.Atoi(t.value)
		likely := []reads.Years{{First: first, From: from}}
		if from > 0 && !forward {
			likely = append(likely, reads.Years{First: first, From: time.January})
		}
		for _, y := range likely {
			begin, end := dates.span(y)
			over := end.Before(v.config.Now.AddDate(0, 0, -1)) && dates.dates > 0
			if slices.Contains(fits, y) || !v.agrees(y) || over && !named {
				continue
			}
			if fits = append(fits, y); len(fits) == 1 {
				certain = t.weight > last || named || begin.After(v.config.Now)
				v.agreed = t.weight > last && days > 0
			}
		}
	}
	if behind := v.uses[0].behind; behind > 0 {
		next := reads.Years{First: behind + 1}
		fits = append([]reads.Years{next}, slices.DeleteFunc(fits, func(y reads.Years) bool { return y == next })...)
		return v.years, fits // it is for a person to say
	}
	sure := from == 0 || forward && (named || dates.dates > 2) || len(fits) == 1 && named
	if len(fits) > 0 && certain && sure {
		v.years = fits[0]
	}
	return v.years, fits
}

// namesDays tells of how many of the different dates without a year the day of the week is said.
func (v *shownColumn) namesDays() (named, all int) {
	for _, k := range v.uses[0].kinds {
		for _, text := range k.texts {
			if v.lacksYear(text) {
				all++
				if namesWeekday(text) || v.uses[0].days[text] != "" {
					named++
				}
			}
		}
	}
	return named, all
}

// agrees reports whether the dates of the column that have no year are days of some years: all, or of at least five that name
// the day of the week all but a fifth. Whoever mistypes one does not mean another year.
func (v *shownColumn) agrees(years reads.Years) bool {
	u, wrong := &v.uses[0], 0
	for i := range u.kinds {
		for _, text := range u.kinds[i].texts {
			if !v.lacksYear(text) {
				continue
			}
			month, _, _ := datetime.MonthAndDay(text, v.order)
			whole, _ := datetime.WithYear(text, years.Of(max(time.Month(month), time.January)))
			if !namesWeekday(whole) {
				whole = strings.TrimSpace(u.days[text] + " " + whole)
			}
			if _, ok := u.read(nil, sheet.Text, whole, v.order); !ok {
				wrong++
			}
		}
	}
	named, _ := v.namesDays()
	return wrong*5 <= named
}

// meant returns the years that an answer about a date without one says: 2027, 2027/28, or a
// reading. Where the dates go back from row to row, one year is no answer: which of the two is it?
func (v *shownColumn) meant(text, answer string) (years reads.Years, ok bool) {
	if !v.lacksYear(text) {
		return years, false
	}
	dates := v.uses[0].seasons.of(v.order)
	from := dates.begins()
	if first, next, two := strings.Cut(answer, "/"); len(first) == 4 && strings.Trim(first+next, "0123456789") == "" {
		if answer = "year " + answer; two {
			answer += " from " + from.String()
		}
	}
	years, ok = reads.YearsOf(answer)
	if ok && years.From == 0 && from > time.January {
		return reads.Years{}, true
	}
	return years, ok
}
