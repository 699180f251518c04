package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
)

// resolution is what the cells of a column hold of a time.
type resolution uint8

const (
	resolutionDate resolution = iota
	resolutionClock
	resolutionWhole // a date with its time
	resolutionSpan  // a date or a whole up to another
	resolutionHours // a time of day up to another
)

// timeColumn is a column of dates or times.
type timeColumn struct {
	candidate
	resolution resolution
}

var (
	startRoles = []semantic{typeStart, typeStartDate, typeStartTime}
	endRoles   = []semantic{typeEnd, typeEndDate, typeEndTime}
	anyRoles   = []semantic{typeWhen, typeTime}
)

func (m *meanings) timed(types ...semantic) []timeColumn {
	var all []timeColumn
	for _, s := range m.having(types...) {
		t := timeColumn{s, s.resolution()}
		unread := (s.semantic == typeStart || s.semantic == typeEnd) && t.resolution == resolutionWhole && t.unread()
		unsure := s.semantic != typeWhen && (t.resolution == resolutionDate || t.resolution == resolutionWhole)
		if (unread || unsure && s.dotted()) && m.dated(s.column) {
			t.resolution = resolutionClock
		}
		all = append(all, t)
	}
	return all
}

// dotted reports whether all cells may be hours, of some of which a spreadsheet has dropped zeros, as of numbers: 19.3, 20, 15.15.
func (c *column) dotted() bool {
	return len(c.distinct) > 0 && !slices.ContainsFunc(c.distinct, func(text string) bool {
		hour, minute, _ := strings.Cut(text, ".")
		h, err := strconv.ParseUint(hour, 10, 8)
		m, wrong := strconv.ParseUint(cmp.Or(minute, "0"), 10, 8)
		number := err == nil && wrong == nil && h <= 24 && m <= 59 && len(hour) <= 2 && len(minute) <= 2
		return !number && !isClock(text)
	})
}

// dated reports whether another column than one has the dates.
func (m *meanings) dated(other *column) bool {
	for i := range m.all.columns {
		s := candidate{&m.all.columns[i], m.claims[i]}
		dates := s.semantic == typeWhen || s.semantic == typeStartDate || s.semantic == typeStart && !s.dotted()
		if s.column != other && dates && s.resolution() == resolutionDate {
			return true
		}
	}
	return false
}

// hasEnds reports whether a column with cells has ends of its own.
func (m *meanings) hasEnds() bool {
	return slices.ContainsFunc(m.having(endRoles...), func(s candidate) bool { return !s.blank() })
}

// hasLengths reports whether a column says how long events take. The end of a cell that holds a range is its own.
func (m *meanings) hasLengths() bool {
	return slices.ContainsFunc(m.having(typeLength), func(s candidate) bool { return !s.blank() })
}

// unread reports whether the cells of a column can mostly not be read as they are.
func (s *candidate) unread() bool { return !s.blank() && !s.readable() && !s.onlyDates() }

// read keeps the columns whose cells can be read, where there are any.
func read(all []timeColumn) []timeColumn {
	return least(all, func(t *timeColumn) int {
		if t.unread() {
			return 1
		}
		return 0
	})
}

// besideClocks takes columns of midnights, of days up to others, and of dates of which some have a time, for dates, as
// other columns have the times of day.
func besideClocks(all, others []timeColumn) {
	if len(only(slices.Concat(all, others), resolutionClock, resolutionHours)) == 0 {
		return
	}
	for i := range all {
		t := &all[i]
		midnights := t.counts[valueMidnight] > 0 && t.counts[valueMidnight] == t.counts[valueMoment]
		if t.resolution == resolutionWhole && (midnights || t.counts[valueDate] > 0) {
			t.resolution = resolutionDate
		}
		if t.resolution == resolutionSpan && t.spansDays() {
			t.resolution = resolutionDate
		}
	}
}

// spansDays reports whether all ranges among the cells are of days without a time.
func (c *column) spansDays() bool {
	return !slices.ContainsFunc(c.distinct, func(text string) bool {
		_, _, isRange := datetime.CutRange(text)
		return isRange && !datetime.AreDays(text)
	})
}

// resolution takes the word of the cells, and that of the header only where there are none.
func (s *candidate) resolution() resolution {
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

func only(all []timeColumn, wanted ...resolution) []timeColumn {
	var found []timeColumn
	for _, t := range all {
		if slices.Contains(wanted, t.resolution) {
			found = append(found, t)
		}
	}
	return found
}

// hours reports whether the cells are times of day, some up to another.
func (p *profile) hours() bool {
	return p.share(valueHours) >= 0.5 || p.counts[valueHours] > 0 && p.most(valueHours, valueClock, valueBare)
}

func ranges(all []timeColumn) []option { return singles(only(all, resolutionSpan)) }

func wholes(all []timeColumn) []option { return singles(only(all, resolutionWhole)) }

func singles(all []timeColumn) []option {
	var options []option
	for _, t := range all {
		options = append(options, option{columns: []*column{t.column}, line: reasonOf(&t.candidate), sure: t.sure(), rank: t.rank()})
	}
	return options
}

func pair(d, t timeColumn) option {
	o := option{columns: []*column{d.column, t.column}, line: reasonOf(&d.candidate)}
	o.sure, o.rank = d.sure() && t.sure(), max(d.rank(), t.rank())
	second := reasonOf(&t.candidate)
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
func best(all []timeColumn) []timeColumn {
	return least(all, func(t *timeColumn) int { return t.rank() })
}

func bestOptions(all []option) []option { return least(all, func(o *option) int { return o.rank }) }
