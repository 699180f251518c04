package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
)

// subject is what cells may leave open, and something else in the file says.
type subject uint8

const (
	ofZone  subject = iota // in which the times are
	ofOrder                // of day and month
	ofYear                 // of dates that have none
	ofHalf                 // of the day, of a time
	ofDays                 // that there are several, of hours
)

// weight is how much a testimony says.
type weight uint8

const (
	guess  weight = iota // a choice to offer, and no default
	last                 // where nobody else says anything
	likely               // though it may be otherwise
	proven               // it cannot be otherwise
)

// testimony is what something in the file says, with the reason in words.
type testimony struct {
	weight
	value string // a zone, an order, a year
	why   string
}

// evidence is a file whose witnesses are heard, about one column or all times.
type evidence struct {
	*builder
	shown *shownColumn // the column; nil: all times
	hours *column      // of a day that is not said
	open  string       // a time of the column that does not say the half of the day
	from  time.Month   // with which a year of its dates begins: it is January's where that is 0
}

// witnesses are all that may speak for what cells leave open, those first that know best.
//
// What contradicts a testimony is no witness but a filter: a day of the week beside a date, in its cell or in a
// column of its own, and the order of the rows, in which dates go forward. See [column.prove] and [shownColumn.yearsOf].
var witnesses = []struct {
	name string
	of   subject
	says func(e *evidence) []testimony
}{
	{"cells", ofOrder, (*evidence).provenOrders},
	{"signs in dates", ofOrder, (*evidence).dottedOrder},
	{"header", ofZone, (*evidence).zonesOfHeaders},
	{"places", ofZone, (*evidence).zonesOfPlaces},
	{"language", ofZone, (*evidence).zoneOfLanguage},
	{"other dates", ofYear, (*evidence).yearsOfDates},
	{"name and title", ofYear, (*evidence).yearsOfNames},
	{"clock", ofYear, (*evidence).yearsOfClock},
	{"neighbours", ofHalf, (*evidence).halfOfNeighbours},
	{"clock of the place", ofHalf, (*evidence).halfOfThePlace},
	{"other hours", ofHalf, (*evidence).halfOfHours},
	{"order of rows", ofDays, (*evidence).hoursThatGoBack},
}

// hear returns what the witnesses say of a subject, each value once.
func (e *evidence) hear(of subject) []testimony {
	var heard []testimony
	for _, w := range witnesses {
		if w.of != of {
			continue
		}
		for _, t := range w.says(e) {
			before := slices.IndexFunc(heard, func(h testimony) bool { return h.value == t.value })
			if before < 0 && (t.weight > last || of == ofYear || len(heard) == 0) {
				heard = append(heard, t)
			}
		}
	}
	return heard
}

// reasons puts the reasons of testimonies into one sentence.
func reasons(heard []testimony) string {
	texts := make([]string, len(heard))
	for i := range heard {
		texts[i] = heard[i].why
	}
	return strings.Join(texts, ", and ")
}

// also puts the reasons of testimonies behind another.
func also(heard []testimony) string {
	if len(heard) == 0 {
		return ""
	}
	return ", and " + reasons(heard)
}

// provenOrders are the orders that dates can only be in: those with a day above 12, and those whose day of the week
// is that of one order alone.
func (e *evidence) provenOrders() []testimony {
	var found []testimony
	for _, order := range []datetime.Order{datetime.DayFirst, datetime.MonthFirst} {
		for _, c := range e.times {
			p, first := c.day, "the day"
			if order == datetime.MonthFirst {
				p, first = c.month, "the month"
			}
			if p.row > 0 {
				why := quoted(p.text) + " in row " + strconv.Itoa(p.row) + " of " + quoted(c.header) + " proves " + first + " first"
				found = append(found, testimony{proven, order.String(), why})
				break
			}
		}
	}
	return found
}

// dottedOrder is that of dates with dots, which have the day first.
func (e *evidence) dottedOrder() []testimony {
	between := ""
	for _, c := range e.times {
		between = together(between, c.between)
	}
	order := datetime.OrderOf(between)
	if order == datetime.Unknown {
		return nil
	}
	why := "dates with dots have the day first, such as " + quoted(zoneStep{e.builder}.dateExample())
	return []testimony{{likely, order.String(), why}}
}

func (e *evidence) zonesOfHeaders() []testimony {
	var found []testimony
	for _, c := range e.times {
		_, inside := cutBrackets(c.header)
		zones := datetime.Abbreviated(inside)
		if all, named := datetime.FindZones(inside); named && len(inside) > 3 { // am and pm are codes of countries
			zones = all
		}
		for _, zone := range zones {
			found = append(found, testimony{likely, zone, "it stands in a header"})
		}
	}
	return found
}

