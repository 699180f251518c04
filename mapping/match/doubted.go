package match

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
)

// doubted is a text of a column that nobody can be sure to read, and is asked about.
type doubted struct {
	*shownColumn

	use  *use
	text string
}

// question asks what the text stands for. The default is a reading, empty where there is none; so many cells have the text.
func (d *doubted) question(reading string, count int) Question {
	out := d.leaves(d.text)
	var headers []string
	columns := d.columns()
	for _, c := range columns {
		if headers = append(headers, quoted(c.header)); c != d.use.column {
			count += c.times[d.text]
		}
	}
	q := Question{
		ID: d.use.field.Path + ":" + flat(d.text), At: d.use.field.Path, Default: reading,
		Text: "what is " + quoted(d.text) + " of " + strings.Join(headers, " and ") + " for " + called(d.use.field) + "?",
		Why:  d.why(said(count)), Free: d.free(), check: d.accepts,
	}
	q.about(columns)
	if len(columns) > 1 {
		q.Free, q.check = "", nil // what is a date in the one column is none in the other
	}
	if reading == mapfile.HiddenSkip {
		q.Choices, out = append(q.Choices, leftOut), false
	}
	for _, reading := range []string{reading, reads.Thousands, reads.Number, reads.Clear, reads.Blank} {
		message, _ := reads.Check(d.use.field, d.text, reading)
		if message == "" && reading != "" && !slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Value == reading }) {
			words := readingWords[reading]
			if reading == reads.Blank && d.needs(d.use.field.Path) {
				words += ", and a row without a " + called(d.use.field) + " is a mistake"
			}
			q.Choices = append(q.Choices, Choice{reading, words})
		}
	}
	if out {
		q.Choices = append(q.Choices, leftOut)
	}
	d.askHalf(&q)
	return q
}

// columns returns the columns that have the text and feed the field, in the order of the mapping: an answer is for all of them.
func (d *doubted) columns() []*column {
	feeds, _ := d.p.File.Columns.Get(d.use.field.Path)
	if d.lacking(d.text) != nothing {
		feeds.From = nil // the question is of how its column is written
	}
	var found []*column
	for _, header := range feeds.From {
		for _, c := range d.headed(header) {
			if c == d.use.column || c.times[d.text] > 0 {
				found = append(found, c)
			}
		}
	}
	if len(found) == 0 {
		return []*column{d.use.column}
	}
	return found
}

// leftOut is the answer that a row with such a cell is not to be made.
var leftOut = Choice{mapfile.HiddenSkip, "such rows are left out"}

// askHalf leaves it to a person in which half of the day a bare hour is, beside others that say it.
func (d *doubted) askHalf(q *Question) {
	at, err := time.Parse("15:04", q.Default)
	if err != nil || !d.use.half || !isHour(d.text) || at.Hour() > 12 {
		return
	}
	q.Default, q.Choices = "", slices.Insert(q.Choices, 1, Choice{Value: at.Add(12 * time.Hour).Format("15:04")})
	q.Why += "; other times say in which half of the day they are"
}

// why completes the reason for which it is asked.
func (d *doubted) why(words string) string {
	switch d.use.field.Kind {
	case schema.Integer:
		if isLeft(d.text) {
			words += "; blank sets no limit, so that a new event is not full"
		}
	case schema.Timestamp:
		if none := datetime.NoSuch(d.text); none != "" {
			words = quoted(d.text) + " is no day: " + none + "; " + words
		}
		if m, fault := datetime.Scan(d.text, cmp.Or(d.order, datetime.DayFirst)); fault == datetime.WrongWeekday && m.HasDate {
			words = "that day is " + inWords(&m) + "; " + words
		}
		if rhythm, ok := datetime.ScanRhythm(d.text); ok && rhythm.Repeats() {
			words += "; it repeats, and a date makes one event of it: the others need a row each"
		}
	}
	return words
}

// free says what else than a choice is an answer.
func (d *doubted) free() string {
	switch {
	case d.use.field.Kind != schema.Timestamp:
		return "the number that it is"
	case d.use.part == dateOnly && datetime.AreDays(d.text+"2027"):
		return "a date such as 2027-03-08, or the days of one event with their year"
	case d.use.part == dateOnly:
		return "a date such as 2027-03-08"
	case d.use.wantsDate():
		return "a date with its time, such as 2027-03-08 18:30"
	case d.use.part == clockOnly:
		return "a time such as 18:30"
	}
	return "a time such as 18:30, or with its date"
}

// accepts reports whether an answer is one.
func (d *doubted) accepts(answer string) bool {
	if m, ok := scan(answer); d.use.part == dateOnly && d.isDays(answer) {
		return true
	} else if d.use.part == clockOnly && ok && m.HasDate {
		return false
	}
	message, _ := reads.Check(d.use.field, d.text, answer)
	return message == "" && answer != "" && (d.use.part != dateOnly || d.isDay(answer)) && !(d.use.wantsDate() && isClock(answer))
}

