// Package check validates rules across the fields of a row, and across rows.
package check

import (
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
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
	switch d.Action {
	case schema.Skip:
		return
	case schema.Cancel:
		c.identified()
		return
	case schema.Delete:
		Required(d, schema.OnDelete, emit)
		return
	case schema.Invite:
		c.invites()
	case schema.Create:
		c.creates()
	case schema.Update:
		c.changes()
		Required(d, schema.OnUpdate, emit)
	case schema.Upsert:
		c.either()
	}
	if d.Resource.Keyed() {
		c.asks()
		c.times()
	}
	if severity := schema.Warning; d.Resource == catalog.Blasts {
		if d.Action == schema.Create {
			severity = schema.Error
		}
		Ahead(d, r.Now, severity, emit)
	}
	d.Conflicts(func(id schema.ID, f *schema.Fault) { c.cell(schema.Error, f.Code, id, f.Message, f.Hint) })
	if d.Resource.Keyed() {
		c.pictures()
	}
}

// Ahead checks that what is sent later is not to be sent in the past, which the service
// refuses of a new record: a row that may be about one that was sent is warned of.
func Ahead(d *schema.Draft, now time.Time, severity schema.Severity, emit func(schema.Problem)) {
	f, ok := d.Resource.ByPath("scheduled_for")
	if !ok || now.IsZero() {
		return
	}
	if at, set := instant(d, f.ID); set && at < now.UnixMilli() {
		c := checker{draft: d, emit: emit}
		c.cell(severity, schema.CodeInThePast, f.ID, f.Path+" is in the past",
			"leave it blank to send the "+d.Resource.One+" at once; what was sent already stays as it is")
	}
}

// Required checks that the draft has what the operation cannot do without: for a
// create whatever the table of fields says, for an update the event's id, its key
// or its slug. Row calls it where the operation is certain; whoever decides the
// operation of an upsert later calls it then.
func Required(d *schema.Draft, op schema.Actions, emit func(schema.Problem)) {
	c := checker{draft: d, emit: emit}
	if op == schema.OnUpdate && d.Resource.Keyed() {
		c.identified()
		return
	}
	if d.Resource.Named == catalog.Path(schema.FieldKey) && d.Key == "" && d.Text(d.Resource.IDField().ID) == "" {
		c.lacks(schema.FieldKey, "nothing names the "+d.Resource.One, "fill in a key of your own")
	}
	if r := d.Resource; r.Or != "" && d.Name() == "" && d.Value(r.ID) == "" {
		c.lacks(d.Naming().ID, "nothing names the "+r.One, "fill in "+r.Named+" or "+r.Or)
		return
	}
	if op == schema.OnCreate {
		c.wants()
	}
	for _, f := range d.Resource.Required() {
		if f.Required.Has(op) && !c.given(f) && !d.Implied(f) {
			of := d.Resource.Some()
			c.lacks(f.ID, f.Path+" is missing, and "+of+" cannot be "+past(op)+" without it",
				"fill it in; a row that is no "+d.Resource.One+", such as a heading or a total, can have the action SKIP")
		}
	}
}

// wants reports what a record cannot be created without because of what another field says.
func (c *checker) wants() {
	d := c.draft
	for i := range d.Resource.Rules {
		rule := &d.Resource.Rules[i]
		wanted := rule.Kind == schema.Wants && d.Value(rule.B) == rule.Is && d.Value(rule.But) != "true"
		if !wanted || strings.Trim(d.Value(rule.A), "0") != "" {
			continue
		}
		f, _ := d.Resource.ByPath(rule.A)
		message := f.Path + " is missing, and " + d.Resource.Some() + " whose " + rule.B + " is " + rule.Is +
			" cannot be created without it"
		if d.Has(f.ID) {
			c.cell(schema.Error, schema.CodeMissingValue, f.ID, message, rule.Hint)
			continue
		}
		c.lacks(f.ID, message, rule.Hint)
	}
}