// yearsOfDates are the years of dates of the file that have one, those of most of them first.
func (e *evidence) yearsOfDates() []testimony {
	times := map[int]int{}
	for _, c := range e.times {
		for i := range c.kinds {
			for _, text := range c.kinds[i].texts {
				var m datetime.Moment
				if m.ScanIn(datetime.AnyCell, text, cmp.Or(e.shown.order, datetime.DayFirst)) != datetime.OK || !m.HasDate {
					continue
				}
				if time.Month(m.Month) < e.from {
					m.Year--
				}
				times[m.Year] += c.kinds[i].times[text]
			}
		}
	}
	var found []testimony
	for year, n := range times {
		found = append(found, testimony{likely, strconv.Itoa(year), "it is the year of " + strconv.Itoa(n) + " other dates"})
	}
	slices.SortFunc(found, func(x, y testimony) int {
		a, _ := strconv.Atoi(x.value)
		b, _ := strconv.Atoi(y.value)
		return cmp.Or(times[b]-times[a], b-a)
	})
	return found
}

// yearsOfNames are those in what the file, its sheet and its title are called.
func (e *evidence) yearsOfNames() []testimony {
	var found []testimony
	for _, year := range fourDigits().FindAllString(e.config.About, -1) {
		found = append(found, testimony{likely, year, year + " stands in the name or the title"})
	}
	return found
}

// yearsOfClock are this year and the next.
func (e *evidence) yearsOfClock() []testimony {
	if e.config.Now.IsZero() {
		return nil
	}
	year := e.config.Now.Year()
	return []testimony{{last, strconv.Itoa(year), "it is this year"}, {last, strconv.Itoa(year + 1), "it is the next year"}}
}

// halfOfNeighbours tells that an hour has two readings where others of the column say which half of the day they are in.
func (e *evidence) halfOfNeighbours() []testimony {
	if c := e.shown.uses[0].column; c.halves {
		return []testimony{{why: "others of " + quoted(c.header) + " say am or pm"}}
	}
	return nil
}

// halfOfThePlace tells that the hours of a start and an end have two readings where people count to 12, and no time of
// the file is of a clock that counts to 24.
func (e *evidence) halfOfThePlace() []testimony {
	u := &e.shown.uses[0]
	var clock datetime.Clock
	for _, c := range e.times {
		clock = clock.With(c.clock)
	}
	if u.halves || clock.To24() || u.field.ID != catalog.FieldStartAt && u.field.ID != catalog.FieldEndAt || !e.countsTo12() {
		return nil
	}
	return []testimony{{why: "none says am or pm, and none counts to 24"}}
}

// countsTo12 reports whether people count the hours to 12 where the events take place, or write the month first.
func (e *evidence) countsTo12() bool {
	zones, _ := e.zones()
	return e.p.File.DateOrder == datetime.MonthFirst.String() || slices.ContainsFunc(zones, datetime.CountsTo12)
}

// halfOfHours is that in which an open time lies among all other times of its column, which are of one half: 19:30 among
// 18:00 and 20:00.
func (e *evidence) halfOfHours() []testimony {
	const noon, hour = 12 * 60, 60
	least, most, n := 24*60, 0, 0
	u := &e.shown.uses[0]
	if e.open == "" || u.half { // 7:30 beside it is open itself
		return nil
	}
	for i := range u.kinds {
		for _, text := range u.kinds[i].texts {
			for k, side := range sides(text) {
				m, ok := scanIn(datetime.ClockCell+datetime.Where(k), side)
				if !ok || !m.HasTime {
					continue
				}
				at := m.Hour*60 + m.Minute
				least, most, n = min(least, at), max(most, at), n+1
			}
		}
	}
	for _, half := range []string{reads.Evening, reads.Morning} {
		m, ok := scanIn(datetime.ClockCell, e.open+" "+half)
		at := m.Hour*60 + m.Minute
		one := least >= noon && half == reads.Evening || most < noon && half == reads.Morning
		if ok && n > 0 && one && least-hour <= at && at <= most+hour {
			return []testimony{{likely, half, "all others of " + quoted(u.header) + " are of that half of the day"}}
		}
	}
	return nil
}

// hoursThatGoBack tell that a programme may be of several days: an hour stands below a later one.
func (e *evidence) hoursThatGoBack() []testimony {
	before, above := -1, ""
	for _, row := range e.all.sample {
		text := row[e.hours.index]
		m, ok := scanIn(datetime.ClockCell, sides(text)[0])
		if !ok || !m.HasTime {
			continue
		}
		at := m.Hour*60 + m.Minute
		if at < before {
			return []testimony{{why: quoted(text) + " stands below " + quoted(above) + ", so that there may be more than one day"}}
		}
		before, above = at, text
	}
	return nil
}
