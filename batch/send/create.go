package send

import (
	"context"
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
	body := t.Op.Body
	if t.Op.Cover != nil {
		url, err := l.cover(ctx, t)
		if err != nil || url == "" {
			return err
		}
		body = schema.AppendWith(nil, body, schema.FieldCoverURL, url)
	}
	var id string
	return l.carry(ctx, t, write{
		kind: plan.Create, careful: true, look: l.resolve,
		call: func(ctx context.Context, before func(context.Context) error) (err error) {
			id, err = l.Caller.CreateEvent(ctx, body, before)
			return err
		},
		refused: func(ctx context.Context, reason error) error { return l.refusedCreate(ctx, t, reason) },
		done: func() journal.Record {
			l.claim(id)
			return journal.Record{Type: journal.OK, EventID: id}
		},
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
	case entity.Type == "event" && l.ours(t.Op, entity):
		// No attempt of this run can have made it, or it had been in doubt.
		l.claim(entity.ID)
		return l.settle(t, journal.Record{
			Type: journal.Skip, EventID: entity.ID, Code: "exists",
			Key: journal.KeyHash(t.Op.Event.Calendar, t.Op.Event.Key),
		})
	}
	return l.fail(t, string(schema.CodeSlugTaken), takenError(slug, entity))
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

// ours tells whether the event that holds the op's slug is the op's own: a
// derived slug belongs to one key, another has to lead to the same name and start.
func (l *lane) ours(op *plan.Op, entity api.Entity) bool {
	return op.Event.Derived || sameEvent(op, entity.Name, entity.StartAt)
}

func sameEvent(op *plan.Op, name string, start time.Time) bool {
	return start.UnixMilli() == op.Event.StartAt && sameText(name, op.Event.Name)
}

// sameText compares what a person would read: the service may trim and re-render.
func sameText(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// cover puts the task's picture on the image host. An empty url without an
// error means that the row has come to its end.
func (l *lane) cover(ctx context.Context, t *Task) (url string, err error) {
	reason, err := l.read(ctx, func() (err error) {
		url, err = l.Covers.URL(ctx, l.Calendar, *t.Op.Cover)
		return err
	})
	if reason != nil && err == nil {
		return "", l.fail(t, string(schema.CodeBadPicture), reason)
	}
	return url, err
}
