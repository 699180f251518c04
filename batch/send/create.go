package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// create makes one event, exactly once: an attempt whose outcome is unknown is
// looked for before anything is sent again.
func (l *lane) create(ctx context.Context, t *Task) error {
	var id string
	op, picture := schema.Events.Operation(schema.Create, false), l.picture(t)
	body, err := l.whole(t)
	if err != nil {
		return err
	}
	return l.carry(ctx, []*Task{t}, write{
		operation: op.Name, look: l.resolve, prepare: picture.prepare,
		call: func(ctx context.Context, _ []*Task, before func(context.Context) error) (err error) {
			id, err = api.NewID(l.Client.Write(ctx, op, picture.into(body), before))
			if err == nil {
				err = l.believe(t, id, "")
			}
			return err
		},
		refused: func(ctx context.Context, _ []*Task, reason error) error { return l.refusedCreate(ctx, t, reason) },
		done: func(*Task) journal.Record {
			l.queue.ride(t.with)
			return journal.Record{Type: journal.OK, EventID: id}
		},
	})
}

// whole returns the body of the request that makes an event, with the records that are made
// with it.
func (l *lane) whole(t *Task) (body json.RawMessage, err error) {
	if t.with, err = l.queue.riders(t.Op.N); err != nil || len(t.with) == 0 {
		return t.Op.Body, err
	}
	var event map[string]json.RawMessage
	if err := json.Unmarshal(t.Op.Body, &event); err != nil {
		return nil, err
	}
	for _, rider := range t.with {
		var records []json.RawMessage
		member := rider.Op.Of().Within
		if said := event[member]; said != nil {
			if err := json.Unmarshal(said, &records); err != nil {
				return nil, err
			}
		}
		if event[member], err = json.Marshal(append(records, rider.Op.Body)); err != nil {
			return nil, err
		}
	}
	return json.Marshal(event)
}

// refusedCreate ends a create that was refused. Whether the reason is a slug that is
// taken, whose message is not documented, is found out by looking the slug up.
func (l *lane) refusedCreate(ctx context.Context, t *Task, reason error) error {
	slug := t.Op.Event.Slug
	if slug == "" || !mayBeSlug(reason) {
		return l.fail(t, string(schema.CodeServiceRejected), reason)
	}
	entity, why, err := l.lookup(ctx, slug)
	switch {
	case err != nil:
		return err
	case why != nil, !entity.Taken:
		return l.fail(t, string(schema.CodeServiceRejected), reason)
	}
	return l.taken(ctx, t, entity)
}

// taken ends a create whose slug is in use: by the event that an attempt of this run made,
// which is adopted; by the row's own event of an earlier time, which is updated; or by
// something else, and then the row fails.
func (l *lane) taken(ctx context.Context, t *Task, entity api.Entity) error {
	own, why, err := l.ours(ctx, t.Op, entity)
	switch {
	case err != nil:
		return err
	case why != nil:
		return l.giveUp(t)
	case !own, !l.claim(entity.ID):
		return l.fail(t, string(schema.CodeSlugTaken), takenError(t.Op.Event.Slug, entity))
	}
	if t.lost {
		made, err := l.madeByUs(ctx, t, entity.ID)
		if err != nil {
			return err
		}
		if made {
			return l.adopt(t, entity.ID, "adopted")
		}
	}
	return l.changeFound(ctx, t, entity.ID)
}

// skewed is how far the service's clock may be from this machine's.
const skewed = time.Minute

// madeByUs reports whether an event is no older than the first attempt, so that one
// whose answer was lost has made it, with the row's values.
func (l *lane) madeByUs(ctx context.Context, t *Task, id string) (bool, error) {
	event, why, err := l.event(ctx, id)
	made := why == nil && !event.Created.IsZero() && !event.Created.Before(t.began.Add(-skewed))
	return made, err
}

// changeFound gives an event that was there before the run the values of the row
// that would have created it. Guests are not mailed: most values are the same as
// they were. A row that says CREATE changes nothing.
func (l *lane) changeFound(ctx context.Context, t *Task, id string) error {
	if l.Looks {
		return l.resolved(t, "found") // which was there before, so that the attempt made none
	}
	t.EventID, t.Doubt = id, false
	if t.Op.Strict {
		return l.fail(t, string(schema.CodeKeyExists), fmt.Errorf("the row says CREATE, but its event exists as %s", id))
	}
	body, left, err := schema.UpdateFrom(t.Op.Body, id)
	if err != nil {
		return err
	}
	op := *t.Op
	op.Hash = plan.Values(op.Hash) // with what the event was made is not known
	t.Op = &op
	code, note := "found", "the event was found again by its slug"
	if len(left) > 0 {
		code = string(schema.CodeFieldLeftOut)
		note += "; left out, for it can be set only when an event is created: " + strings.Join(left, ", ")
	}
	return l.change(ctx, t, body, journal.Record{Type: journal.OK, EventID: id, Code: code, Error: note})
}

func takenError(slug string, entity api.Entity) error {
	return fmt.Errorf("slug %s is taken by %s %s (%s)", slug, entity.Type, entity.ID, entity.Name)
}

// mayBeSlug reports whether a refusal can be about the slug. One that names only
// other fields cannot.
func mayBeSlug(reason error) bool {
	rejected, ok := errors.AsType[*api.RejectedError](reason)
	if !ok {
		return false
	}
	for _, p := range rejected.Problems {
		if p.Path == "slug" || strings.HasPrefix(p.Path, "slug") {
			return true
		}
	}
	return len(rejected.Problems) == 0
}

// ours reports whether what holds the op's slug is the op's own event: a derived
// slug belongs to one key, another has to lead to the same name and start in the
// same calendar. reason is why that could not be found out.
func (l *lane) ours(ctx context.Context, op *plan.Op, entity api.Entity) (own bool, reason, err error) {
	if entity.Type != "event" || op.Event.Derived || !op.Event.KeyIsSlug() && !op.Event.Like(entity.Name, entity.StartAt) {
		return entity.Type == "event" && op.Event.Derived, nil, nil
	}
	// Slugs are shared by all calendars, and a look-up does not say whose one is.
	event, reason, err := l.event(ctx, entity.ID)
	if gone(reason) {
		return false, nil, err
	}
	return event.Calendar == "" || event.Calendar == l.Calendar, reason, err
}

// picture returns the local picture of a task, if it has one.
func (l *lane) picture(t *Task) *picture { return &picture{lane: l, task: t} }

type picture struct {
	lane *lane
	task *Task
	url  string // on the image host, once it is there
}

// prepare puts the picture on the image host.
func (p *picture) prepare(ctx context.Context) (settled bool, err error) {
	if p.task.Op.Cover == nil || p.url != "" {
		return false, nil
	}
	l := p.lane
	reason, err := l.read(ctx, func() (err error) {
		p.url, err = l.Covers.URL(ctx, l.Calendar, *p.task.Op.Cover)
		return err
	})
	if reason != nil && err == nil {
		return true, l.fail(p.task, string(schema.CodeBadPicture), reason)
	}
	return false, err
}

// into returns the body with the picture in it.
func (p *picture) into(body json.RawMessage) json.RawMessage {
	if p.url == "" {
		return body
	}
	return schema.AppendWith(nil, body, schema.FieldCoverURL.Path(), p.url)
}
