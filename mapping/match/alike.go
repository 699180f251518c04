package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
)

// lack is what a date does not say. One answer says it for all of a shape.
type lack uint8

const (
	nothing   lack = iota
	lackYear       // Mar 4
	lackClock      // 3/15/2027, where others have a time of day
	lackOrder      // 3/15/2027, where the others have the day first
)

// lacking returns what a text does not say that cannot be read, in a column of times.
func (v *shown) lacking(text string) lack {
	u := &v.uses[0]
	switch m, fault := datetime.Scan(text, v.order); {
	case u.field.Kind != schema.Timestamp:
	case v.lacksYear(text) && !v.shaped(text):
		return lackYear
	case fault == datetime.WrongOrder:
		return lackOrder
	case fault == datetime.OK && m.HasDate && !m.HasTime && u.part == wholeTime && !u.dates:
		return lackClock
	}
	return nothing
}

// forAll returns the reading that an answer about a text is for all of its shape; the answer itself where it is
// for that text alone.
func (v *shown) forAll(text, answer string) string {
	lacks := v.lacking(text)
	switch {
	case lacks == lackClock && isClock(answer):
		return reads.At(answer)
	case answer == reads.Blank && hasDigit(text) && !v.mixed:
		return reads.AllBlank
	}
	return answer
}

// offerAlike asks of a date what it lacks, for all of its shape.
func (v *shown) offerAlike(q *Question, text string, rows int) {
	const alike = "as if such cells were blank"
	c := v.uses[0].column
	if first, second, two := strings.Cut(text, "/"); two && isClockCell(first) && isClockCell(second) {
		q.Why += "; two times in one cell are two events, which need a row each"
	}
	switch v.lacking(text) {
	case lackClock:
		q.Text = "at what time of day are dates such as " + quoted(text) + " of " + quoted(c.header) + "?"
		q.Why = rowsOf(rows) + " with a date alone, which would be at the same"
		q.Free, q.check = "the time of day that they all have, such as 18:30", isClock
		q.Choices, q.Default = []Choice{{reads.Blank, alike}}, ""
	case lackOrder:
		q.Text = "what are dates such as " + quoted(text) + " of " + quoted(c.header) + ", which are none in the order of the others?"
		q.Why, q.Free = rowsOf(rows), ""
		q.Choices = []Choice{{v.otherOrder(), "of such dates alone"}, {reads.Blank, alike}}
		if q.Default = ""; v.both {
			q.Default = q.Choices[0].Value
		}
	}
}

func isClockCell(text string) bool {
	m, ok := scanIn(datetime.ClockCell, text)
	return ok && m.HasTime && !m.HasDate
}

// otherOrder returns the reading of dates that are not in the order of the mapping.
func (v *shown) otherOrder() string {
	if v.order == datetime.MonthFirst {
		return reads.Order(datetime.DayFirst)
	}
	return reads.Order(datetime.MonthFirst)
}

// answeredFirst puts a text first whose answer is for all of its shape.
func (v *shown) answeredFirst(texts []string) {
	at := slices.IndexFunc(texts, func(text string) bool {
		answer, given := v.config.Answers[v.uses[0].field.Path+":"+flat(strings.Join(strings.Fields(text), " "))]
		return given && v.forAll(text, answer) != answer
	})
	if at > 0 {
		texts[0], texts[at] = texts[at], texts[0]
	}
}

// blanks takes texts as blank one by one, whose shape others have that can be read.
func (v *shown) blanks(texts []string) {
	for _, text := range texts {
		line := readsLine{}
		line.Key, line.Value = text, reads.Blank
		v.lines = append(v.lines, line)
		v.put(line)
	}
}
