package batch

import (
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// decided counts what the platform decides of new events, as their rows do not.
type decided struct {
	schema.Decided
	of []schema.Decided // by the number of the event
}

// event counts a new event. It is kept where something may be taken back.
func (c *decided) event(n int, d *schema.Draft, keep bool) {
	var lacks schema.Decided
	for _, each := range []struct {
		field schema.ID
		of    *int
	}{
		{catalog.FieldEndAt, &lacks.NoEnd}, {catalog.FieldVisibility, &lacks.NoVisibility}, {catalog.FieldTicketTypes, &lacks.NoTickets},
	} {
		if d.Text(each.field) == "" {
			*each.of = 1
		}
	}
	c.add(lacks, 1)
	if keep {
		*c.by(n) = lacks
	}
}

// by returns what is kept of an event: nothing of one that is not new.
func (c *decided) by(n int) *schema.Decided {
	for len(c.of) <= n {
		c.of = append(c.of, schema.Decided{})
	}
	return &c.of[n]
}

// add adds what an event lacks, or takes it back: times is 1 or -1.
func (c *decided) add(lacks schema.Decided, times int) {
	c.NoEnd += times * lacks.NoEnd
	c.NoVisibility += times * lacks.NoVisibility
	c.NoTickets += times * lacks.NoTickets
}

// sells notes that a row of its own brings an event a ticket type.
func (c *decided) sells(n int) {
	lacks := c.by(n)
	c.NoTickets -= lacks.NoTickets
	lacks.NoTickets = 0
}

// op counts an op of a plan.
func (c *decided) op(op *plan.Op, d *schema.Draft) {
	switch {
	case op.Action != plan.Create:
	case op.Of().Keyed():
		c.event(op.N, d, true)
	case op.Of() == catalog.TicketTypes && op.Event.Parent == "" && len(op.After) > 0:
		c.sells(op.After[0])
	}
}

// settled returns what is left where some of the ops make nothing after all.
func (c *decided) settled(changes map[int]journal.Change) schema.Decided {
	for n, change := range changes {
		if change.Action != plan.Create {
			c.add(*c.by(n), -1)
		}
	}
	return c.Decided
}

// newEvents counts what the platform decides as far as a check knows: which rows find their
// events by a key or slug is known to the plan.
type newEvents struct {
	decided

	mixed bool // ticket types may come with the events
	n     int
	words map[string]int // what rows call the events
}

// row counts a row that has what a new event needs.
func (c *newEvents) row(row *mapping.Result) {
	d := row.Draft
	if row.Skipped != "" || row.Invalid() || d.Action != schema.Create && d.Action != schema.Upsert {
		return
	}
	switch d.Resource {
	case catalog.Events:
		if d.Has(catalog.FieldEventID) {
			return
		}
		c.n++
		c.event(c.n, d, c.mixed)
		if c.mixed {
			if c.words == nil {
				c.words = map[string]int{}
			}
			for _, word := range []string{strings.TrimSpace(d.Text(catalog.FieldName)), strings.ToLower(d.Text(catalog.FieldSlug)), d.Key} {
				c.words[strings.Clone(word)] = c.n
			}
		}
	case catalog.TicketTypes:
		word := d.Value(d.Resource.Parent)
		n, known := c.words[word]
		if !known {
			n = c.words[strings.ToLower(word)]
		}
		c.sells(n)
	}
}
