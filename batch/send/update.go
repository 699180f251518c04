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
// looked at first, and what it has already is not sent again.
func (l *lane) update(ctx context.Context, t *Task) error {
	body := t.Op.Body
	if ready, err := l.find(ctx, t); !ready || err != nil {
		return err
	}
	if t.Op.Event.ID == "" {
		body = schema.AppendWith(nil, body, schema.FieldEventID.Path(), t.EventID)
	}
	return l.change(ctx, t, body, journal.Record{Type: journal.OK, EventID: t.EventID})
}

// change sends an update to its end, which is recorded as done.
func (l *lane) change(ctx context.Context, t *Task, body json.RawMessage, done journal.Record) error {
	op, picture := schema.Events.Operation(schema.Update, false), l.picture(t)
	if t.Op.Operation == schema.Transfer {
		op = schema.OperationNamed(schema.Transfer)
	}
	w := write{
		operation: op.Name,
		prepare: func(ctx context.Context) (settled bool, err error) {
			if settled, err = l.changed(ctx, t); settled || err != nil {
				return settled, err
			}
			return picture.prepare(ctx)
		},
		call: func(ctx context.Context, _ []*Task, before func(context.Context) error) error {
			_, err := l.Client.Write(ctx, op, picture.into(body), before)
			return err
		},
		refused: func(_ context.Context, _ []*Task, reason error) error { return l.fail(t, rejection(reason), reason) },
		done:    func(*Task) journal.Record { return done },
	}
	switch {
	case t.Op.Operation == schema.Transfer:
		w.look = l.lookTransferred
	case t.Op.Noticed():
		w.look = func(ctx context.Context, t *Task) (settled bool, err error) {
			settled, body, err = l.lookUpdated(ctx, t, body)
			return settled, err
		}
	}
	return l.carry(ctx, []*Task{t}, w)
}

// lookTransferred finds out whether a transfer in doubt has moved its event: it is sent where the
// event was, and refused there once that is elsewhere.
func (l *lane) lookTransferred(ctx context.Context, t *Task) (settled bool, err error) {
	var at string
	reason, err := l.read(ctx, func() (err error) {
		at, err = l.Where(ctx, &t.Op.Event)
		return err
	})
	var asked struct {
		Calendar string `json:"calendar_id"`
	}
	switch {
	case err != nil:
		return false, err
	case reason != nil || json.Unmarshal(t.Op.Body, &asked) != nil:
		return true, l.giveUp(t)
	case at == asked.Calendar:
		t.Doubt = false
		return true, l.finish(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "applied"})
	}
	return false, l.resolved(t, "not applied")
}

// changed ends the row whose event somebody has changed since the plan was made.
func (l *lane) changed(ctx context.Context, t *Task) (settled bool, err error) {
	if l.Changed == nil {
		return false, nil
	}
	var why *journal.Why
	reason, err := l.read(ctx, func() (err error) {
		why, err = l.Changed(ctx, t)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case reason != nil:
		return true, l.fail(t, rejection(reason), reason)
	case why == nil:
		return false, nil
	}
	return true, l.finish(t, journal.Record{
		Type: journal.Skip, Code: string(schema.CodeConflict), Error: why.Error, Fields: why.Fields,
	})
}

// find sets the id of the task's event, and looks its slug up where the plan has no id.
// Not ready means that the row has come to its end.
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
	foreign, err := l.foreign(ctx, t, entity)
	if foreign || err != nil {
		return false, err
	}
	t.EventID = entity.ID
	return true, nil
}

// foreign fails the row whose slug leads to another calendar's event: slugs are
// shared by all calendars, and a key that reaches several would change it. Where
// neither the look-up nor the event itself says whose it is, the slug is believed.
func (l *lane) foreign(ctx context.Context, t *Task, entity api.Entity) (settled bool, err error) {
	if !l.Shared {
		return false, nil // the service answers 403 to it
	}
	calendar := entity.Calendar
	if calendar == "" {
		event, why, err := l.event(ctx, entity.ID)
		switch {
		case err != nil:
			return false, err
		case why != nil:
			return true, l.fail(t, rejection(why), why)
		}
		calendar = event.Calendar
	}
	if calendar == "" || calendar == l.Calendar {
		return false, nil
	}
	return true, l.fail(t, string(schema.CodeSlugTaken),
		fmt.Errorf("slug %s is an event of calendar %s, not of %s", t.Op.Event.Slug, calendar, l.Calendar))
}

// lookUpdated returns the part of an update in doubt that is still to be sent: the event
// shows whether the fields that guests are mailed about, and the meeting, have arrived.
func (l *lane) lookUpdated(ctx context.Context, t *Task, body json.RawMessage) (settled bool, rest json.RawMessage, err error) {
	event, why, err := l.event(ctx, t.EventID)
	switch {
	case err != nil:
		return false, body, err
	case why != nil && gone(why):
		return true, body, l.fail(t, string(schema.CodeNotAllowed), why)
	case why != nil:
		return true, body, l.giveUp(t)
	}
	rest, left := remainder(body, event)
	if !left && t.Op.Cover == nil {
		t.Doubt = false
		return true, rest, l.finish(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "applied"})
	}
	return false, rest, l.resolved(t, "not applied")
}

// remainder takes out of an update the noticed fields that the event has as
// asked, and reports whether anything is left. Fields that are as asked prove
// nothing about the others: most rows name what they do not change. A place reads
// back in another form than it was sent in, so it is always left.
func remainder(body json.RawMessage, event api.Event) (rest json.RawMessage, left bool) {
	var asked plan.Notice
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &asked) != nil || json.Unmarshal(body, &fields) != nil {
		return body, true
	}
	var live struct {
		MeetingURL string `json:"meeting_url"`
	}
	_ = json.Unmarshal(event.Raw, &live) // without one, no meeting is known
	for name, same := range map[string]bool{
		"name":           asked.Name != nil && plan.Plain(*asked.Name) == plan.Plain(event.Name),
		"start_at":       asked.StartAt != nil && sameTime(*asked.StartAt, event.StartAt),
		"end_at":         asked.EndAt != nil && sameTime(*asked.EndAt, event.EndAt),
		"create_meeting": asked.CreateMeeting != nil && live.MeetingURL != "",
	} {
		if same {
			delete(fields, name)
		}
	}
	for name := range fields {
		left = left || name != "event_id" && name != "suppress_email"
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return body, true
	}
	return rest, left
}

func sameTime(text string, at time.Time) bool {
	ms, fault := schema.ParseTimestamp(text)
	return fault == nil && ms == at.UnixMilli()
}

// rejection returns the code under which a refusal is reported.
func rejection(reason error) string {
	if gone(reason) {
		return string(schema.CodeNotAllowed)
	}
	return string(schema.CodeServiceRejected)
}
