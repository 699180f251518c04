package batch

import (
	"cmp"
	"context"
	"maps"

	"eventbatch/batch/plan"
	"eventbatch/batch/service"
)

// calendars are those that the ops of a plan send to.
type calendars struct {
	service *service.Service
	target  plan.Target      // the calendars with their keys
	failed  map[string]error // those whose key cannot be read
	met     []string         // in the order in which they were met
	makes   map[string]bool  // those in which something is made
	// blank are their creates without a slug, which a list has to be asked about.
	blank map[string][]blank
}

// blank is a create without a slug: only its calendar's list tells whether its event
// is there already.
type blank struct {
	n        int // of the op
	requests int
	start    int64 // Unix milliseconds
	name     string
	cover    *plan.Cover
}

func newCalendars(s *service.Service) *calendars {
	return &calendars{
		service: s, target: plan.Target{BaseURL: s.BaseURL(), Calendars: map[string]string{}}, failed: map[string]error{},
		makes: map[string]bool{}, blank: map[string][]blank{},
	}
}

// bind notes which key serves the op's calendar, when it is met first. A key that cannot
// be read holds up the rows of its own calendar only.
func (c *calendars) bind(ctx context.Context, op *plan.Op) {
	if !op.Action.Sends() {
		return
	}
	calendar := op.Event.Calendar
	if _, met := c.target.Calendars[calendar]; !met && c.failed[calendar] == nil {
		c.met = append(c.met, calendar)
		target, failed := c.service.Target(ctx, []string{calendar})
		maps.Copy(c.target.Calendars, target.Calendars)
		maps.Copy(c.failed, failed)
	}
	if err := cmp.Or(c.failed[calendar], op.Off(c.service.Off)); err != nil {
		op.Action, op.Reason = plan.Blocked, err.Error()
		return
	}
	c.makes[calendar] = c.makes[calendar] || op.Action == plan.Create
	if op.Action == plan.Create && op.Event.Slug == "" && op.Of().Keyed() {
		c.blank[calendar] = append(c.blank[calendar], blank{op.N, op.Requests, op.Event.StartAt, op.Event.Name, op.Cover})
	}
}

// unusable returns why nothing can be sent to any of them, nil where something can.
func (c *calendars) unusable() error {
	if len(c.failed) > 0 && len(c.failed) == len(c.met) {
		return c.failed[c.met[0]]
	}
	return nil
}
