package plan

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
)

// creation is the planning of a record that is not there yet.
type creation struct{ *row }

// create plans an event that is not there yet.
func (c creation) create() {
	op, d, known := c.op, c.d, &c.known
	if c.lacks() {
		return
	}
	reason := newness(op.Event.Key)
	switch {
	case known.Gone:
		reason = "run " + known.Run + " found the earlier event missing"
	case known.Cancelled && c.config.BackAgain != nil && c.config.BackAgain(&op.Event, *known):
		reason = "back again"
	case known.Cancelled:
		reason = "run " + known.Run + " cancelled the earlier event"
	}
	if op.Event.Slug == "" && c.config.Options.Slug != "keep" {
		op.Event.Slug = DeriveSlug(op.Event.Name, op.Event.Calendar, op.Event.Key)
		op.Event.Derived = true
		d.Put(schema.Setting{Field: catalog.FieldSlug, State: schema.Set, Column: -1, Text: op.Event.Slug})
	}
	op.Strict = d.Action == schema.Create
	c.request(schema.Create, reason)
}

// lacks refuses a row that lacks what making its record needs.
func (c creation) lacks() bool {
	before := len(c.op.Problems)
	emit := func(problem schema.Problem) { c.op.Problems = append(c.op.Problems, problem) }
	check.Required(c.d, schema.OnCreate, emit)
	check.Ahead(c.d, c.config.Now, schema.Error, emit)
	lacks := len(c.op.Problems) > before
	if lacks {
		c.op.Action, c.op.Reason = Invalid, "the row makes "+c.d.Resource.Some()+", and lacks what that needs"
	}
	return lacks
}

// add plans a record that is not there yet.
func (c creation) add() {
	op, d := c.op, c.d
	if d.Touch() { // it was exported, and is gone since
		if err := content(c).hash(); err != nil {
			c.unsound(err)
			return
		}
	}
	operation := c.operation(schema.Create)
	rest, refused := c.refusedAt(operation)
	if refused || c.lacks() || !reference(c).refer() || !answer(c.row) {
		return
	}
	for i := range d.Settings {
		if s := &d.Settings[i]; catalog.Field(s.Field).Kind == schema.List && s.State == schema.Clear {
			s.Untouched = true // what is new has none
		}
	}
	op.Strict = d.Action == schema.Create
	reason := "the " + d.Resource.One + " is new"
	if rest == nil {
		reason += unsent(d, operation, nil)
	}
	c.request(schema.Create, reason)
	if rest != nil && op.Action == Create {
		choice(c).further(rest, "a new "+d.Resource.One+" is changed once it is there")
	}
}

// refusedAt refuses a row with a value that nothing can be made with, or returns the row with what is brought once
// the record is there, nil where the operation that makes it brings all.
func (c creation) refusedAt(makes *schema.Operation) (rest *schema.Draft, refused bool) {
	d, of := c.d, c.d.Resource
	for path, values := range makes.Refuses {
		value := d.Value(path)
		switch {
		case !slices.Contains(values, value):
			continue
		case makes.Then != "":
			rest = d.Clone()
			for i := range rest.Settings {
				s := &rest.Settings[i]
				s.Untouched = s.Untouched || catalog.Path(s.Field) != path
			}
			continue
		case d.Action == schema.Create:
			c.refuseAt(path, schema.CodeBadEnum, fmt.Sprintf("%s cannot be made with the %s %s", of.Some(), path, value),
				"say UPSERT, or leave the action blank: the row is then skipped where there is no such "+of.One)
		default:
			c.op.skip(fmt.Sprintf("there is no such %s that could become %s", of.One, value))
		}
		return nil, true
	}
	return rest, false
}

// unsent names what the row says and the operation that adds its record cannot, where no request has brought it
// since; empty where there is nothing. agreed is what runs know that the two sides have agreed on.
func unsent(d *schema.Draft, adds *schema.Operation, agreed map[string]Base) string {
	var reason strings.Builder
	for i := range d.Settings {
		if s := &d.Settings[i]; !s.Untouched && s.Text != catalog.Field(s.Field).Default && left(adds, catalog.Field(s.Field), agreed) {
			reason.WriteString(", and what its " + catalog.Path(s.Field) + " is the service says")
		}
	}
	return reason.String()
}

// left reports whether the operation that adds a record says nothing of a field, and no other request since.
func left(adds *schema.Operation, f *schema.Field, agreed map[string]Base) bool {
	_, sent := agreed[f.Path]
	return !sent && f.On.Has(schema.OnCreate) && !f.Manner && f.Each == nil && adds != nil && !adds.Takes(f)
}
