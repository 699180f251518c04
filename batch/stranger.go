package batch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// strangers returns the creates without a slug of which the calendar has the event
// already, by name and start, and no run of the workspace knows it: it may have been
// made from a workspace that was lost or copied, or by hand. They are blocked. The ids
// of what the calendars have are noted in the header.
func (d *decision) strangers(ctx context.Context) (map[int]journal.Change, error) {
	changes := map[int]journal.Change{}
	for _, calendar := range d.calendars.met {
		creates := d.calendars.blank[calendar]
		if len(creates) == 0 {
			continue
		}
		first, last := creates[0].start, creates[0].start
		for _, c := range creates {
			first, last = min(first, c.start), max(last, c.start)
		}
		events, err := d.live.Starting(ctx, calendar, time.UnixMilli(first).Add(-time.Minute), time.UnixMilli(last).Add(time.Minute))
		if err != nil && !failure.Is[*api.ShiftsError](err) {
			return nil, fmt.Errorf("listing the events of calendar %s: %w", calendar, err)
		}
		d.knows(calendar, ids(events))
		strangers := map[int64][]*plan.Event{} // by start
		for i := range events {
			if _, known := d.memory.Event(events[i].ID); !known {
				strangers[events[i].StartAt] = append(strangers[events[i].StartAt], &events[i])
			}
		}
		for _, c := range creates {
			own := plan.Op{
				Action: plan.Create, Requests: c.requests, Cover: c.cover,
				Event: plan.Event{Calendar: calendar, Name: c.name, StartAt: c.start},
			}
			if err != nil {
				changes[c.n] = journal.Change{Action: plan.Blocked, Reason: err.Error()}
			}
			for _, event := range strangers[c.start] {
				if own.Event.Like(event.Name, time.UnixMilli(event.StartAt)) {
					changes[c.n] = journal.Change{Action: plan.Blocked, EventID: event.ID, Reason: "the calendar has an event of " +
						"this name and start, and no run of this workspace made it: " +
						"name it in event_id to change it, or give the row a slug to make another"}
				}
			}
			if change, blocked := changes[c.n]; blocked {
				d.planned.block(&own, change.Reason)
			}
		}
	}
	return changes, nil
}

// noteUnknown notes which records the calendars have that no run of the workspace knows, as far as lists
// have told: a create that is answered with the id of one has not made it. Only calendars in which
// something is made have to be told of.
func (d *drafting) noteUnknown(makes map[string]bool) {
	for calendar := range makes {
		found := map[string]bool{}
		for _, id := range d.header.Known[calendar] {
			found[id] = true
		}
		for id := range d.live.IDs(calendar) {
			if _, met := d.memory.Event(id); !met && id != "" {
				found[id] = true
			}
		}
		if len(found) > 0 {
			d.knows(calendar, slices.Sorted(maps.Keys(found)))
		}
	}
}

// knows notes which records a calendar has.
func (d *drafting) knows(calendar string, ids []string) {
	if d.header.Known == nil {
		d.header.Known = map[string][]string{}
	}
	d.header.Known[calendar] = ids
}

func ids(events []plan.Event) []string {
	list := make([]string, len(events))
	for i := range events {
		list[i] = events[i].ID
	}
	return list
}
