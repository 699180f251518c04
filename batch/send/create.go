package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	picture := l.picture(t)
	return l.carry(ctx, t, write{
		kind: plan.Create, careful: true, look: l.resolve, prepare: picture.prepare,
		call: func(ctx context.Context, before func(context.Context) error) (err error) {
			id, err = l.Caller.CreateEvent(ctx, picture.into(t.Op.Body), before)
			if err == nil && !l.claim(id) {
				return &api.WrongAddressError{Status: http.StatusOK, Reason: "its answer gives the new event the id of another event, " + id}
			}
			return err
		},
		refused: func(ctx context.Context, reason error) error { return l.refusedCreate(ctx, t, reason) },
		done:    func() journal.Record { return journal.Record{Type: journal.OK, EventID: id} },
	})
}

// refusedCreate tells a taken slug, whose message is not documented, from any
// other refusal: by looking up who has it.
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

// taken ends a create whose slug leads to something: to the event of an attempt
// that was lost, to the row's event from before, or to what has nothing to do
// with the row.
func (l *lane) taken(ctx context.Context, t *Task, entity api.Entity) error {
	own, why, err := l.ours(ctx, t.Op, entity)
	switch {
	case err != nil:
		return err
	case why != nil:
		return l.giveUp(t)
	case !own:
		return l.fail(t, string(schema.CodeSlugTaken), takenError(t.Op.Event.Slug, entity))
	}
	// An event that is claimed was there before, or is another row's.
	if free := l.claim(entity.ID); free && t.lost {
		return l.adoptTaken(ctx, t, entity.ID)
	}
	t.Doubt = false
	return l.settle(t, journal.Record{
		Type: journal.Skip, EventID: entity.ID, Code: "exists",
		Key: journal.KeyHash(t.Op.Event.Calendar, t.Op.Event.Key),
	})
}

// skewed is how far the service's clock may be from this machine's.
const skewed = time.Minute

// adoptTaken adopts the event that has the row's slug. Where the journals were
// lost it may be from before, with other values than the row's: only one that is
// no older than the plan is remembered with them.
func (l *lane) adoptTaken(ctx context.Context, t *Task, id string) error {
	var event api.Event
	why, err := l.read(ctx, func() (err error) {
		event, err = l.Caller.GetEvent(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	if why != nil || event.Created.IsZero() || event.Created.Before(l.Planned.Add(-skewed)) {
		return l.adopt(t, id, journal.Found)
	}
	return l.adopt(t, id, "adopted")
}

func takenError(slug string, entity api.Entity) error {
	return fmt.Errorf("slug %s is taken by %s %s (%s)", slug, entity.Type, entity.ID, entity.Name)
}

// mayBeSlug tells whether a refusal can be about the slug. One that names only
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

// ours tells whether what holds the op's slug is the op's own event: a derived
// slug belongs to one key, another has to lead to the same name and start in the
// same calendar. reason is why that could not be found out.
func (l *lane) ours(ctx context.Context, op *plan.Op, entity api.Entity) (own bool, reason, err error) {
	if entity.Type != "event" || op.Event.Derived || !sameEvent(op, entity.Name, entity.StartAt) {
		return entity.Type == "event" && op.Event.Derived, nil, nil
	}
	// Slugs are shared by all calendars, and a look-up does not say whose one is.
	var event api.Event
	reason, err = l.read(ctx, func() (err error) {
		event, err = l.Caller.GetEvent(ctx, entity.ID)
		return err
	})
	if gone(reason) {
		return false, nil, err
	}
	return event.Calendar == "" || event.Calendar == l.Calendar, reason, err
}

func sameEvent(op *plan.Op, name string, start time.Time) bool {
	return start.UnixMilli() == op.Event.StartAt && sameText(name, op.Event.Name)
}

// sameText compares what a person would read: the service may trim and re-render.
func sameText(a, b string) bool { return plainText(a) == plainText(b) }

func plainText(s string) string { return strings.Join(strings.Fields(s), " ") }

// picture is the local picture of a task, if it has one.
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

// into gives the body with the picture in it.
func (p *picture) into(body json.RawMessage) json.RawMessage {
	if p.url == "" {
		return body
	}
	return schema.AppendWith(nil, body, schema.FieldCoverURL, p.url)
}