// given reports whether the row sets the field, or a part of the object that it is.
func (c *checker) given(f *schema.Field) bool {
	if s := c.draft.Get(f.ID); s != nil || f.Kind != schema.Object {
		return s != nil && s.State == schema.Set
	}
	return slices.ContainsFunc(
		c.draft.Settings, func(s schema.Setting) bool { return s.State == schema.Set && catalog.Field(s.Field).Of == f.ID },
	)
}

func past(op schema.Actions) string {
	switch op {
	case schema.OnCreate:
		return "created"
	case schema.OnDelete:
		return "deleted"
	case schema.OnInvite:
		return "invited"
	}
	return "changed"
}

type checker struct {
	draft *schema.Draft
	rules *Rules
	emit  func(schema.Problem)
}

// cell reports a problem at the cell of a setting.
func (c *checker) cell(severity schema.Severity, code schema.Code, id schema.ID, message, hint string) {
	p := schema.Problem{Severity: severity, Code: code, Field: catalog.Path(id), Place: c.draft.Place, Message: message, Hint: hint}
	if s := c.draft.Get(id); s != nil {
		if s.Untouched {
			return // the record has this value, whatever a rule says
		}
		p.Place.Column, p.Value = s.Column, s.Text
	}
	c.emit(p)
}

// lacks reports a field that the row lacks.
func (c *checker) lacks(id schema.ID, message, hint string) {
	c.emit(schema.Problem{Code: schema.CodeMissingValue, Field: catalog.Path(id), Place: c.draft.Place, Message: message, Hint: hint})
}

func (c *checker) identified() {
	if d := c.draft; d.Text(catalog.FieldEventID) == "" && d.Key == "" && d.Text(catalog.FieldSlug) == "" {
		c.lacks(catalog.FieldEventID, "nothing says which event this is", "fill event_id, key or slug")
	}
}

// creates checks a row that creates a record: it has what the operation needs, and is
// warned of fields that it is sent without.
func (c *checker) creates() {
	d := c.draft
	for i := range d.Settings {
		f := catalog.Field(d.Settings[i].Field)
		switch {
		case f.Local || f.On.Has(schema.OnCreate):
		case f.ID == catalog.FieldEventID:
			c.cell(
				schema.Error, schema.CodeWrongOperation, f.ID, "the row creates an event and names one that exists",
				"leave event_id blank, or say UPDATE",
			)
		case f.Path == d.Resource.Quiet:
			c.cell(
				schema.Warning, schema.CodeFieldLeftOut, f.ID,
				f.Path+" is left out: nobody is mailed when "+d.Resource.Some()+" is created", "",
			)
		default:
			c.cell(
				schema.Warning, schema.CodeFieldLeftOut, f.ID, f.Path+" is left out: "+d.Resource.Some()+" cannot be created with it", "",
			)
		}
	}
	Required(d, schema.OnCreate, c.emit)
}

// invites reports what cannot be said together with an invitation.
func (c *checker) invites() {
	for i := range c.draft.Settings {
		if f := catalog.Field(c.draft.Settings[i].Field); !f.Local && !f.On.Has(schema.OnInvite) {
			c.cell(
				schema.Error, schema.CodeWrongOperation, f.ID, "an invitation cannot say "+f.Path,
				"leave the cell blank, or say UPSERT to have the "+c.draft.Resource.One+" added or changed",
			)
		}
	}
	Required(c.draft, schema.OnInvite, c.emit)
}

// changes reports the fields that an update does not take.
func (c *checker) changes() {
	for i := range c.draft.Settings {
		f := catalog.Field(c.draft.Settings[i].Field)
		switch {
		case f.Local || f.On.Has(schema.OnUpdate):
			continue
		case f.On == schema.OnCancel:
			c.cell(
				schema.Warning, schema.CodeFieldLeftOut, f.ID,
				f.Path+" is left out: it says how "+c.draft.Resource.Some()+" is cancelled", "",
			)
			continue
		}
		hint := "leave the cell blank"
		if c.draft.Resource.Keyed() {
			hint += ", and change it on the event's page"
		}
		c.cell(
			schema.Error, schema.CodeWrongOperation, f.ID,
			f.Path+" can be set only when "+c.draft.Resource.Some()+" is created, and the row names one that exists", hint,
		)
	}
}