// isDay reports whether a text is one date, to which a time comes from elsewhere.
func (d *doubted) isDay(text string) bool {
	m, fault := datetime.Scan(text, d.order)
	return fault == datetime.OK && m.HasDate && !m.HasTime
}

// offerYears adds to the question about a date without a year what its year may be.
func (d *doubted) offerYears(q *Question, fits []reads.Years) {
	if !d.lacksYear(d.text) {
		return
	}
	check, shaped := q.check, d.shaped(d.text)
	q.check = func(answer string) bool {
		if years, isYear := d.meant(d.text, answer); isYear {
			return years.First > 0 && !shaped
		}
		return check(answer)
	}
	dates := d.uses[0].seasons.of(d.order)
	if !shaped {
		q.Free = "another year"
	}
	if dates.begins() > time.January && !shaped {
		q.Why += ", and they go back from row to row"
		q.Free = "other years, such as 2027/28"
		if len(fits) > 0 {
			fits = append(slices.Clone(fits), reads.Years{First: fits[0].First, From: time.January})
		}
	}
	var choices []Choice
	for _, years := range fits {
		choices = append(choices, Choice{years.String(), dates.words(years)})
	}
	for _, c := range q.Choices {
		if !slices.ContainsFunc(choices, func(other Choice) bool { return other.Value == c.Value }) {
			choices = append(choices, c)
		}
	}
	q.Choices = choices
}

// offerAlike asks of a date what it lacks, for all of its shape.
func (d *doubted) offerAlike(q *Question, rows int) {
	const alike = "as if such cells were blank"
	c := d.uses[0].column
	if times, _, two := reads.Two(d.text); two {
		q.Why += "; two times in one cell may be two events, which need a row each"
		of := ", of all such cells the same"
		q.Choices = append([]Choice{{reads.First, times[0] + of}, {reads.Second, times[1] + of}}, q.Choices...)
	}
	switch d.lacking(d.text) {
	case lackClock:
		q.Text = "at what time of day are dates such as " + quoted(d.text) + " of " + quoted(c.header) + "?"
		q.Why = rowsOf(rows) + " with a date alone, which would be at the same"
		q.Free, q.check = "the time of day that they all have, such as 18:30", isClock
		q.Choices, q.Default = []Choice{{reads.Blank, alike}}, ""
	case lackWhole:
		q.Text = "are days such as " + quoted(d.text) + " of " + quoted(c.header) + " one event?"
		q.Why, q.Default = rowsOf(rows)+" with several days, and an event for each needs a row for each", ""
		q.Choices = []Choice{{reads.OneEvent, "it starts on the first day, and ends on the last"}, {reads.Blank, alike}}
	case lackOrder:
		q.Text = "what are dates such as " + quoted(d.text) + " of " + quoted(c.header) + ", which are none in the order of the others?"
		q.Why, q.Free = rowsOf(rows), ""
		q.Choices = []Choice{{d.otherOrder(), "of such dates alone"}, {reads.Blank, alike}}
		if q.Default = ""; d.both {
			q.Default = q.Choices[0].Value
		}
	case lackHalf:
		q.Text = "in which half of the day are hours such as " + quoted(d.text) + " of " + quoted(c.header) + "?"
		q.Why, q.Free, q.Default = rowsOf(rows), "the hour with which the days begin, such as "+reads.MorningFrom(9), ""
		q.Choices = []Choice{
			{reads.Evening, "afternoons and evenings"},
			{reads.Morning, "mornings"},
			{reads.MorningFrom(7), "7:00 to 11:59 in the morning, and 12:00 to 6:59 after noon"},
		}
		heard := (&evidence{builder: d.builder, shown: d.shownColumn, open: d.text}).hear(ofHalf)
		if at := slices.IndexFunc(heard, func(t testimony) bool { return t.weight > guess }); at >= 0 {
			q.Why, q.Default = q.Why+also(heard[at:at+1]), heard[at].value
		}
		own := q.check
		q.check = func(answer string) bool { _, ok := reads.HalfOf(answer); return ok || isClock(answer) && own(answer) }
	}
}

// otherOrder returns the reading of dates that are not in the order of the mapping.
func (d *doubted) otherOrder() string {
	if d.order == datetime.MonthFirst {
		return reads.Order(datetime.DayFirst)
	}
	return reads.Order(datetime.MonthFirst)
}

// allDay is what the words for a whole day are in a column of times of day.
const allDay = "00:00 - 24:00"

// readingWords say what the readings do.
var readingWords = map[string]string{
	reads.Thousands: "its mark parts thousands", reads.Number: "the number in it", reads.Clear: "no value: no limit, say",
	reads.Ignore: "the word is left out of the cell", reads.Blank: "as if the cell were blank", allDay: "the whole day",
}
