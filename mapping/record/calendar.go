package record

import (
	"io"
	"slices"
	"time"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// WriteICS writes events as a calendar (RFC 5545) with what one can say: name, times,
// place, description, links, and whether the event is private. Each keeps its id and its
// baseline in properties of ours, so that a calendar that comes back changes what was
// edited in it and makes nothing anew.
func (t *Table) WriteICS(w io.Writer, records Records) error {
	spans := map[string]*span{}
	var names []string
	for r, err := range records {
		if err != nil {
			return err
		}
		name := r.Draft.Text(catalog.FieldTimezone)
		start, end := r.times()
		if spans[name] == nil {
			names = append(names, name)
			spans[name] = &span{start, end}
		}
		spans[name].include(start, end)
	}
	out := sheet.NewICSWriter(w)
	for _, name := range names {
		if zone, err := value.LoadZone(name); err == nil && zone != time.UTC {
			out.Zone(zone, spans[name].from, spans[name].to)
		}
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		t.entry(out, r)
	}
	return out.Close()
}

// span is the time in which events of a zone take place.
type span struct{ from, to time.Time }

func (s *span) include(start, end time.Time) {
	if start.Before(s.from) {
		s.from = start
	}
	if end.After(s.to) {
		s.to = end
	}
}

// times returns when an event begins and ends, to the second that a calendar knows.
func (r *Record) times() (start, end time.Time) {
	start, _ = r.Draft.Time(catalog.FieldStartAt)
	end, _ = r.Draft.Time(catalog.FieldEndAt)
	return start.Truncate(time.Second), end.Truncate(time.Second)
}

// calendarFields are the fields that a calendar can say, in the order of an event's
// properties.
var calendarFields = []struct {
	id       schema.ID
	property string
}{
	{catalog.FieldName, "SUMMARY"},
	{catalog.FieldAddress, "LOCATION"},
	{catalog.FieldMeetingURL, "CONFERENCE;VALUE=URI"},
	{catalog.FieldDescriptionMD, "DESCRIPTION"},
}

// entry writes one event.
func (t *Table) entry(out *sheet.ICSWriter, r *Record) {
	said := schema.NewDraft(t.Resource, schema.Place{}) // what the calendar says of the event
	put := func(id schema.ID, text string) {
		if s := (schema.Setting{Column: -1}); text != "" && value.Parse(catalog.Field(id), &s, text) == nil {
			said.Put(s)
		}
	}
	e := sheet.ICSEntry{UID: r.ID + "@eventbatch", Stamp: r.At}
	e.Start, e.End = r.times()
	put(catalog.FieldEventID, r.ID)
	put(catalog.FieldStartAt, e.Start.Format(time.RFC3339))
	put(catalog.FieldTimezone, r.Draft.Text(catalog.FieldTimezone))
	add := func(name, value string) {
		if value != "" {
			e.Properties = append(e.Properties, sheet.ICSProperty{Name: name, Value: value})
		}
	}
	if !r.Draft.Has(catalog.FieldEndAt) {
		e.End = time.Time{}
	} else {
		put(catalog.FieldEndAt, e.End.Format(time.RFC3339))
	}
	for _, f := range calendarFields {
		text := r.Draft.Text(f.id)
		if f.id == catalog.FieldAddress && text == "" {
			text = r.Place
		}
		text = sheet.ICSText(text)
		put(f.id, text)
		add(f.property, text)
	}
	raw := func(name, value string) {
		e.Properties = append(e.Properties, sheet.ICSProperty{Name: name, Value: value, Raw: true})
	}
	lat, long := r.Draft.Text(catalog.FieldLatitude), r.Draft.Text(catalog.FieldLongitude)
	if lat != "" && long != "" {
		put(catalog.FieldLatitude, lat)
		put(catalog.FieldLongitude, long)
		raw("GEO", lat+";"+long)
	}
	if r.Draft.Text(catalog.FieldVisibility) == "private" {
		put(catalog.FieldVisibility, "private")
		raw("CLASS", "PRIVATE")
	}
	if r.URL != "" {
		raw("URL", r.URL)
	}
	t.local(&e, r.Draft)
	add("X-EVENTBATCH-TIMEZONE", r.Draft.Text(catalog.FieldTimezone))
	add("X-EVENTBATCH-ID", r.ID)
	var fields []*schema.Field
	for i := range said.Settings {
		fields = append(fields, catalog.Field(said.Settings[i].Field))
	}
	add("X-EVENTBATCH-BASE", string(baseline.Append(nil, r.At, said, slices.Clip(fields))))
	out.Event(e)
}

// local has an event begin and end by the clock of its zone, unless that shows one of both times twice.
func (t *Table) local(e *sheet.ICSEntry, d *schema.Draft) {
	zone := t.zone(d)
	if twice(e.Start.In(zone)) || !e.End.IsZero() && twice(e.End.In(zone)) {
		return
	}
	e.Start = e.Start.In(zone)
	if !e.End.IsZero() {
		e.End = e.End.In(zone)
	}
}
