package sandbox

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"eventbatch/mapping/schema"
)

// A blast is mailed when it is made or, where it is scheduled, when that time has come.

// due returns when a blast is mailed.
func (it *item) due() time.Time {
	if at, scheduled := parseTimestamp(it.text("scheduled_for")); scheduled {
		return at
	}
	return it.added
}

// addressed returns the guests of the groups that a blast is for, those who come where it
// names none.
func (d *data) addressed(event string, fields map[string]json.RawMessage) (to []string) {
	var groups []struct{ Status string }
	_ = json.Unmarshal(fields["recipients"], &groups) // none where it names none
	for _, guest := range d.guests(event) {
		status := cmp.Or(guest.text("status"), "approved")
		if len(groups) == 0 && status == "approved" || slices.ContainsFunc(groups, func(g struct{ Status string }) bool {
			return g.Status == status
		}) {
			to = append(to, guest.text("email"))
		}
	}
	return to
}

// blastStays returns why a blast cannot be changed any more, empty where it can.
func (d *data) blastStays(it *item, now time.Time) string {
	if now.Before(it.due()) {
		return ""
	}
	return "This blast has been sent and cannot be changed."
}

// refuseBlast refuses a blast that is scheduled for the past, and one too many.
func (s *Service) refuseBlast(event string, row map[string]json.RawMessage, now time.Time) *answer {
	if at, scheduled := parseTimestamp(unquote(row["scheduled_for"])); scheduled && at.Before(now) {
		return invalid(trouble{"scheduled_for", "Has to be in the future."})
	}
	pace, of, recent := schema.OperationNamed("events/blasts/create").Pace, s.data.events[event].Calendar, 0
	for in, list := range s.data.lists {
		if e := s.data.events[in.of]; in.resource == schema.Blasts && e != nil && e.Calendar == of {
			for _, it := range list {
				if now.Sub(it.added) < pace.Per {
					recent++
				}
			}
		}
	}
	if recent >= pace.Most {
		return refuse(http.StatusBadRequest, "At most 10 blasts can be made in 5 minutes.")
	}
	return nil
}

// scheduled returns the mails of the blasts whose time has come.
func (d *data) scheduled(now time.Time) (mails []Mail) {
	for in, list := range d.lists {
		for _, it := range list {
			if in.resource != schema.Blasts || it.fields["scheduled_for"] == nil || now.Before(it.due()) {
				continue
			}
			for _, person := range d.addressed(in.of, it.fields) {
				mails = append(mails, Mail{it.due().UTC(), schema.Mails, in.of, person, "events/blasts/create", "added"})
			}
		}
	}
	return mails
}

// completeBlast adds to the view of a blast what became of it.
func completeBlast(it *item, now time.Time, v map[string]any) {
	maps.Copy(v, map[string]any{"status": "sent", "sent_at": stamp(it.due()), "recipient_count": nil, "email_open_count": 0})
	if now.Before(it.due()) {
		v["status"], v["sent_at"] = "scheduled", nil
	}
}
