package match

import (
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// lack is what a date does not say. One answer says it for all of a shape, or of a column.
type lack uint8

const (
	nothing   lack = iota
	lackYear       // Mar 4
	lackClock      // 3/15/2027, where others have a time of day
	lackOrder      // 3/15/2027, where the others have the day first
	lackWhole      // 10.-12.10.2027, which may be one event, beside times of day
	lackHalf       // 7:30, where no time of the file says in which half of the day it is; halb 8
)

// lacking returns what a text does not say that cannot be read, in a column of times.
func (v *shownColumn) lacking(text string) lack {
	u := &v.uses[0]
	var m datetime.Moment
	switch fault := lettered(&m, u.where, text, v.order); {
	case u.field.Kind != schema.Timestamp:
	case fault == datetime.NeedsHalf:
		return lackHalf
	case u.part == dateOnly && v.isDays(text):
		return lackWhole
	case v.lacksYear(text) && !v.shaped(text):
		return lackYear
	case fault == datetime.WrongOrder:
		return lackOrder
	case fault == datetime.OK && m.HasDate && !m.HasTime && u.part == wholeTime && !u.dates:
		return lackClock
	case !u.halves && u.halfOpen(text) && datetime.InHalf(text, 12) != text:
		return lackHalf
	}
	return nothing
}

// ofColumn reports whether one answer says what is lacked for all cells of a column, whatever shape they have.
func (l lack) ofColumn() bool { return l == lackHalf || l == lackWhole }

// answeredOf returns the id by which a question of the whole column was answered, whatever cell it named by then: that may be
// another one since the file was edited. It is empty where it was not.
func (v *shownColumn) answeredOf(lacks lack) string {
	for _, id := range slices.Sorted(maps.Keys(v.config.Answers)) {
		answer := v.config.Answers[id]
		_, isHalf := reads.HalfOf(answer)
		fits := lacks == lackHalf && isHalf || lacks == lackWhole && answer == reads.OneEvent
		if fits && !v.taken[id] && strings.HasPrefix(id, v.uses[0].field.Path+":") {
			return id
		}
	}
	return ""
}

// countAll counts the cells of the column that lack the same. A list of days that are an event each lacks nothing.
func (v *shownColumn) countAll(lacks lack) (n int) {
	splits := lacks == lackWhole && v.splits(v.uses[0].column)
	for i := range v.uses[0].kinds {
		k := &v.uses[0].kinds[i]
		for _, text := range k.texts {
			if k.kind == sheet.Text && v.lacking(text) == lacks && !(splits && datetime.List(text) != nil) {
				n += k.times[text]
			}
		}
	}
	return n
}

// forAll returns the reading that an answer about a text is for all of its shape; the answer itself where it is
// for that text alone.
func (v *shownColumn) forAll(text, answer string) string {
	lacks := v.lacking(text)
	first, last, days := datetime.Days(answer, v.order)
	switch {
	case days && v.uses[0].part == dateOnly: // of one event
		return datetime.Through(&first, &last)
	case lacks == lackClock && isClock(answer):
		return reads.At(answer)
	case answer == reads.Blank && hasDigit(text) && !v.mixed:
		return reads.AllBlank
	}
	return answer
}

// halfOpen reports whether a time or a side of a range does not say in which half of the day it is, and has to.
func (u *use) halfOpen(text string) bool {
	return slices.ContainsFunc(sides(text), func(side string) bool {
		m, ok := scanIn(u.where, side)
		return ok && u.open(side, &m)
	})
}

// isDays reports whether a text names days that follow each other.
func (v *shownColumn) isDays(text string) bool {
	_, _, ok := datetime.Days(text, v.order)
	return ok
}

// answeredFirst puts a text first whose answer is for all of its shape.
func (v *shownColumn) answeredFirst(texts []string) {
	at := slices.IndexFunc(texts, func(text string) bool {
		answer, given := v.config.Answers[v.uses[0].field.Path+":"+flat(strings.Join(strings.Fields(text), " "))]
		return given && v.forAll(text, answer) != answer
	})
	if at > 0 {
		texts[0], texts[at] = texts[at], texts[0]
	}
}

// blanks takes texts as blank one by one, whose shape others have that can be read.
func (v *shownColumn) blanks(texts []string) {
	for _, text := range texts {
		line := readsLine{}
		line.Key, line.Value = text, reads.Blank
		v.lines = append(v.lines, line)
		v.put(line)
	}
}

// lacksYear reports whether a text is a date without a year, in a column of times.
func (v *shownColumn) lacksYear(text string) bool {
	return datetime.LacksYear(text) && v.uses[0].field.Kind == schema.Timestamp && v.uses[0].part != clockOnly
}
