package batch

import (
	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/send"
)

// blockStrangers blocks the creates without a slug of which the calendar has the event
// already, by name and start, and no run of the workspace knows it: it may have been
// made from a workspace that was lost or copied, or by hand.
func blockStrangers(ops []*plan.Op, calendar string, events []api.Event, memory plan.Memory) {
	strangers := map[int64][]*api.Event{} // by start
	for i := range events {
		if _, known := memory.Event(events[i].ID); !known {
			start := events[i].StartAt.UnixMilli()
			strangers[start] = append(strangers[start], &events[i])
		}
	}
	for _, op := range ops {
		if op.Action != plan.Create || op.Event.Slug != "" || op.Event.Calendar != calendar {
			continue
		}
		for _, event := range strangers[op.Event.StartAt] {
			if send.SameEvent(op, event.Name, event.StartAt) {
				op.Action, op.Event.ID = plan.Blocked, event.ID
				op.Reason = "the calendar has an event of this name and start, and no run of this workspace made it: " +
					"name it in event_id to change it, or give the row a slug to make another"
			}
		}
	}
}

func ids(events []api.Event) []string {
	list := make([]string, len(events))
	for i := range events {
		list[i] = events[i].ID
	}
	return list
}
