package live

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping/failure"
)

// A Window is the part of a calendar that has to be listed: the starts that its rows have, and
// those that runs have sent for them, unless it is the whole of it.
type Window struct {
	after, before time.Time
	Whole         bool
	Unknown       bool     // it is whole for a row whose event nobody knows
	Known         []string // ids of the events that should be there
	// Answered is when runs were last answered for these: an earlier list would not tell.
	Answered time.Time
}

// Add widens the window to a start.
func (w *Window) Add(start time.Time) {
	if w.after.IsZero() || !start.After(w.after) {
		w.after = start.Add(-time.Second) // the bounds are exclusive
	}
	if w.before.IsZero() || !start.Before(w.before) {
		w.before = start.Add(time.Second)
	}
}

// lacks returns an error where a list cannot be believed: it is empty, or lacks more than a
// fifth, and three at least, of the events that are known to be there.
func (w *Window) lacks(calendar string, listed map[string]json.RawMessage) error {
	if w == nil || len(w.Known) == 0 {
		return nil
	}
	there := 0
	for _, id := range w.Known {
		if listed[id] != nil {
			there++
		}
	}
	lacking := len(w.Known) - there
	if len(listed) > 0 && (lacking < 3 || 5*lacking <= len(w.Known)) {
		return nil
	}
	return failure.New(failure.Refused, fmt.Errorf(
		"nothing was sent: calendar %s lists %s of the %s that the rows and earlier runs know there", calendar,
		report.Number(there), report.Count(len(w.Known), "event"),
	), "look whether the key still sees the whole calendar; if the events were cancelled, take their rows out, or say --compare sent")
}

// lacks returns why the list of a calendar cannot be believed. What another calendar of the organization has was moved there, and
// is not missed.
func (c *Cache) lacks(ctx context.Context, calendar string, w *Window, l *listed) error {
	err := w.lacks(calendar, l.events)
	if err == nil || !c.service.Organized() {
		return err
	}
	here := *w
	here.Known = nil
	for _, id := range w.Known {
		if l.events[id] == nil {
			if at, failed := c.Elsewhere(ctx, &plan.Event{ID: id, Calendar: calendar}); failed != nil {
				return failed
			} else if at != "" && at != calendar {
				continue
			}
		}
		here.Known = append(here.Known, id)
		if failed := here.lacks(calendar, l.events); failed != nil && len(here.Known) > mostLacking {
			return err
		}
	}
	return here.lacks(calendar, l.events)
}

// mostLacking is how many events are looked at until it is certain that a list cannot be believed.
const mostLacking = 20

// bounds returns the bounds of the list, zero of a whole one.
func (w *Window) bounds() (after, before time.Time) {
	if w == nil || w.Whole {
		return time.Time{}, time.Time{}
	}
	return w.after, w.before
}
