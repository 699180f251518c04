package value

import (
	"strings"

	"eventbatch/mapping/schema"
)

// Parse reads a cell's text as the field's value. On success dst holds the
// field, the state Set and the value in canonical form; its Column is left alone.
// A blank text is missing-value: leaving a field alone, clearing it and emptying
// it are told apart by the caller. Good values take no memory, but for durations,
// JSON that has to be compacted and values that have to be rewritten.
func Parse(f *schema.Field, dst *schema.Setting, text string) *schema.Fault {
	value, instant, fault := read(f, text)
	if fault == nil && f.Check != nil {
		fault = f.Check(value)
	}
	if fault != nil {
		return fault
	}
	dst.Field, dst.State, dst.Text, dst.Instant = f.ID, schema.Set, value, instant
	return nil
}

// minorHint says what to do about a price where whole cents belong.
const minorHint = "write 5000 for 50.00, or have a mapping work it out: {expr: 'minor(Price, Currency)'}"

const priceHint = "write 1500 for 15.00, or call the column price, in which 15.00 is read, and $15 too"

func read(f *schema.Field, text string) (value string, instant int64, fault *schema.Fault) {
	if f.Kind != schema.Markdown {
		text = trim(text)
	}
	if text == "" {
		return "", 0, schema.CodeMissingValue.Fault(f.Path+" is blank", "")
	}
	switch f.Kind {
	case schema.Text:
		return unbroken(text), 0, nil
	case schema.Markdown, schema.LocalFile:
		return text, 0, nil
	case schema.Identifier:
		return text, 0, checkIdentifier(text)
	case schema.Verb:
		action, fault := ParseAction(text, f.Values)
		return schema.ActionNames[action], 0, fault
	case schema.Bool:
		yes, fault := ParseBool(text)
		if yes {
			return "true", 0, fault
		}
		return "false", 0, fault
	case schema.Integer:
		value, fault = readInteger(f, text)
		return value, 0, fault
	case schema.Number:
		value, fault = ParseNumber(trim(strings.TrimSuffix(text, f.Unit)))
		return value, 0, fault
	case schema.Timestamp:
		return readTimestamp(text)
	case schema.Duration:
		_, fault = ParseDuration(text)
		return text, 0, fault
	case schema.Enum:
		value, fault = ParseEnum(text, f.Path, f.Values)
		return value, 0, fault
	case schema.URL:
		return text, 0, ParseURL(text)
	case schema.Email:
		return text, 0, ParseEmail(text)
	case schema.Day:
		return text, 0, ParseDay(text)
	case schema.Color:
		return text, 0, ParseColor(text)
	case schema.Slug:
		return text, 0, ParseSlug(text)
	case schema.Zone:
		value, fault = ParseZone(text)
		return value, 0, fault
	case schema.List:
		value, fault = readList(f, text)
		return value, 0, fault
	case schema.Object, schema.Array:
		value, fault = readJSON(f, text)
		return value, 0, fault
	}
	return text, 0, nil
}

// readInteger reads a whole number, which of a field in cents has a hint of its own.
func readInteger(f *schema.Field, text string) (digits string, fault *schema.Fault) {
	hint := minorHint
	if f.Path == "cents" {
		hint = priceHint
	}
	if f.Minor && strings.ContainsAny(text, ".,") {
		return "", schema.CodeBadNumber.Fault(Quote(text)+" has decimals, and "+f.Path+" is in whole cents", hint)
	}
	if digits, fault = ParseInteger(text); f.Minor && fault != nil {
		fault.Hint = hint
	}
	return digits, fault
}

// checkIdentifier refuses what no id or key can be: a number that a spreadsheet
// has rounded, and text with line ends or invisible characters in it.
func checkIdentifier(text string) *schema.Fault {
	for i := range len(text) {
		if text[i] < ' ' || text[i] == 0x7f {
			return schema.CodeBadID.Fault(Quote(text)+" has a line end or an invisible character in it", "write the id on one line")
		}
	}
	if roundedNumber(text) {
		return schema.CodeLostDigits.Fault(
			Quote(text)+" is a number that a spreadsheet has rounded",
			"format the column as text in the spreadsheet, and enter the ids again",
		)
	}
	return nil
}

// roundedNumber reports whether a text is a long number as spreadsheets print it, 1.2E+17.
// A plain 12E5 may be somebody's key.
func roundedNumber(s string) bool {
	at := 0
	for at < len(s) && (isDigit(s[at]) || s[at] == '.' || s[at] == ',') {
		at++
	}
	return at > 0 && at+2 < len(s) && (s[at] == 'E' || s[at] == 'e') && s[at+1] == '+' && allDigits(s[at+2:])
}
