package check

import "eventbatch/mapping/schema"

// exclusive lists pairs of fields of which one row may have only one. The second
// is where the problem is shown.
var exclusive = [...]struct {
	a, b schema.ID
	why  string
}{
	{schema.FieldMeetingURL, schema.FieldCreateMeeting, "creating a meeting makes its own meeting_url"},
	{schema.FieldGeoAddress, schema.FieldCreateMeeting, "an event with a created meeting has no place"},
	{schema.FieldCoverURL, schema.FieldCoverFile, "an uploaded picture becomes the cover_url"},
	{schema.FieldSuppressEmail, schema.FieldSuppressNotices, "suppress_notifications is the old name of suppress_email"},
}

func (c *checker) pairs() {
	for i := range exclusive {
		x := &exclusive[i]
		if sets(c.draft, x.b) && sets(c.draft, x.a) {
			c.cell(
				schema.Error, schema.CodeExclusiveFields, x.b, x.b.Path()+" cannot be combined with "+x.a.Path()+": "+x.why,
				"keep one of the two",
			)
		}
	}
}

// sets reports whether the draft gives the field a value other than an empty text,
// which takes something away and conflicts with nothing.
func sets(d *schema.Draft, id schema.ID) bool {
	if !d.Has(id) {
		return false
	}
	s := d.Get(id)
	return s.State == schema.Set && s.Text != ""
}

// wholes are the objects that may come in one cell or in several, by their parts.
var wholes = [...]struct {
	whole schema.ID
	parts []schema.ID
}{
	{schema.FieldGeoAddress, []schema.ID{
		schema.FieldGeoType, schema.FieldGeoAddressText, schema.FieldGeoPlaceID, schema.FieldGeoQuery, schema.FieldGeoDescription,
		schema.FieldAddress, schema.FieldPlaceID, schema.FieldQuery,
	}},
	{schema.FieldCoordinate, []schema.ID{schema.FieldLatitude, schema.FieldLongitude}},
	{schema.FieldFeedbackEmail, []schema.ID{schema.FieldFeedbackEnabled, schema.FieldFeedbackDelay}},
}

// parts checks objects that come in several columns.
func (c *checker) parts() {
	d := c.draft
	for i := range wholes {
		if !d.Has(wholes[i].whole) {
			continue
		}
		for _, id := range wholes[i].parts {
			if d.Has(id) {
				c.cell(
					schema.Error, schema.CodeExclusiveFields, id,
					id.Path()+" cannot be combined with "+wholes[i].whole.Path()+", which it is a part of",
					"keep the whole or its parts",
				)
			}
		}
	}
	latitude, longitude := d.Has(schema.FieldLatitude), d.Has(schema.FieldLongitude)
	switch {
	case latitude && !longitude:
		c.cell(
			schema.Error, schema.CodeHalfCoordinate, schema.FieldLatitude,
			"coordinate.latitude is filled in and coordinate.longitude is blank", "fill in both, or leave both blank",
		)
	case longitude && !latitude:
		c.cell(
			schema.Error, schema.CodeHalfCoordinate, schema.FieldLongitude,
			"coordinate.longitude is filled in and coordinate.latitude is blank", "fill in both, or leave both blank",
		)
	}
	if d.Has(schema.FieldFeedbackDelay) && !d.Has(schema.FieldFeedbackEnabled) && !d.Has(schema.FieldFeedbackEmail) {
		c.cell(
			schema.Error, schema.CodeDelayWithoutOn, schema.FieldFeedbackDelay,
			"feedback_email.delay is filled in and feedback_email.enabled is blank",
			"write true or false into feedback_email.enabled",
		)
	}
	if !d.Has(schema.FieldGeoAddress) {
		c.location()
	}
}

// places are the parts that say where an event is, each of one variant of a
// location (service: geo_address_json variants) and with a short name.
var places = [...]struct {
	ids     [2]schema.ID
	variant string
}{
	{[...]schema.ID{schema.FieldGeoAddressText, schema.FieldAddress}, "manual"},
	{[...]schema.ID{schema.FieldGeoPlaceID, schema.FieldPlaceID}, "google"},
	{[...]schema.ID{schema.FieldGeoQuery, schema.FieldQuery}, "lookup"},
}

// location checks that the parts of a location make one of its variants.
func (c *checker) location() {
	d := c.draft
	said := d.Text(schema.FieldGeoType)
	first, variant := schema.FieldGeoType, said // of the first part that the row has
	lacking := said != ""
	for i := range places {
		for _, id := range places[i].ids {
			if !d.Has(id) {
				continue
			}
			switch {
			case variant == "":
				first, variant = id, places[i].variant
			case variant != places[i].variant && said != "":
				c.wrongVariant(id, said)
			case variant != places[i].variant:
				c.cell(
					schema.Error, schema.CodeExclusiveFields, id,
					id.Path()+" cannot be combined with "+first.Path()+": an event has one place", "keep one of the two",
				)
			case lacking:
				first, lacking = id, false
			default:
				c.cell(
					schema.Error, schema.CodeExclusiveFields, id, id.Path()+" says the same thing as "+first.Path(),
					"keep one of the two",
				)
			}
		}
	}
	if lacking {
		c.cell(
			schema.Error, schema.CodeIncompleteObject, schema.FieldGeoType, "a location of type "+said+" lacks its "+shortOf(said),
			"fill in "+shortOf(said)+" too",
		)
	}
	if d.Has(schema.FieldGeoDescription) && variant != "google" {
		if variant == "" {
			c.cell(
				schema.Error, schema.CodeIncompleteObject, schema.FieldGeoDescription,
				"geo_address_json.description describes a google place, and the row has none", "fill in place_id too",
			)
		} else {
			c.wrongVariant(schema.FieldGeoDescription, variant)
		}
	}
	if d.Has(first) && sets(d, schema.FieldCreateMeeting) {
		c.cell(
			schema.Error, schema.CodeExclusiveFields, schema.FieldCreateMeeting,
			"create_meeting cannot be combined with "+first.Path()+": an event with a created meeting has no place",
			"keep one of the two",
		)
	}
}

func (c *checker) wrongVariant(id schema.ID, variant string) {
	c.cell(
		schema.Error, schema.CodeExclusiveFields, id, id.Path()+" does not belong to a location of type "+variant,
		"keep the parts of one kind of location",
	)
}

func shortOf(variant string) string {
	for i := range places {
		if places[i].variant == variant {
			return places[i].ids[1].Path()
		}
	}
	return "part"
}