// either checks a row of which the plan finds out whether it creates, as far as the
// row itself says it.
func (c *checker) either() {
	switch d := c.draft; {
	case !d.Resource.Keyed():
		Required(d, schema.OnBoth, c.emit) // what both need
	case d.Has(catalog.FieldEventID):
		c.changes()
	case d.Key == "" && !d.Has(catalog.FieldSlug):
		Required(d, schema.OnCreate, c.emit) // nothing can find an event that exists
	}
}

// asks warns of a row that names an event and says nothing about it.
func (c *checker) asks() {
	d := c.draft
	for i := range d.Settings {
		if f := catalog.Field(d.Settings[i].Field); !f.Manner && !d.Resource.Names(f) {
			return
		}
	}
	if d.Has(catalog.FieldEventID) && d.Calendar != "" {
		return // which may move it
	}
	if d.Action == schema.Update || d.Has(catalog.FieldEventID) {
		c.emit(schema.Problem{
			Severity: schema.Warning, Code: schema.CodeNothingToDo, Place: c.draft.Place,
			Message: "the row names an event and changes nothing about it", Hint: "fill in a cell, or set the action to SKIP",
		})
	}
}

func (c *checker) times() {
	d := c.draft
	start, hasStart := instant(d, catalog.FieldStartAt)
	end, hasEnd := instant(d, catalog.FieldEndAt)
	switch {
	case hasStart && hasEnd && end <= start:
		message, hint := "end_at is before start_at", "an event that goes past midnight ends on the next day: check the date of the end"
		if end == start {
			message, hint = "end_at is the same as start_at", "leave end_at blank where the end is not known"
		}
		at := catalog.FieldEndAt
		if d.Get(at).Untouched {
			at = catalog.FieldStartAt
		}
		c.cell(schema.Error, schema.CodeEndBeforeStart, at, message, hint)
	case hasStart && !hasEnd && (d.Action == schema.Update || d.Has(catalog.FieldEventID)):
		c.cell(
			schema.Warning, schema.CodeEndNotMoved, catalog.FieldStartAt, "if start_at moves, the end stays where it is",
			"fill end_at too",
		)
	}
	if !hasStart || c.rules.Now.IsZero() {
		return
	}
	switch ahead := start - c.rules.Now.UnixMilli(); {
	case ahead < 0:
		c.cell(schema.Warning, schema.CodeInThePast, catalog.FieldStartAt, "start_at is in the past", "")
	case ahead > farAhead.Milliseconds():
		c.cell(schema.Warning, schema.CodeOutOfRange, catalog.FieldStartAt, "start_at is more than five years ahead", "check the year")
	}
}

func instant(d *schema.Draft, id schema.ID) (int64, bool) {
	if s := d.Get(id); s != nil && s.State == schema.Set {
		return s.Instant, true
	}
	return 0, false
}

func (c *checker) pictures() {
	base := c.rules.ImageBase
	if base == "" {
		return
	}
	if s := c.draft.Get(catalog.FieldCoverURL); s != nil && s.State == schema.Set && !value.OnHost(base, s.Text) {
		c.cell(
			schema.Error, schema.CodeWrongImageHost, catalog.FieldCoverURL, "the picture is not on the image host "+base,
			"put the path of a local picture into cover_file, or upload it first",
		)
	}
	s := c.draft.Get(catalog.FieldDescriptionMD)
	if s == nil || s.State != schema.Set || s.Untouched || strings.IndexByte(s.Text, '!') < 0 {
		return
	}
	for address := range images(s.Text) {
		if !value.OnHost(base, address) {
			p := schema.Problem{
				Code: schema.CodeWrongImageHost, Field: catalog.Path(catalog.FieldDescriptionMD), Place: c.draft.Place, Value: address,
				Message: "the image " + address + " is not on the image host " + base,
				Hint:    "upload it first, or link to it without the exclamation mark",
			}
			p.Place.Column = s.Column
			c.emit(p)
		}
	}
}
