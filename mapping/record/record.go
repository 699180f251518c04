// Package record writes records of the service as rows of a file that can be read again.
//
// It is the way back of package mapping. A record comes as a draft ([value.Fill]):
// each of its fields becomes a cell in the form in which the parser of the field's kind
// reads it. Times stand in the record's own zone. What a record does not tell is blank,
// which leaves it alone when the file comes back.
//
// Beside the cells stands a baseline (package baseline), by which a row that comes back
// tells which of its cells were touched.
package record

import (
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/template"
	"eventbatch/mapping/value"
)

// Record is one record of the service.
type Record struct {
	Draft *schema.Draft
	ID    string
	URL   string    // of its page, empty where it has none
	Place string    // where an event is, in words, whatever it was said by
	Event string    // the name of the event that it belongs to
	At    time.Time // when it was read
}

// Table says which columns records of a resource have.
type Table struct {
	Resource *schema.Resource
	Fields   []*schema.Field
	URL      bool // the column behind them is the address of the record's page
	Event    bool // the column behind the event's is its name
	// Answers is the field of answers to questions, each of which has a column of its own behind
	// those; nil of nearly all, and where these columns are not wanted.
	Answers   *schema.Field
	Questions []string
}

// The headers of columns that are shown and never sent: the addresses of pages, and the names of events.
const (
	linkColumn  = "_url"
	eventColumn = "_event"
)

// Records are records in the order in which they are written.
type Records = iter.Seq2[*Record, error]

// Formats are the formats that records are written in.
var Formats = []string{"csv", "ndjson", "xlsx", "ics"}

// Sheet is a table with its records.
type Sheet struct {
	*Table
	Records Records
}

// Write writes records in a format. Only a workbook has more than one sheet. Write returns
// how many values the format cannot hold.
func Write(w io.Writer, format string, sheets ...Sheet) (left int, err error) {
	t, records := sheets[0].Table, sheets[0].Records
	switch format {
	case "ndjson":
		return 0, t.WriteNDJSON(w, records)
	case "xlsx":
		return WriteXLSX(w, sheets)
	case "ics":
		return 0, t.WriteICS(w, records)
	}
	return 0, t.WriteCSV(w, records)
}

// Columns returns the columns in the order of their cells. Those that are no field's are shown, or
// hold the answers to a question.
func (t *Table) Columns() []template.Heading {
	columns := make([]template.Heading, 0, len(t.Fields)+2)
	for _, f := range t.Fields {
		columns = append(columns, template.Heading{Field: f, Name: f.Path})
		if t.Event && f.Path == t.Resource.Parent {
			columns = append(columns, template.Heading{Name: eventColumn})
		}
	}
	if t.URL {
		columns = append(columns, template.Heading{Name: linkColumn})
	}
	for _, question := range t.Questions {
		columns = append(columns, template.Heading{Name: value.AnswerHeader(question)})
	}
	return columns
}

// Headers returns the names of the columns.
func (t *Table) Headers() (headers []string) {
	for _, c := range t.Columns() {
		headers = append(headers, c.Name)
	}
	return headers
}

// Cells returns the record's cells. That of a time has both the wall
// time in its zone and, as text, the time with its offset; where the wall time alone
// would be another instant, or none, it is text alone.
func (t *Table) Cells(dst []sheet.Out, r *Record) []sheet.Out {
	zone := t.zone(r.Draft)
	for _, c := range t.Columns() {
		switch {
		case c.Field != nil:
			dst = append(dst, cell(c.Field, r.Draft, zone))
		case c.Name == eventColumn:
			dst = append(dst, text(r.Event))
		case c.Name == linkColumn:
			dst = append(dst, text(r.URL))
		}
	}
	if len(t.Questions) > 0 {
		given := map[string]string{}
		for _, a := range value.AnswersSaid(r.Draft.Text(t.Answers.ID)) {
			given[a.Question] = a.Text
		}
		for _, question := range t.Questions {
			dst = append(dst, text(given[question]))
		}
	}
	return dst
}

