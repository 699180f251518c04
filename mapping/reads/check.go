package reads

import (
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Check returns what is wrong with a line of a field and what to do about it, both empty
// where nothing is.
func Check(field *schema.Field, example, reading string) (message, hint string) {
	switch {
	case field.Kind == schema.Bool || field.Kind == schema.Enum || field.Kind == schema.Verb:
		return field.Path + " takes a few words only", "say what each cell stands for under values of its column"
	case folded(example) == "":
		return "the example is blank", "write a cell as the file has it"
	}
	if message, hint, ofTime := checkTime(field, example, reading); ofTime {
		return message, hint
	}
	n, isNumber := oneNumber(example)
	switch reading {
	case "":
		return "there is no reading", "write blank for a cell that counts as blank"
	case Thousands:
		switch {
		case !field.Kind.Numeric():
			return misfit(field, reading), ""
		case !isNumber || !n.grouped():
			return quoted(example) + " has no marks of thousands", "write an example such as 1.200"
		}
		return literal(field, n.whole())
	case Number:
		switch {
		case !field.Kind.Numeric():
			return misfit(field, reading), ""
		case isNumber && n.grouped():
			return quoted(example) + " can be read in two ways", "write thousands, or the number that it is"
		case !isNumber || !n.plain():
			return "there is not one number in " + quoted(example), "write the number that it is"
		case n.String() == strings.TrimSpace(example):
			return quoted(example) + " is a number without more", "leave the line out"
		}
		return literal(field, n.String())
	case Clear:
		if fault := field.Clear(&schema.Setting{}); fault != nil {
			return fault.Message, "write blank for a cell that counts as blank"
		}
	case Empty:
		if fault := field.SetEmpty(&schema.Setting{}); fault != nil {
			return fault.Message, "write blank for a cell that counts as blank"
		}
	case Blank, AllBlank:
	default:
		return literal(field, reading)
	}
	return "", ""
}

// checkTime is Check of a reading that times alone have. It reports whether the reading is one.
func checkTime(field *schema.Field, example, reading string) (message, hint string, ofTime bool) {
	_, isYear := YearsOf(reading)
	clock, isAt := strings.CutPrefix(reading, atWord)
	from, isHalf := HalfOf(reading)
	of, isPart := ofTimes[reading]
	switch {
	case !isYear && !isAt && !isHalf && !isPart && firsts[reading] == datetime.Unknown:
		return "", "", false
	case field.Kind != schema.Timestamp && isYear:
		return misfit(field, "year"), "", true
	case field.Kind != schema.Timestamp:
		return misfit(field, reading), "", true
	case isYear:
		if !datetime.LacksYear(example) {
			return quoted(example) + " is no date without a year", "write a date such as Mar 4 or 4.3.", true
		}
	case isAt:
		m, fault := datetime.Scan(clock, datetime.Unknown)
		if fault != datetime.OK || !m.HasTime || m.HasDate {
			return quoted(clock) + " is no time of day", "write at and a time, such as at 18:30", true
		}
		if !isDay(example) {
			return quoted(example) + " is no date without a time of day", "write a date such as 2027-03-04", true
		}
	case isHalf && datetime.InHalf(example, from) == example:
		return quoted(example) + " does not leave open in which half of the day it is", "write a time such as 7:30", true
	case isPart && !of.fits(example):
		return quoted(example) + of.no, of.write, true
	}
	return "", "", true
}

// ofTimes are the readings of times alone, with the examples that they fit.
var ofTimes = func() map[string]timeReading {
	word := timeReading{
		func(text string) bool { return !strings.ContainsAny(text, "0123456789") },
		" has digits, and only a word can be left out of a cell", "write the word alone",
	}
	two := timeReading{
		func(text string) bool { _, ok := ofTwo(text, First); return ok },
		" has not two times of day", "write an example such as 19:00/20:00",
	}
	days := timeReading{datetime.AreDays, " does not name days that follow each other", "write an example such as 10.-12.10.2027"}
	return map[string]timeReading{Ignore: word, Later: word, First: two, Second: two, OneEvent: days}
}()

// timeReading is a reading of times.
type timeReading struct {
	fits      func(example string) bool
	no, write string // what is wrong with an example that it does not fit, and what to write
}

// literal checks what a text is said to stand for.
func literal(field *schema.Field, text string) (message, hint string) {
	if field.Kind == schema.Timestamp {
		for _, order := range []datetime.Order{datetime.DayFirst, datetime.MonthFirst} {
			var m datetime.Moment
			if m.ScanIn(datetime.ClockCell, text, order) == datetime.OK {
				return "", ""
			}
		}
		if _, _, two := datetime.CutRange(text); two {
			return "", ""
		}
		if _, _, days := datetime.CutThrough(text); days {
			return "", ""
		}
		return quoted(text) + " is no reading and no time",
			"write year 2027, year 2027/28 from September, at 18:30, month first, day first, am, pm, am from 8, 15m later, first time, " +
				"second time, one event, ignore, blank, all blank, or the time as 18:30 or 2027-03-04 18:30"
	}
	fault := value.Parse(field, &schema.Setting{}, text)
	switch {
	case fault == nil:
		return "", ""
	case field.Kind.Numeric():
		return quoted(text) + " is no reading and no number",
			"write thousands, number, <clear>, blank, all blank, or the number that it is"
	}
	return fault.Message, fault.Hint
}

func misfit(field *schema.Field, reading string) string {
	return "the reading " + reading + " does not fit " + field.Path
}

func quoted(text string) string { return strconv.Quote(text) }
