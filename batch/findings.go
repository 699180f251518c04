package batch

import (
	"cmp"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Reporting says where findings go, and how much of each row they hold.
type Reporting struct {
	Sink    finding.Sink // the caller ends it, with the summary
	Cells   bool         // rows are wanted whole: with cells and times
	Changes bool         // what an update changes is wanted
}

// find fills in a row of a check as reports have it.
func find(row *finding.Row, source *mapping.Source, result *mapping.Result, whole bool) {
	d := result.Draft
	row.Source, row.File, row.Sheet, row.Number, row.Line = result.Source, source.File, source.Sheet, d.Place.Row, d.Place.Line
	row.Cells, row.Problems, row.Of = result.Cells, result.Problems, result.Of
	row.Action, row.Status, row.Reason = d.Action.Word(), finding.Valid, result.Skipped
	drafted(&row.Event, d, whole)
	if result.Skipped != "" {
		row.Action = "skip"
	}
	if result.Invalid() {
		row.Action, row.Status, row.Reason = "invalid", finding.Invalid, cmp.Or(result.Lacking, "the row has errors")
	}
}

// Summary returns what a report says of a check as a whole, but for its exit. The
// error is why it could not be finished.
func (c *Checked) Summary(err error) *finding.Summary {
	s := &finding.Summary{
		Command: "check", Made: time.Now(), Broken: err != nil, LeftBehind: c.LeftBehind, Decided: c.Decided, Notes: c.Notes,
		Totals: []finding.Total{
			{Word: "read", Rows: c.Rows.Read},
			{Word: "valid", Rows: c.Rows.Valid},
			{Word: "invalid", Rows: c.Rows.Invalid},
		},
	}
	for _, source := range c.Sources {
		s.Sources = append(s.Sources, sheetOf(&source))
	}
	return s
}

// sheetOf returns a sheet that was read, with the rows that were left out by what one is called.
func sheetOf(source *mapping.Source) plan.Sheet {
	s := plan.Sheet{
		File: source.File, Sheet: source.Sheet, SHA256: source.SHA256, Header: source.Header, Row: source.HeaderRow,
		Rows: source.Rows, Date1904: source.Date1904,
	}
	for _, l := range source.LeftOut {
		if s.LeftOut == nil {
			s.LeftOut = map[string][]int{}
		}
		s.LeftOut[l.Kind.One()] = l.Rows
	}
	return s
}

// EventOf returns the event that a row asks for, with its times.
func EventOf(d *schema.Draft) (e finding.Event) {
	drafted(&e, d, true)
	return e
}

// drafted fills in the event that a row asks for, with its times where they are wanted.
func drafted(e *finding.Event, d *schema.Draft, times bool) {
	e.Calendar, e.Key, e.ID, e.Name = d.Calendar, d.Key, d.Text(catalog.FieldEventID), d.Text(catalog.FieldName)
	if !d.Resource.Keyed() {
		e.Name = d.Name() // what a person knows the record by
	}
	if !times {
		return
	}
	zone := d.Text(catalog.FieldTimezone)
	e.Start = local(d.Text(catalog.FieldStartAt), zone)
	e.End = local(d.Text(catalog.FieldEndAt), zone)
	e.Zone, e.Seats, e.Visibility = zone, d.Text(catalog.FieldMaxCapacity), d.Text(catalog.FieldVisibility)
	e.Place = "" // which may be that of the row before
	for _, id := range []schema.ID{
		catalog.FieldAddress, catalog.FieldGeoAddressText, catalog.FieldQuery, catalog.FieldGeoDescription, catalog.FieldMeetingURL,
		catalog.FieldPlaceID,
	} {
		e.Place = cmp.Or(e.Place, d.Text(id))
	}
}

// local reads a timestamp of ours in the event's zone; one without a zone keeps
// the offset that it was written with. What is none is the zero time.
func local(timestamp, zone string) time.Time {
	at, ok := datetime.ParseTimestamp(timestamp)
	if !ok {
		return at
	}
	return at.In(cmp.Or(value.Location(zone), at.Location()))
}

// location returns the zone that a plan names, or an offset; UTC where it has neither.
func location(zone string) *time.Location { return cmp.Or(value.Location(zone), time.UTC) }
