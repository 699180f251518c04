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

// offerAlike asks of a date what it lacks, for all of its shape.
func (v *shownColumn) offerAlike(q *Question, text string, rows int) {
	const alike = "as if such cells were blank"
	c := v.uses[0].column
	if times, _, two := reads.Two(text); two {
		q.Why += "; two times in one cell may be two events, which need a row each"
		of := ", of all such cells the same"
		q.Choices = append([]Choice{{reads.First, times[0] + of}, {reads.Second, times[1] + of}}, q.Choices...)
	}
	switch v.lacking(text) {
	case lackClock:
		q.Text = "at what time of day are dates such as " + quoted(text) + " of " + quoted(c.header) + "?"
		q.Why = rowsOf(rows) + " with a date alone, which would be at the same"
		q.Free, q.check = "the time of day that they all have, such as 18:30", isClock
		q.Choices, q.Default = []Choice{{reads.Blank, alike}}, ""
	case lackWhole:
		q.Text = "are days such as " + quoted(text) + " of " + quoted(c.header) + " one event?"
		q.Why, q.Default = rowsOf(rows)+" with several days, and an event for each needs a row for each", ""
		q.Choices = []Choice{{reads.OneEvent, "it starts on the first day, and ends on the last"}, {reads.Blank, alike}}
	case lackOrder:
		q.Text = "what are dates such as " + quoted(text) + " of " + quoted(c.header) + ", which are none in the order of the others?"
		q.Why, q.Free = rowsOf(rows), ""
		q.Choices = []Choice{{v.otherOrder(), "of such dates alone"}, {reads.Blank, alike}}
		if q.Default = ""; v.both {
			q.Default = q.Choices[0].Value
		}
	case lackHalf:
		q.Text = "in which half of the day are hours such as " + quoted(text) + " of " + quoted(c.header) + "?"
		q.Why, q.Free, q.Default = rowsOf(rows), "the hour with which the days begin, such as "+reads.MorningFrom(9), ""
		q.Choices = []Choice{
			{reads.Evening, "afternoons and evenings"},
			{reads.Morning, "mornings"},
			{reads.MorningFrom(7), "7:00 to 11:59 in the morning, and 12:00 to 6:59 after noon"},
		}
		heard := (&evidence{builder: v.builder, shown: v, open: text}).hear(ofHalf)
		if at := slices.IndexFunc(heard, func(t testimony) bool { return t.weight > guess }); at >= 0 {
			q.Why, q.Default = q.Why+also(heard[at:at+1]), heard[at].value
		}
		own := q.check
		q.check = func(answer string) bool { _, ok := reads.HalfOf(answer); return ok || isClock(answer) && own(answer) }
	}
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

// otherOrder returns the reading of dates that are not in the order of the mapping.
func (v *shownColumn) otherOrder() string {
	if v.order == datetime.MonthFirst {
		return reads.Order(datetime.DayFirst)
	}
	return reads.Order(datetime.MonthFirst)
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
