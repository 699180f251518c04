package send

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// resolve finds out what became of a create in doubt, by looking and never by
// guessing. settled means that the row has come to its end, or stays in doubt
// for now; otherwise the event does not exist and may be sent again.
func (l *lane) resolve(ctx context.Context, t *Task) (settled bool, err error) {
	if t.Op.Event.Slug != "" {
		return l.resolveBySlug(ctx, t)
	}
	return l.resolveByList(ctx, t)
}

func (l *lane) resolveBySlug(ctx context.Context, t *Task) (bool, error) {
	slug := t.Op.Event.Slug
	if l.Looks { // else what is sent is refused where the slug is taken after all
		if _, err := l.waitOut(ctx, t); err != nil {
			return false, err
		}
	}
	entity, why, err := l.lookup(ctx, slug)
	if l.Looks && err == nil && why == nil && !entity.Taken {
		if err := l.wait(ctx, l.Settle); err != nil {
			return false, err
		}
		entity, why, err = l.lookup(ctx, slug)
	}
	switch {
	case err != nil:
		return false, err
	case why != nil:
		return true, l.giveUp(t)
	case !entity.Taken:
		return false, l.resolved(t, "free")
	}
	return true, l.taken(ctx, t, entity)
}

// resolveByList looks for an event without a slug of ours: by name and start,
// among the events that were not there when the plan was made and that no other
// row has made since. What other runs of the workspace had made when this one was
// taken up is among those too. One bound remains: another process that, while
// this one is at work, makes an event of the same name and start in the same
// calendar cannot be told from the attempt that was lost. A slug tells them apart.
func (l *lane) resolveByList(ctx context.Context, t *Task) (bool, error) {
	if _, err := l.waitOut(ctx, t); err != nil {
		return false, err
	}
	found, why, err := l.likely(ctx, t)
	if err == nil && why == nil && len(found) == 0 {
		if err := l.wait(ctx, l.Settle); err != nil {
			return false, err
		}
		found, why, err = l.likely(ctx, t)
	}
	switch {
	case err != nil:
		return false, err
	case why == nil && len(found) == 0:
		return false, l.resolved(t, "free")
	case why != nil || len(found) > 1 || l.twinInDoubt(t) || !l.claimNew(found[0]):
		return true, l.giveUp(t)
	}
	return true, l.adopt(t, found[0], "adopted")
}

// waitOut waits until the service cannot be at work any more on the request that was lost, and
// reports whether there was anything to wait for. It never waits longer than such a request can
// take: the clock that said when it left may have been ahead.
func (l *lane) waitOut(ctx context.Context, t *Task) (waited bool, err error) {
	wait := l.Left(t.Tried, time.Now())
	return wait > 0, l.wait(ctx, wait)
}

// likely returns the ids of the events that an attempt at a create may have made. reason is
// why they could not be listed.
func (l *lane) likely(ctx context.Context, t *Task) (found []string, reason, err error) {
	start := time.UnixMilli(t.Op.Event.StartAt)
	query := api.Between(start.Add(-time.Minute), start.Add(time.Minute))
	reason, err = l.read(ctx, func() error {
		found = found[:0]
		for event, err := range api.Events(l.Client.Pages(ctx, schema.OperationNamed(schema.Events.Listed), query)) {
			if err != nil {
				return err
			}
			if t.Op.Event.Like(event.Name, event.StartAt) && !l.anothers(t.Op, event) {
				found = append(found, event.ID)
			}
		}
		return nil
	})
	return found, reason, err
}

// twinInDoubt reports whether a row that a list cannot tell from this one is in
// doubt too: an event found may be either's. Twins are one strand.
func (l *lane) twinInDoubt(t *Task) bool {
	l.claims.mu.Lock()
	defer l.claims.mu.Unlock()
	own := likeness(t.Op)
	return slices.ContainsFunc(t.strand, func(r *Ref) bool { return r.N != t.Op.N && r.Doubt && r.blank() && r.like == own })
}

// lookup returns what has a slug. reason is why the service did not say.
func (l *lane) lookup(ctx context.Context, slug string) (entity api.Entity, reason, err error) {
	reason, err = l.read(ctx, func() (err error) {
		entity, err = api.EntityOf(l.Client.Read(ctx, schema.OperationNamed("entities/lookup"), url.Values{"slug": {slug}}))
		return err
	})
	return entity, reason, err
}

// event returns one event. reason is why it could not be read.
func (l *lane) event(ctx context.Context, id string) (event api.Event, reason, err error) {
	reason, err = l.read(ctx, func() (err error) {
		event, err = api.EventOf(l.Client.Read(ctx, schema.OperationNamed("events/get"), url.Values{"event_id": {id}}))
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
