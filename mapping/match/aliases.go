package match

import (
	"strings"
	"sync"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// aliases are headers that real files use, in normalised form.
var aliases = func() map[string]Claim {
	table := map[string]Claim{}
	for _, line := range []struct {
		id    schema.ID
		part  Part
		names string
	}{
		{schema.FieldName, Whole, "title, subject, summary, event name, event title"},
		{schema.FieldStartAt, Whole, "start, event start, dtstart, date time, starts at"},
		{schema.FieldStartAt, DateOnly, "date, start date, event date, date from, event start date"},
		{schema.FieldStartAt, ClockOnly, "time, start time, event start time"},
		{schema.FieldEndAt, Whole, "end, event end, dtend, ends at"},
		{schema.FieldEndAt, DateOnly, "end date, date to, event end date"},
		{schema.FieldEndAt, ClockOnly, "end time, event end time"},
		{schema.FieldTimezone, Whole, "time zone, event timezone, event time zone, tz"},
		{schema.FieldAddress, Whole, "location, venue, venue name, event venue name, event location, place"},
		{schema.FieldDescriptionMD, Whole, "description, details, content, event description"},
		{schema.FieldMaxCapacity, Whole, "capacity, max attendees, event spaces"},
		{schema.FieldMeetingURL, Whole, "url, link"},
		{schema.FieldCoverURL, Whole, "photo url, image url, event featured image"},
		{schema.FieldKey, Whole, "id, uid, event uid, external id"},
		{schema.FieldCalendarID, Whole, "calendar"},
		{schema.FieldLatitude, Whole, "latitude, lat"},
		{schema.FieldLongitude, Whole, "longitude, long, lng, lon"},
	} {
		for name := range strings.SplitSeq(line.names, ", ") {
			table[name] = Claim{Field: line.id.Field(), Part: line.part, rank: rankAlias}
		}
	}
	return table
}()

// fieldPaths returns the fields of a resource by their normalised paths.
func fieldPaths(r *schema.Resource) map[string]*schema.Field {
	byPath := namedFields()
	return byPath[r]
}

// namedFields finds the fields of each resource by their paths and other names.
var namedFields = sync.OnceValue(func() map[*schema.Resource]map[string]*schema.Field {
	all := map[*schema.Resource]map[string]*schema.Field{}
	for _, r := range schema.Resources {
		table := make(map[string]*schema.Field, len(r.Columns()))
		for _, f := range r.Columns() {
			for _, alias := range f.Aliases {
				table[alias] = f
			}
		}
		for _, f := range r.Columns() {
			table[sheet.NormalHeader(f.Path)] = f
		}
		all[r] = table
	}
	return all
})
