package mapping

import (
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
)

// forms is a way of writing a time that is always understood, in files of any language and order of dates.
const forms = "write it like 2026-05-01 18:30"

// clocks is a way of writing a time of day that is.
const clocks = "write it like 19:00"

// numberFault words what is wrong with a number where a date or a time of day belongs.
func numberFault(where datetime.Where, text string) schema.Fault {
	if where >= datetime.ClockCell {
		return schema.Fault{Code: schema.CodeBadTime, Message: "a bare number is not a time of day", Hint: clocks}
	}
	var m datetime.Moment
	if strings.Contains(text, ".") && m.ScanIn(datetime.ClockCell, text, datetime.Unknown) == datetime.OK {
		return noDate
	}
	return schema.Fault{
		Code: schema.CodeBadTime, Message: "a bare number is not a date",
		Hint: "format the column as a date in the spreadsheet, or " + forms,
	}
}

var noDate = schema.Fault{Code: schema.CodeBadDate, Message: "there is a time of day without a date", Hint: "fill the date too"}

// timeMistake is a text that is no time, where it stands.
type timeMistake struct {
	fault datetime.Fault
	where datetime.Where
	text  string
}

// timeFault words a fault of a text. It is worded once for cells with the same mistake: a column of a large file has few of
// them, each in many rows.
func (w *faults) timeFault(f datetime.Fault, where datetime.Where, text string) schema.Fault {
	m := timeMistake{f, where, text}
	fault, known := w.worded[m]
	if !known {
		fault = timeFault(f, where, text)
		if w.worded == nil || len(w.worded) == mostKept {
			w.worded = map[timeMistake]schema.Fault{}
		}
		m.text = strings.Clone(text)
		w.worded[m] = fault
	}
	return fault
}

// timeFault words a fault of a text.
func timeFault(f datetime.Fault, where datetime.Where, text string) schema.Fault {
	if f == datetime.NoSuchDay || f == datetime.NotATime {
		if why := datetime.NoSuch(text); why != "" {
			fault := timeFaults[datetime.NoSuchDay]
			fault.Message += ": " + why
			return fault
		}
	}
	if f == datetime.NotATime || f == datetime.BareNumber {
		if fault, ok := wordFault(text); ok {
			return fault
		}
	}
	if f == datetime.BareNumber {
		return numberFault(where, text)
	}
	if fault, ok := timeFaults[f]; ok {
		return fault
	}
	if where >= datetime.ClockCell {
		return schema.Fault{Code: schema.CodeBadTime, Message: quoted(text) + " is not a time of day that can be read", Hint: clocks}
	}
	return schema.Fault{Code: schema.CodeBadTime, Message: quoted(text) + " is not a date or a time that can be read", Hint: forms}
}

// wordFault words what keeps a text from being a time that a mapping says how to read.
func wordFault(text string) (schema.Fault, bool) {
	p, ok := reads.Propose(catalog.Field(catalog.FieldStartAt), text, reads.Evidence{Years: reads.Years{First: 2028}})
	_, yearless := reads.YearsOf(p.Reading)
	word, doors := reads.Doors(text)
	switch {
	case doors:
		return schema.Fault{
			Code: schema.CodeBadTime, Message: quoted(text) + " says when the doors open (" + word + ")",
			Hint: "write when it begins; where that is the same, eventbatch map writes so into a mapping",
		}, true
	case ok && yearless:
		return schema.Fault{
			Code: schema.CodeBadDate, Message: "there is no year",
			Hint: "write the year, or run eventbatch map, which asks for it once for all such cells",
		}, true
	case ok && p.Reading == reads.Ignore:
		return schema.Fault{
			Code: schema.CodeBadTime, Message: quoted(text) + " is more than a time (" + p.Example + ")",
			Hint: "write the time alone, or have eventbatch map write into a mapping that the word is left out",
		}, true
	case ok:
		return schema.Fault{
			Code: schema.CodeBadTime, Message: quoted(text) + " is no time",
			Hint: "leave the cell blank, or write the time once it is known",
		}, true
	}
	return schema.Fault{}, false
}

var timeFaults = map[datetime.Fault]schema.Fault{
	datetime.NoSuchDay: {
		Code: schema.CodeBadDate, Message: "there is no such day in the calendar", Hint: "check the day and the month",
	},
	datetime.OutOfRangeYear: {
		Code: schema.CodeBadDate, Message: "the year is out of range", Hint: "write the year with four digits",
	},
	datetime.NoSuchTime: {
		Code: schema.CodeBadTime, Message: "there is no such time of day",
		Hint: "hours go from 00 to 23, or from 1 to 12 with AM or PM; the end of a day is 00:00 of the next",
	},
	datetime.NeedsOrder: {
		Code: schema.CodeAmbiguousDate, Message: "the date can be read with the day or the month first",
		Hint: "say --date-order mdy or dmy, or write the date as 2026-03-08",
	},
	datetime.WrongOrder: {
		Code: schema.CodeBadDate, Message: "there is no such month in the order of the dates here",
		Hint: "check --date-order, or write the date as 2026-03-08",
	},
	datetime.WrongWeekday: {
		Code: schema.CodeBadDate, Message: "the date is another day of the week", Hint: "correct the date or leave the day out",
	},
	datetime.InexactZone: {
		Code: schema.CodeBadTime, Message: "the abbreviation of a time zone is not exact",
		Hint: "leave it out and fill the timezone column with a name such as America/New_York",
	},
	datetime.NoSuchOffset: {
		Code: schema.CodeBadTime, Message: "no place is further from UTC than 14 hours",
		Hint: "correct the offset; a range has blanks around its dash, or its date in a cell of its own",
	},
	datetime.Midnight: {
		Code: schema.CodeBadTime, Message: "midnight can be the beginning or the end of a day",
		Hint: "write 00:00 for its beginning; its end is 00:00 of the next date",
	},
	datetime.NeedsHalf: {
		Code: schema.CodeBadTime, Message: "the hour may be in the morning or in the evening",
		Hint: "write it like 19:30, or run eventbatch map, which asks for it once for all such cells",
	},
	datetime.EarlySerial: {
		Code: schema.CodeEarlySerial, Message: "the spreadsheet date lies before March 1900, so it is more likely a count than a date",
		Hint: "check the column, or " + forms,
	},
}
