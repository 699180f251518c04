package record

import (
	"fmt"
	"slices"
	"time"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/template"
	"eventbatch/mapping/value"
)

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

// eventColumn is the header of a column of the names of events. Like sheet.LinkColumn it is shown and never sent.
const eventColumn = "_event"

// Sheet is a table with its records.
type Sheet struct {
	*Table
	Records Records
}

// first are the columns that matter most of an event, in the order in which a person
// thinks of them. The others follow in the order of the table of fields.
var first = []schema.ID{
	catalog.FieldEventID, schema.FieldCalendarID, catalog.FieldName, catalog.FieldStartAt, catalog.FieldEndAt, catalog.FieldTimezone,
	catalog.FieldAddress, catalog.FieldMeetingURL, catalog.FieldDescriptionMD, catalog.FieldVisibility, catalog.FieldMaxCapacity,
	schema.FieldAction,
}

// NewTable returns the table of a resource with every column that an update takes. Without
// calendars, rows do not say which calendar they belong to.
func NewTable(r *schema.Resource, calendars bool) *Table {
	t := &Table{Resource: r, URL: r.Keyed(), Event: r.Parent != ""}
	var rest []*schema.Field
	for _, f := range r.Columns() {
		switch {
		case f.Answers != nil:
			t.Answers = f
		case f.ID == schema.FieldCalendarID && !calendars, f.ID == schema.FieldKey, f.Deprecated:
		case f.Local && f.Becomes == "" && f.ID != schema.FieldCalendarID && f.ID != schema.FieldAction && f.Path != r.Parent:
		case !f.Local && (!r.Tells(f) || f.ID == catalog.FieldQuery || r.Keyed() && !f.On.Has(schema.OnUpdate)):
		case !r.Keyed() || !slices.Contains(first, f.ID):
			rest = append(rest, f)
		}
	}
	if r.Keyed() {
		for _, id := range first {
			if id != schema.FieldCalendarID || calendars {
				t.Fields = append(t.Fields, catalog.Field(id))
			}
		}
	}
	own := slices.IndexFunc(rest, func(f *schema.Field) bool { return f.ID > schema.FieldAction })
	t.Fields = slices.Concat(t.Fields, rest[own:], rest[:own])
	return t
}

// Choose keeps the columns of the paths, behind those that name a record.
func (t *Table) Choose(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	r, known, columns := t.Resource, t.Headers(), t.Columns()
	kept := slices.DeleteFunc(slices.Clone(t.Fields), func(f *schema.Field) bool {
		return f.ID != schema.FieldCalendarID && !r.Names(f)
	})
	answers := t.Answers
	t.URL, t.Event, t.Answers = false, false, nil
	for _, path := range paths {
		at := slices.Index(known, path)
		switch {
		case path == sheet.LinkColumn && at >= 0:
			t.URL = true
		case path == eventColumn && at >= 0:
			t.Event = true
		case answers != nil && path == answers.Path:
			t.Answers = answers
		case at < 0:
			return &schema.Fault{
				Code: schema.CodeUnmatchedColumn, Message: fmt.Sprintf("--columns: no column %q", path),
				Hint: spelling.DidYouMean(path, known),
			}
		case !slices.Contains(kept, columns[at].Field):
			kept = append(kept, columns[at].Field)
		}
	}
	if zone := r.Zone(); zone != nil && !slices.Contains(kept, zone) && slices.ContainsFunc(kept, func(f *schema.Field) bool {
		return f.Kind == schema.Timestamp
	}) && slices.Contains(t.Fields, zone) {
		kept = append(kept, zone) // times stand in it
	}
	currency, _ := r.ByPath("currency")
	if slices.ContainsFunc(kept, func(f *schema.Field) bool { return f.Becomes != "" }) && !slices.Contains(kept, currency) {
		kept = append(kept, currency)
	}
	t.Fields = kept
	return nil
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
		columns = append(columns, template.Heading{Name: sheet.LinkColumn})
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
			dst = append(dst, sheet.TextOut(r.Event))
		case c.Name == sheet.LinkColumn:
			dst = append(dst, sheet.TextOut(r.URL))
		}
	}
	if len(t.Questions) > 0 {
		given := map[string]string{}
		for _, a := range value.AnswersSaid(r.Draft.Text(t.Answers.ID)) {
			given[a.Question] = a.Text
		}
		for _, question := range t.Questions {
			dst = append(dst, sheet.TextOut(given[question]))
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
