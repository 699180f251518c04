package send

import (
	"context"
	"errors"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// waitOut waits until the service cannot be at work any more on the request that was lost, and
// reports whether there was anything to wait for. It never waits longer than such a request can
// take: the clock that said when it left may have been ahead.
func (l *lane) waitOut(ctx context.Context, t *Task) (waited bool, err error) {
	wait := l.Left(t.Tried, time.Now())
	return wait > 0, l.wait(ctx, wait)
}

// lookup returns what has a slug. reason is why the service did not say.
func (l *lane) lookup(ctx context.Context, slug string) (entity api.Entity, reason, err error) {
	reason, err = l.read(ctx, func() (err error) {
		entity, err = l.Live.Entity(ctx, slug)
		return err
	})
	return entity, reason, err
}

// event returns one event. reason is why it could not be read.
func (l *lane) event(ctx context.Context, id string) (event api.Event, reason, err error) {
	reason, err = l.read(ctx, func() (err error) {
		event, err = l.Live.Event(ctx, id)
		return err
	})
	return event, reason, err
}

// resolved records that the attempt in doubt did nothing.
func (l *lane) resolved(t *Task, code string) error {
	t.Doubt = false
	return l.note(t, journal.Record{Type: journal.Resolved, Code: code})
}

// adopt records that an attempt in doubt made this event, as the code says.
func (l *lane) adopt(t *Task, id, code string) error {
	t.Doubt = false
	return l.finish(t, journal.Record{Type: journal.Resolved, EventID: id, Code: code})
}

// giveUp leaves the row in doubt, for a later process or a person.
func (l *lane) giveUp(t *Task) error {
	return l.finish(t, journal.Record{
		Type: journal.Doubt, Code: string(schema.CodeInDoubt),
		Error: "it is not certain whether the request was carried out",
	})
}

// anothers reports whether an event that looks like an op's is that of another row, or was there before
// the run. A row that makes another event has only been answered with its id, wrongly.
func (l *lane) anothers(op *plan.Op, event api.Event) bool {
	l.claims.mu.Lock()
	defer l.claims.mu.Unlock()
	has := l.claims.of[event.ID]
	taken := has != nil && (has.ref == nil || has.ref.like == likeness(op))
	return taken || l.known(event.ID) || event.Slug != "" && l.slugs[hash("slug:"+event.Slug)]
}

// gone reports whether an answer means that an event does not exist (any more).
func gone(reason error) bool {
	if _, ok := errors.AsType[*api.ForbiddenError](reason); ok {
		return true
	}
	return notFound(reason)
}

// notFound reports whether an answer means that there is no such record.
func notFound(reason error) bool {
	rejected, ok := errors.AsType[*api.RejectedError](reason)
	return ok && (rejected.Status == 404 || rejected.Status == 410)
}
