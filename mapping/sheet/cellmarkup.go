package sheet

import (
	"fmt"
	"strconv"
	"time"

	"eventbatch/mapping/sheet/ooxml"
)

// Markup returns a cell as the part of a sheet has it: at a reference such as B7, in a
// format of the workbook. It is empty for a blank cell. An error says that a workbook
// cannot hold the cell.
func (c *Out) Markup(ref, format string) (string, error) {
	switch c.Kind {
	case Blank:
		return "", nil
	case Number:
		value, err := number(c.Text)
		switch value := value.(type) {
		case float64:
			return ooxml.NumberCell(ref, format, strconv.FormatFloat(value, 'g', -1, 64)), err
		case string:
			return ooxml.TextCell(ref, format, value), err
		}
		return "", err
	case Bool:
		yes, err := strconv.ParseBool(c.Text)
		return ooxml.BoolCell(ref, format, yes), err
	case Date:
		days, err := serial(c, false)
		return ooxml.NumberCell(ref, format, days), err
	case Text:
		safe, err := text(c.Text)
		return ooxml.TextCell(ref, format, safe), err
	}
	return "", fmt.Errorf("a cell of kind %d cannot be written", c.Kind)
}

// serial counts the days of a date as a workbook does, from 1900 or from 1904.
func serial(date *Out, from04 bool) (string, error) {
	t := date.Time
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	from := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	first := 1901
	if from04 {
		from, first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC), 1905
	}
	switch {
	case date.Clock:
		from = wall.Truncate(24 * time.Hour)
	case t.Year() < first:
		return "", fmt.Errorf("the date %s is before those that a spreadsheet counts", t.Format(time.DateOnly))
	}
	// A span of all the years that a spreadsheet counts is more than a Duration holds.
	days := float64(wall.Unix()-from.Unix()) + float64(wall.Nanosecond()-from.Nanosecond())/1e9
	return strconv.FormatFloat(days/(24*60*60), 'f', -1, 64), nil
}
