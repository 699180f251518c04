// Package check holds the rules that no single value can break.
package check

import (
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// Rules is what the rules of a row need to know beyond the row.
type Rules struct {
	// Now tells past from future; the zero time leaves those rules out.
	Now time.Time
	// ImageBase is the address below which pictures have to lie (service:
	// cover_url); empty leaves them unchecked.
	ImageBase string
}

// farAhead is how far ahead an event may start before its year looks mistyped.
const farAhead = 5 * 366 * 24 * time.Hour

// Row checks a draft for what its fields say together. It calls emit for each
// problem, with the cell of the setting that is most likely wrong, or the whole
// row where a field is missing. Nothing is allocated for a draft without problems.
func Row(d *schema.Draft, r *Rules, emit func(schema.Problem)) {
	c := checker{d, r, emit}
	if d.Action == schema.Skip {
		return
	}
	if d.Action == schema.Cancel {
		c.identified()
		return
	}
	c.operation()
	c.required()
	c.asks()
	c.times()
	c.places()
	c.parts()
	c.pictures()
}

// Required checks that the draft has what the operation cannot do without: for a
// create whatever the table of fields says, for an update the event's id, its key
// or its slug. Row calls it where the operation is certain; whoever decides the
// operation of an upsert later calls it then.
func Required(d *schema.Draft, op schema.Operation, emit func(schema.Problem)) {
	c := checker{draft: d, emit: emit}
	if op == schema.OnUpdate {
		c.identified()
		return
	}
	for _, id := range requiredOnCreate {
		if s := d.Get(id); s == nil || s.State != schema.Set {
			c.row(schema.CodeMissingValue, id, id.Path()+" is missing, and an event cannot be created without it", "")
		}
	}
}

var requiredOnCreate = func() (ids []schema.ID) {
	for i := range schema.Fields {
		if schema.Fields[i].Required.Has(schema.OnCreate) {
			ids = append(ids, schema.Fields[i].ID)
		}
	}
	return ids
}()

type checker struct {
	draft *schema.Draft
	rules *Rules
	emit  func(schema.Problem)
}

// cell reports a problem at the cell of a setting.
func (c *checker) cell(severity schema.Severity, code schema.Code, id schema.ID, message, hint string) {
	p := schema.Problem{Severity: severity, Code: code, Field: id.Path(), Place: c.draft.Place, Message: message, Hint: hint}
	if s := c.draft.Get(id); s != nil {
		p.Place.Column, p.Value = s.Column, s.Text
	}
	c.emit(p)
}

// row reports a problem of a field that the row lacks.
func (c *checker) row(code schema.Code, id schema.ID, message, hint string) {
	c.emit(schema.Problem{Code: code, Field: id.Path(), Place: c.draft.Place, Message: message, Hint: hint})
}

func (c *checker) identified() {
	if d := c.draft; d.Text(schema.FieldEventID) == "" && d.Key == "" && d.Text(schema.FieldSlug) == "" {
		c.row(schema.CodeMissingValue, schema.FieldEventID, "nothing says which event this is", "fill event_id, key or slug")
	}
}

// onlyUpdate are fields that only the update operation takes. A row that creates
// is sent without them.
var onlyUpdate = [...]schema.ID{schema.FieldSuppressEmail, schema.FieldSuppressNotices}

func (c *checker) operation() {
	d := c.draft
	switch d.Action {
	case schema.Create:
		if d.Has(schema.FieldEventID) {
			c.cell(schema.Error, schema.CodeWrongOperation, schema.FieldEventID, "the row creates an event and names one that exists", "leave event_id blank, or say UPDATE")
		}
		for _, id := range onlyUpdate {
			if d.Has(id) {
				c.cell(schema.Warning, schema.CodeWrongOperation, id, id.Path()+" is left out: nobody is mailed when an event is created", "")
			}
		}
	case schema.Update:
		c.notOnUpdate(schema.Error)
	case schema.Upsert:
		if d.Has(schema.FieldEventID) {
			c.notOnUpdate(schema.Warning)
		}
	}
}

// notOnUpdate reports the ticket types of an update: an error where the row asks
// for an update, a warning where it would also create.
func (c *checker) notOnUpdate(severity schema.Severity) {
	if !c.draft.Has(schema.FieldTicketTypes) {
		return
	}
	message, hint := "an update cannot change ticket types", "leave the cell blank, and change ticket types on the event's page"
	if severity == schema.Warning {
		message, hint = "ticket_types is left out: the event exists, and an update cannot change them", ""
	}
	c.cell(severity, schema.CodeWrongOperation, schema.FieldTicketTypes, message, hint)
}

func (c *checker) required() {
	d := c.draft
	switch {
	case d.Action == schema.Create:
		Required(d, schema.OnCreate, c.emit)
	case d.Action == schema.Update:
		Required(d, schema.OnUpdate, c.emit)
	case !d.Has(schema.FieldEventID) && d.Key == "" && !d.Has(schema.FieldSlug):
		// Nothing can find an event that exists, so this one is created.
		Required(d, schema.OnCreate, c.emit)
	}
}

// asks warns of a row that names an event and says nothing about it.
func (c *checker) asks() {
	for i := range c.draft.Settings {
		switch c.draft.Settings[i].Field {
		case schema.FieldEventID, schema.FieldSuppressEmail, schema.FieldSuppressNotices:
		default:
			return
		}
	}
	if c.draft.Action == schema.Update || c.draft.Has(schema.FieldEventID) {
		c.emit(schema.Problem{
			Severity: schema.Warning, Code: schema.CodeNothingToDo, Place: c.draft.Place,
			Message: "the row names an event and asks for nothing", Hint: "fill a cell, or set the action to SKIP",
		})
	}
}

func (c *checker) times() {
	d := c.draft
	start, hasStart := instant(d, schema.FieldStartAt)
	end, hasEnd := instant(d, schema.FieldEndAt)
	switch {
	case hasStart && hasEnd && end <= start:
		message, hint := "end_at is before start_at", "an event that ends after midnight ends on the next date"
		if end == start {
			message, hint = "end_at is the same as start_at", "leave end_at blank where the end is not known"
		}
		c.cell(schema.Error, schema.CodeEndBeforeStart, schema.FieldEndAt, message, hint)
	case hasStart && !hasEnd && (d.Action == schema.Update || d.Has(schema.FieldEventID)):
		c.cell(schema.Warning, schema.CodeEndNotMoved, schema.FieldStartAt, "start_at moves and end_at stays where it is", "fill end_at too")
	}
	if !hasStart || c.rules.Now.IsZero() {
		return
	}
	switch ahead := start - c.rules.Now.UnixMilli(); {
	case ahead < 0:
		c.cell(schema.Warning, schema.CodeInThePast, schema.FieldStartAt, "start_at is in the past", "")
	case ahead > farAhead.Milliseconds():
		c.cell(schema.Warning, schema.CodeOutOfRange, schema.FieldStartAt, "start_at is more than five years ahead", "check the year")
	}
}

func instant(d *schema.Draft, id schema.ID) (int64, bool) {
	if s := d.Get(id); s != nil && s.State == schema.Set {
		return s.Instant, true
	}
	return 0, false
}

// exclusive lists pairs of fields of which one row may have only one. The second
// is where the problem is shown.
var exclusive = [...]struct {
	a, b schema.ID
	why  string
}{
	{schema.FieldMeetingURL, schema.FieldCreateMeeting, "creating a meeting makes its own meeting_url"},
	{schema.FieldGeoAddress, schema.FieldCreateMeeting, "an event with a created meeting has no place"},
	{schema.FieldGeoAddress, schema.FieldAddress, "address is short for a whole geo_address_json"},
	{schema.FieldGeoAddress, schema.FieldPlaceID, "place_id is short for a whole geo_address_json"},
	{schema.FieldGeoAddress, schema.FieldQuery, "query is short for a whole geo_address_json"},
	{schema.FieldAddress, schema.FieldPlaceID, "an event has one place"},
	{schema.FieldAddress, schema.FieldQuery, "an event has one place"},
	{schema.FieldPlaceID, schema.FieldQuery, "an event has one place"},
	{schema.FieldCoverURL, schema.FieldCoverFile, "an uploaded picture becomes the cover_url"},
	{schema.FieldSuppressEmail, schema.FieldSuppressNotices, "suppress_notifications is the old name of suppress_email"},
}

// geoParts are the ways to say a part of a location, with the variants that it
// belongs to (service: geo_address_json variants).
var geoParts = [...]struct {
	long, short schema.ID
	variant     string
}{
	{schema.FieldGeoAddressText, schema.FieldAddress, "manual"},
	{schema.FieldGeoPlaceID, schema.FieldPlaceID, "google"},
	{schema.FieldGeoQuery, schema.FieldQuery, "lookup"},
	{schema.FieldGeoDescription, schema.FieldGeoDescription, "google"},
}

func (c *checker) places() {
	d := c.draft
	for i := range exclusive {
		x := &exclusive[i]
		if sets(d, x.a) && sets(d, x.b) {
			c.cell(schema.Error, schema.CodeExclusiveFields, x.b, x.b.Path()+" cannot be combined with "+x.a.Path()+": "+x.why, "keep one of the two")
		}
	}
	var located schema.ID // the first part of a location that the row sets
	variant := d.Text(schema.FieldGeoType)
	complete := variant == ""
	for i := range geoParts {
		p := &geoParts[i]
		id := p.long
		if !sets(d, id) {
			id = p.short
		} else if p.short != p.long && sets(d, p.short) {
			c.cell(schema.Error, schema.CodeExclusiveFields, p.short, p.short.Path()+" and "+p.long.Path()+" say the same thing", "keep one of the two")
		}
		if !d.Has(id) {
			continue
		}
		switch {
		case id != p.short && sets(d, schema.FieldGeoAddress):
			c.cell(schema.Error, schema.CodeExclusiveFields, id, id.Path()+" cannot be combined with geo_address_json, which it is a part of", "keep the whole or its parts")
		case variant != "" && variant != p.variant:
			c.cell(schema.Error, schema.CodeExclusiveFields, id, id.Path()+" does not belong to a location of type "+variant, "keep the parts of one kind of location")
		case variant == "" && located != 0 && id == p.long && id != schema.FieldGeoDescription && !shortPair(located, id):
			c.cell(schema.Error, schema.CodeExclusiveFields, id, id.Path()+" cannot be combined with "+located.Path()+": an event has one place", "keep one of the two")
		case id == schema.FieldGeoDescription && variant == "" && !sets(d, schema.FieldGeoPlaceID) && !sets(d, schema.FieldPlaceID):
			c.cell(schema.Error, schema.CodeIncompleteObject, id, id.Path()+" describes a google place, and the row has none", "fill place_id too")
		}
		if p.variant == variant && id != schema.FieldGeoDescription {
			complete = true
		}
		if located == 0 {
			located = id
		}
	}
	if !complete {
		c.cell(schema.Error, schema.CodeIncompleteObject, schema.FieldGeoType, "a location of type "+variant+" lacks its "+partOf(variant), "fill "+partOf(variant)+" too")
	}
	if located == 0 {
		located = schema.FieldGeoType
	}
	if located != schema.FieldGeoAddress && d.Has(located) && sets(d, schema.FieldCreateMeeting) {
		c.cell(schema.Error, schema.CodeExclusiveFields, schema.FieldCreateMeeting, "create_meeting cannot be combined with "+located.Path()+": an event with a created meeting has no place", "keep one of the two")
	}
	if d.Has(schema.FieldGeoType) && sets(d, schema.FieldGeoAddress) {
		c.cell(schema.Error, schema.CodeExclusiveFields, schema.FieldGeoType, "geo_address_json.type cannot be combined with geo_address_json, which it is a part of", "keep the whole or its parts")
	}
}

// sets tells whether the draft gives the field a value other than an empty text,
// which takes something away and conflicts with nothing.
func sets(d *schema.Draft, id schema.ID) bool {
	if !d.Has(id) {
		return false
	}
	s := d.Get(id)
	return s.State == schema.Set && s.Text != ""
}

// shortPair tells whether two fields are the long and the short way to say one thing.
func shortPair(a, b schema.ID) bool {
	for i := range geoParts {
		if p := &geoParts[i]; (a == p.long || a == p.short) && (b == p.long || b == p.short) {
			return true
		}
	}
	return false
}

func partOf(variant string) string {
	for i := range geoParts {
		if geoParts[i].variant == variant {
			return geoParts[i].short.Path()
		}
	}
	return "part"
}

// parts checks objects that come in several columns.
func (c *checker) parts() {
	d := c.draft
	latitude, longitude := d.Has(schema.FieldLatitude), d.Has(schema.FieldLongitude)
	switch {
	case latitude && !longitude:
		c.cell(schema.Error, schema.CodeHalfCoordinate, schema.FieldLatitude, "coordinate.latitude is there without coordinate.longitude", "fill both or neither")
	case longitude && !latitude:
		c.cell(schema.Error, schema.CodeHalfCoordinate, schema.FieldLongitude, "coordinate.longitude is there without coordinate.latitude", "fill both or neither")
	}
	if d.Has(schema.FieldCoordinate) && (latitude || longitude) {
		id := schema.FieldLatitude
		if !latitude {
			id = schema.FieldLongitude
		}
		c.cell(schema.Error, schema.CodeExclusiveFields, id, id.Path()+" cannot be combined with coordinate, which it is a part of", "keep the whole or its parts")
	}
	if d.Has(schema.FieldFeedbackDelay) {
		switch {
		case d.Has(schema.FieldFeedbackEmail):
			c.cell(schema.Error, schema.CodeExclusiveFields, schema.FieldFeedbackDelay, "feedback_email.delay cannot be combined with feedback_email, which it is a part of", "keep the whole or its parts")
		case !d.Has(schema.FieldFeedbackEnabled):
			c.cell(schema.Error, schema.CodeDelayWithoutOn, schema.FieldFeedbackDelay, "feedback_email.delay is there without feedback_email.enabled", "fill feedback_email.enabled with true")
		}
	}
	if d.Has(schema.FieldFeedbackEnabled) && d.Has(schema.FieldFeedbackEmail) {
		c.cell(schema.Error, schema.CodeExclusiveFields, schema.FieldFeedbackEnabled, "feedback_email.enabled cannot be combined with feedback_email, which it is a part of", "keep the whole or its parts")
	}
}

func (c *checker) pictures() {
	base := c.rules.ImageBase
	if base == "" {
		return
	}
	if s := c.draft.Get(schema.FieldCoverURL); s != nil && s.State == schema.Set && !schema.OnHost(base, s.Text) {
		c.cell(schema.Error, schema.CodeWrongImageHost, schema.FieldCoverURL, "the picture does not lie below "+base, "put the path of a local picture into cover_file, or upload it first")
	}
	s := c.draft.Get(schema.FieldDescriptionMD)
	if s == nil || s.State != schema.Set || strings.IndexByte(s.Text, '!') < 0 {
		return
	}
	for address := range images(s.Text) {
		if !schema.OnHost(base, address) {
			p := schema.Problem{
				Code: schema.CodeWrongImageHost, Field: schema.FieldDescriptionMD.Path(), Place: c.draft.Place, Value: address,
				Message: "the image " + address + " does not lie below " + base, Hint: "upload it first, or link to it without the exclamation mark",
			}
			p.Place.Column = s.Column
			c.emit(p)
		}
	}
}
