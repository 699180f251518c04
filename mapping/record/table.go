package record

import (
	"fmt"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

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
		case path == linkColumn && at >= 0:
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
