package check

import (
	"strings"

	"eventbatch/mapping/schema"
)

// record checks a row of another resource than events, by what its table says.
func (c *checker) record() {
	d := c.draft
	switch d.Action {
	case schema.Create:
		Required(d, schema.OnCreate, c.emit)
		c.leftOut(schema.OnCreate)
	case schema.Update:
		Required(d, schema.OnUpdate, c.emit)
		c.refused(schema.OnUpdate)
	case schema.Delete:
		Required(d, schema.OnDelete, c.emit)
		return
	default:
		// Whether an upsert creates is the plan's to find out: what both need is needed.
		Required(d, schema.OnBoth, c.emit)
	}
	for i := range d.Resource.Rules {
		c.rule(&d.Resource.Rules[i])
	}
}

// leftOut warns of fields that the action's operation does not take.
func (c *checker) leftOut(on schema.Actions) {
	for i := range c.draft.Settings {
		if f := c.draft.Settings[i].Field.Field(); !f.Local && !f.On.Has(on) {
			c.cell(schema.Warning, schema.CodeFieldLeftOut, f.ID,
				f.Path+" is left out: "+c.draft.Resource.Some()+" cannot be created with it", "")
		}
	}
}

// refused reports fields that the action's operation does not take.
func (c *checker) refused(on schema.Actions) {
	for i := range c.draft.Settings {
		if f := c.draft.Settings[i].Field.Field(); !f.Local && !f.On.Has(on) {
			c.cell(schema.Error, schema.CodeWrongOperation, f.ID,
				f.Path+" can be set only when "+c.draft.Resource.Some()+" is created, and the row changes one that exists",
				"leave the cell blank")
		}
	}
}

// rule checks what two fields keep together.
func (c *checker) rule(r *schema.Rule) {
	f, _ := c.draft.Resource.ByPath(r.A)
	g, _ := c.draft.Resource.ByPath(r.B)
	first, second := c.draft.Get(f.ID), c.draft.Get(g.ID)
	switch r.Kind {
	case schema.Exclusive:
		if sets(c.draft, f.ID) && sets(c.draft, g.ID) {
			c.cell(schema.Error, schema.CodeExclusiveFields, g.ID, g.Path+" cannot be combined with "+f.Path, "keep one of the two")
		}
	case schema.Needs:
		if first != nil && second == nil {
			c.cell(schema.Error, schema.CodeIncompleteObject, f.ID, f.Path+" is filled in and "+g.Path+" is blank", "fill in "+g.Path+" too")
		}
	case schema.Before:
		if first != nil && second != nil && first.State == schema.Set && second.State == schema.Set && second.Instant <= first.Instant {
			c.cell(schema.Error, schema.CodeEndBeforeStart, g.ID, g.Path+" is not after "+f.Path, "make "+g.Path+" later than "+f.Path)
		}
	case schema.Unless:
		if first != nil && second != nil && strings.EqualFold(second.Text, "false") {
			c.cell(
				schema.Error, schema.CodeExclusiveFields, f.ID, f.Path+" has no use where "+g.Path+" is false",
				"leave one of the two blank",
			)
		}
	}
}
