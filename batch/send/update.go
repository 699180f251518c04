package send

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// update changes one event. It may be sent twice without harm, unless guests
// would get a second e-mail or a second meeting would be made: then the event is
// looked at first.
func (l *lane) update(ctx context.Context, t *Task) error {
	body := t.Op.Body
	if ready, err := l.find(ctx, t); !ready || err != nil {
		return err
	}
	if t.Op.Cover != nil {
		url, err := l.cover(ctx, t)
		if err != nil || url == "" {
			return err
		}
		body = schema.AppendWith(nil, body, schema.FieldCoverURL, url)
	}
	if t.Op.Event.ID == "" {
		body = schema.AppendWith(nil, body, schema.FieldEventID, t.EventID)
	}
	w := write{
		kind: plan.Update,
		call: func(ctx context.Context, before func(context.Context) error) error {
			return l.Caller.UpdateEvent(ctx, body, before)
		},
		refused: func(_ context.Context, reason error) error { return l.fail(t, rejection(reason), reason) },
		done:    func() journal.Record { return journal.Record{Type: journal.OK, EventID: t.EventID} },
	}
	if t.Op.Noticed() {
		w.careful, w.look = true, l.look
	}
	return l.carry(ctx, t, w)
}

// find sees to it that the task knows its event's id, looking the slug up where
// the plan could not tell. Not ready means that the row has come to its end.
func (l *lane) find(ctx context.Context, t *Task) (ready bool, err error) {
	if t.EventID == "" {
		t.EventID = t.Op.Event.ID
	}
	if t.EventID != "" {
		return true, nil
	}
	slug := t.Op.Event.Slug
	entity, why, err := l.lookup(ctx, slug)
	switch {
	case err != nil:
		return false, err
	case why != nil:
		return false, l.fail(t, string(schema.CodeServiceRejected), why)
	case !entity.Taken:
		return false, l.fail(t, string(schema.CodeKeyMissing), fmt.Errorf("no event has the slug %s", slug))
	case entity.Type != "event":
		return false, l.fail(t, string(schema.CodeSlugTaken), takenError(slug, entity))
	}
	t.EventID = entity.ID
	return true, nil
}

// look tells whether an update in doubt was carried out, by what its guests
// would have been mailed about and by the meeting that it would have made.
func (l *lane) look(ctx context.Context, t *Task) (settled bool, err error) {
	var event api.Event
	why, err := l.read(ctx, func() (err error) {
		event, err = l.Caller.GetEvent(ctx, t.EventID)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case why != nil && gone(why):
		return true, l.fail(t, string(schema.CodeNotAllowed), why)
	case why != nil:
		return true, l.giveUp(t)
	case applied(t.Op, event):
		t.Doubt = false
		return true, l.settle(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "applied"})
	}
	return false, l.resolved(t, "not applied")
}

// applied tells whether the event is as the update would have left it, as far
// as its noticed fields tell. A place reads back in another form than it was
// sent in, so a body that changes nothing but the place proves nothing: it is
// taken as not applied.
func applied(op *plan.Op, event api.Event) bool {
	var body plan.Notice
	var live struct {
		MeetingURL string `json:"meeting_url"`
	}
	if json.Unmarshal(op.Body, &body) != nil || json.Unmarshal(event.Raw, &live) != nil {
		return false
	}
	told := false
	for _, test := range []struct{ asked, same bool }{
		{body.Name != nil, body.Name != nil && sameText(*body.Name, event.Name)},
		{body.StartAt != nil, body.StartAt != nil && sameTime(*body.StartAt, event.StartAt)},
		{body.EndAt != nil, body.EndAt != nil && sameTime(*body.EndAt, event.EndAt)},
		{body.CreateMeeting != nil, live.MeetingURL != ""},
	} {
		if test.asked && !test.same {
			return false
		}
		told = told || test.asked
	}
	return told
}

func sameTime(text string, at time.Time) bool {
	ms, fault := schema.ParseTimestamp(text)
	return fault == nil && ms == at.UnixMilli()
}

// rejection gives the code under which a refusal is reported.
func rejection(reason error) string {
	if gone(reason) {
		return string(schema.CodeNotAllowed)
	}
	return string(schema.CodeServiceRejected)
}