// zone returns the time zone of a record, UTC where it has none.
func (t *Table) zone(d *schema.Draft) *time.Location {
	if f := t.Resource.Zone(); f != nil {
		if zone, err := value.LoadZone(d.Text(f.ID)); err == nil {
			return zone
		}
	}
	return time.UTC
}

// zoned reports whether the record names the zone of its times.
func zoned(d *schema.Draft) bool {
	f := d.Resource.Zone()
	return f != nil && d.Text(f.ID) != ""
}

func cell(f *schema.Field, d *schema.Draft, zone *time.Location) sheet.Out {
	if f.ID == schema.FieldCalendarID {
		return text(d.Calendar)
	}
	if f.Becomes != "" {
		return price(f, d)
	}
	s := d.Get(f.ID)
	if s == nil || s.State != schema.Set {
		return sheet.Out{}
	}
	switch f.Kind {
	case schema.Timestamp:
		if s.Instant != 0 {
			return moment(time.UnixMilli(s.Instant).In(zone), zone != time.UTC || zoned(d))
		}
	case schema.Integer, schema.Number:
		if strings.IndexByte("-0123456789", s.Text[0]) >= 0 && json.Valid([]byte(s.Text)) {
			return sheet.Out{Kind: sheet.Number, Text: s.Text}
		}
	case schema.Bool:
		if s.Text == "true" || s.Text == "false" {
			return sheet.Out{Kind: sheet.Bool, Text: s.Text}
		}
	}
	return text(value.Cell(f, s.Text))
}

// price returns the cell of an amount in units of its currency.
func price(f *schema.Field, d *schema.Draft) sheet.Out {
	in, decimals := value.InUnits(d.Value(f.Becomes), d.Value("currency"))
	if in == "" {
		return sheet.Out{}
	}
	return sheet.Out{Kind: sheet.Number, Text: in, Layout: template.Decimals[decimals]}
}

func text(s string) sheet.Out {
	if s == "" {
		return sheet.Out{}
	}
	return sheet.Out{Kind: sheet.Text, Text: s}
}

// moment returns the cell of a time. zoned means that the row names the zone it is in.
func moment(at time.Time, zoned bool) sheet.Out {
	out := sheet.Out{Kind: sheet.Text, Text: at.Format("2006-01-02T15:04:05.999Z07:00")}
	if !zoned || twice(at) || at.Year() < 1901 || at.Year() > 9999 {
		return out
	}
	if h, m, s := at.Clock(); h+m+s+at.Nanosecond() == 0 {
		return out // a number of whole days is a date that lacks its time
	}
	out.Kind = sheet.Date
	_, offset := at.Zone()
	out.Time = at.Add(time.Duration(offset) * time.Second).UTC()
	switch {
	case at.Nanosecond() != 0:
		out.Layout = template.WithMillis
	case at.Second() != 0:
		out.Layout = template.WithSeconds
	}
	return out
}

// twice reports whether clocks in the zone show the wall time of the instant twice.
func twice(at time.Time) bool {
	_, offset := at.Zone()
	begins, ends := at.ZoneBounds()
	if !begins.IsZero() {
		_, before := begins.Add(-time.Nanosecond).Zone()
		if at.Add(time.Duration(offset-before) * time.Second).Before(begins) {
			return true
		}
	}
	if !ends.IsZero() {
		_, after := ends.Zone()
		return !at.Add(time.Duration(offset-after) * time.Second).Before(ends)
	}
	return false
}

// base appends the record's baseline: of the fields that the columns have.
func (t *Table) base(dst []byte, r *Record, but []*schema.Field) []byte {
	fields := t.Fields
	for _, f := range t.Fields {
		if amount, _ := t.Resource.ByPath(f.Becomes); amount != nil && !slices.Contains(fields, amount) {
			fields = append(slices.Clip(fields), amount)
		}
	}
	if len(t.Questions) > 0 {
		fields = append(slices.Clip(fields), t.Answers)
	}
	if len(but) > 0 {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f *schema.Field) bool { return slices.Contains(but, f) })
	}
	return baseline.Append(dst, r.At, r.Draft, fields)
}
