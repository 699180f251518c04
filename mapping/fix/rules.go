package fix

import (
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Rules say what is mended. Nothing else is touched.
type Rules struct {
	Trim  bool // white space around a text
	Dates Dates
	// Enums replaces near words and synonyms that are not understood by the field's own value.
	Enums bool
	Slugs bool // makes slugs of texts that are none
	// Proposals has cells hold what is proposed for them: by the column of proposals of an
	// annotated copy, which a person may have changed, else by their problems.
	Proposals bool
	Fills     []Fill
	Dedupe    Dedupe
	// Places are the places of addresses that were searched for, by the addresses.
	Places map[string]Place
	// Shift moves the dates of each row by so many days, all or none of them. It goes with no other rule.
	Shift int
}

// Dates says what becomes of dates and times that cannot be read, but can mean one
// thing only. One that can be read is left as it is.
type Dates uint8

// The forms of a date.
const (
	KeepDates Dates = iota
	ISODates        // text: 2026-05-01T18:30:00
	RealDates       // a date of the workbook
)

// Dedupe says which rows get the action SKIP.
type Dedupe uint8

// The rows that get it. The first of them always stays as it is.
const (
	KeepRows  Dedupe = iota
	EqualRows        // all cells are those of an earlier row
	EqualKeys        // also rows whose key, or event id, an earlier row has
)

// Fill says what stands in a field's blank cells.
type Fill struct {
	Field *schema.Field
	// From is the time that the field follows by After; nil where Value is it.
	From  *schema.Field
	After time.Duration
	Value string
}

// Place is what a search for an address has found: the id of the place that it means, with what
// the service calls it, or why none is proposed.
type Place struct{ ID, Why string }

// The rules, as they are called in what is shown.
const (
	ruleTrim   = "trim"
	ruleDates  = "coerce-dates"
	ruleEnum   = "enum"
	ruleSlug   = "slug"
	ruleFill   = "fill"
	ruleDedupe = "dedupe"
	ruleTake   = "take-proposals"
	rulePlaces = "places"
	ruleShift  = "shift"
)

// Edit is one cell that is mended.
type Edit struct {
	Place  schema.Place
	Field  string // that the cell feeds; empty where it feeds none
	Rule   string
	Before string
	After  string    // as a person sees it
	Reason string    // of a row that is to be skipped; empty for others
	Cell   sheet.Out // what is written
}

// Left is a proposal that was not taken, or a date that was not moved.
type Left struct {
	Place  schema.Place
	Reason string
}

// Sheet is what is known of a sheet before its rows.
type Sheet struct {
	File      string
	Name      string // empty for a text format
	Header    []string
	HeaderRow int
	Columns   []Columns
	Closed    bool   // a mapping says which columns are read: a new one would not be
	Zone      string // of rows that name none
	Date1904  bool   // dates of the workbook count from 1904
	// Order returns the order of the dates in a column, of which a text is one.
	Order func(column int, text string) datetime.Order
}

// Columns tells which columns of a sheet feed a field.
type Columns struct {
	Field *schema.Field
	At    []int // two: a date with its time of day
	// Borrowed tells that the first column is the start's date.
	Borrowed bool
	// Worked tells that the cells hold something else than the field's own values:
	// words of the mapping, several cells put together, HTML, a range, whole days.
	Worked bool
}

// Row is one row of a sheet.
type Row struct {
	Cells    []sheet.Cell // as the file has them
	Shown    []string     // as a person sees them
	Draft    *schema.Draft
	Problems []schema.Problem
	Skipped  bool // the row asks for nothing already
}
