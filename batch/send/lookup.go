package send

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// lookUpFor returns how the outcome of a request of the task is looked up, nil where sending it again does no harm.
func (e *execution) lookUpFor(t *Task) lookUp {
	op, keyed := e.op, e.op.Resource.Keyed()
	switch {
	case op.Name == catalog.Transfer:
		return e.byCalendar
	case keyed && op.Does == schema.Create && t.Op.Event.Slug != "":
		return e.bySlug
	case keyed && op.Does == schema.Create:
		return e.byLikeness
	case keyed && op.Does == schema.Cancel:
		return e.byPresence
	case keyed && t.Op.Noticed():
		return e.byFields
	case keyed:
		return nil
	case op.Resource.Cell == nil && op.Does != schema.Update, op.Repeat == schema.Twice, t.Op.Effects.Has(schema.Mails):
		return e.byList
	}
	return nil
}

func (e *execution) bySlug(ctx context.Context, t *Task) (settled bool, err error) {
	slug := t.Op.Event.Slug
	if e.Looks { // else what is sent is refused where the slug is taken after all
		if _, err := e.waitOut(ctx, t); err != nil {
			return false, err
		}
	}
	entity, why, err := e.lookup(ctx, slug)
	if e.Looks && err == nil && why == nil && !entity.Taken {
		if err := e.wait(ctx, e.Settle); err != nil {
			return false, err
		}
		entity, why, err = e.lookup(ctx, slug)
	}
	switch {
	case err != nil:
		return false, err
	case why != nil:
		return true, e.giveUp(t)
	case !entity.Taken:
		return false, e.resolved(t, "free")
	}
	return true, e.taken(ctx, t, entity)
}

// taken ends a create whose slug is in use: by the event that an attempt of this run made,
// which is adopted; by the row's own event of an earlier time, or by something else, and then the row fails.
func (e *execution) taken(ctx context.Context, t *Task, entity api.Entity) error {
	own, why, err := e.ours(ctx, t.Op, entity)
	switch {
	case err != nil:
		return err
	case why != nil:
		return e.giveUp(t)
	case !own, !e.claim(entity.ID):
		return e.takenByOther(ctx, t, entity)
	}
	if t.lost {
		made, err := e.madeByUs(ctx, t, entity.ID)
		if err != nil {
			return err
		}
		if made {
			return e.adopt(t, entity.ID, journal.Adopted)
		}
	}
	return e.exists(t, entity.ID)
}

// How much older than an attempt an event may seem that the attempt has made.
const (
	skewedDate = 5 * time.Second // by the service's clock, which answers tell in whole seconds
	skewed     = time.Minute     // by this machine's, where an answer does not tell the service's
)

// madeByUs reports whether an event is no older than the first attempt, so that one
// whose answer was lost has made it, with the row's values.
func (e *execution) madeByUs(ctx context.Context, t *Task, id string) (bool, error) {
	event, why, err := e.event(ctx, id)
	made := why == nil && !event.Created().IsZero() && !event.Created().Before(e.began(t, event.At))
	return made, err
}

// began returns the earliest time, by the service's clock, at which an attempt at a task can have made an event. now is what that
// clock says at this moment, zero where it is not known.
func (e *execution) began(t *Task, now time.Time) time.Time {
	if t.began.IsZero() && !e.Asked.IsZero() {
		return e.Asked.Add(-skewedDate)
	}
	here := cmp.Or(t.began, e.Planned) // by this machine's clock
	if now.IsZero() {
		return here.Add(-skewed)
	}
	return here.Add(time.Until(now) - skewedDate)
}

// exists ends a create whose event was there before the run, or is where this calendar's key does not see it: what it says is
// compared with what the row says by a plan, which shows it, and asks where nobody knows who is right.
func (e *execution) exists(t *Task, id string) error {
	t.EventID, t.Doubt = id, false
	why := fmt.Errorf("its event has been there as %s, which the plan did not know: the next import compares the row with it", id)
	if t.Op.Strict {
		why = fmt.Errorf("the row says CREATE, but its event exists as %s", id)
	}
	return e.fail(t, string(schema.CodeKeyExists), why)
}

// takenByOther fails the row whose slug leads to something else, and says on which other calendar that is, as far as the
// key may see it.
func (e *execution) takenByOther(ctx context.Context, t *Task, entity api.Entity) error {
	why := takenError(t.Op.Event.Slug, entity)
	if e.Shared && entity.Type == "event" {
		calendar, _, err := e.calendarOf(ctx, entity)
		if err != nil {
			return err
		}
		if calendar != "" && calendar != e.Calendar {
			why = fmt.Errorf("%w of calendar %s", why, calendar)
		}
	}
	return e.fail(t, string(schema.CodeSlugTaken), why)
}

func takenError(slug string, entity api.Entity) error {
	return fmt.Errorf("slug %s is taken by %s %s (%s)", slug, entity.Type, entity.ID, entity.Name)
}

// ours reports whether what holds the op's slug is the op's own event: a derived
// slug belongs to one key, another has to lead to the same name and start in the
// same calendar. reason is why that could not be found out.
func (e *execution) ours(ctx context.Context, op *plan.Op, entity api.Entity) (own bool, reason, err error) {
	if entity.Type != "event" || op.Event.Derived || !op.Event.KeyIsSlug() && !op.Event.Like(entity.Name, entity.StartAt) {
		return entity.Type == "event" && op.Event.Derived, nil, nil
	}
	// Slugs are shared by all calendars, and a look-up does not say whose one is.
	event, reason, err := e.event(ctx, entity.ID)
	calendar := event.Calendar()
	if gone(reason) {
		return false, nil, err
	}
	return calendar == "" || calendar == e.Calendar, reason, err
}

// byLikeness looks for an event without a slug of ours: by name and start,
// among the events that were not there when the plan was made and that no other
// row has made since. What other runs of the workspace had made when this one was
// taken up is among those too. One bound remains: another process that, while
// this one is at work, makes an event of the same name and start in the same
// calendar cannot be told from the attempt that was lost. A slug tells them apart.
func (e *execution) byLikeness(ctx context.Context, t *Task) (settled bool, err error) {
	if _, err := e.waitOut(ctx, t); err != nil {
		return false, err
	}
	found, why, err := e.likely(ctx, t)
	if err == nil && why == nil && len(found) == 0 {
		if err := e.wait(ctx, e.Settle); err != nil {
			return false, err
		}
		found, why, err = e.likely(ctx, t)
	}
	switch {
	case err != nil:
		return false, err
	case why == nil && len(found) == 0:
		return false, e.resolved(t, "free")
	case why != nil || len(found) > 1 || e.twinInDoubt(t) || !e.claimNew(found[0]):
		return true, e.giveUp(t)
	}
	return true, e.adopt(t, found[0], journal.Adopted)
}

// likely returns the ids of the events that an attempt at a create may have made. reason is
// why they could not be listed.
func (e *execution) likely(ctx context.Context, t *Task) (found []string, reason, err error) {
	start := time.UnixMilli(t.Op.Event.StartAt)
	reason, err = e.read(ctx, func() error {
		found = found[:0]
		_, err := e.Live.List(ctx, start.Add(-time.Minute), start.Add(time.Minute), func(event api.Record) {
			if t.Op.Event.Like(event.Name(), event.Start()) && !e.anothers(t.Op, event) {
				found = append(found, event.ID)
			}
		})
		return err
	})
	return found, reason, err
}

// twinInDoubt reports whether a row that a list cannot tell from this one is in
// doubt too: an event found may be either's. Twins are one serial group.
func (e *execution) twinInDoubt(t *Task) bool {
	e.claims.mu.Lock()
	defer e.claims.mu.Unlock()
	own := likeness(t.Op)
	return slices.ContainsFunc(t.serial, func(r *Ref) bool { return r.N != t.Op.N && r.Doubt && r.blank() && r.like == own })
}

// byPresence looks whether an event that may have been cancelled is still there.
func (e *execution) byPresence(ctx context.Context, t *Task) (settled bool, err error) {
	_, why, err := e.event(ctx, t.EventID)
	switch {
	case err != nil:
		return false, err
	case why == nil:
		return false, e.resolved(t, "still there")
	case gone(why):
		t.Doubt = false
		return true, e.finish(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "gone"})
	}
	return true, e.giveUp(t)
}

// byCalendar finds out whether a transfer in doubt has moved its event: it is sent where the
// event was, and refused there once that is elsewhere.
func (e *execution) byCalendar(ctx context.Context, t *Task) (settled bool, err error) {
	var at string
	reason, err := e.read(ctx, func() (err error) {
		at, err = e.Where(ctx, &t.Op.Event)
		return err
	})
	var asked struct {
		Calendar string `json:"calendar_id"`
	}
	switch {
	case err != nil:
		return false, err
	case reason != nil || json.Unmarshal(t.Op.Body, &asked) != nil:
		return true, e.giveUp(t)
	case at == asked.Calendar:
		t.Doubt = false
		return true, e.finish(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "applied"})
	}
	return false, e.resolved(t, "not applied")
}

// byFields leaves of an update what is still to be sent: the event shows whether the fields that guests are mailed
// about, and the meeting, have arrived.
func (e *execution) byFields(ctx context.Context, t *Task) (settled bool, err error) {
	event, why, err := e.event(ctx, t.EventID)
	switch {
	case err != nil:
		return false, err
	case why != nil && gone(why):
		return true, e.fail(t, string(schema.CodeNotAllowed), why)
	case why != nil:
		return true, e.giveUp(t)
	}
	rest, left := remainder(e.body, event)
	if e.body = rest; !left && t.Op.Cover == nil {
		t.Doubt = false
		return true, e.finish(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "applied"})
	}
	return false, e.resolved(t, "not applied")
}

// remainder takes out of an update the noticed fields that the event has as
// asked, and reports whether anything is left. Fields that are as asked prove
// nothing about the others: most rows name what they do not change. A place reads
// back in another form than it was sent in, so it is always left.
func remainder(body json.RawMessage, event api.Record) (rest json.RawMessage, left bool) {
	var asked plan.Notice
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &asked) != nil || json.Unmarshal(body, &fields) != nil {
		return body, true
	}
	var meeting string
	_ = json.Unmarshal(event.Values["meeting_url"], &meeting) // without one, no meeting is known
	for name, same := range map[string]bool{
		"name":           asked.Name != nil && plan.Plain(*asked.Name) == plan.Plain(event.Name()),
		"start_at":       asked.StartAt != nil && sameTime(*asked.StartAt, event.Start()),
		"end_at":         asked.EndAt != nil && sameTime(*asked.EndAt, event.End()),
		"create_meeting": asked.CreateMeeting != nil && meeting != "",
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
	ms, fault := value.ParseTimestamp(text)
	return fault == nil && ms == at.UnixMilli()
}

// find sets the id of the task's event, and looks its slug up where the plan has no id.
// Not ready means that the row has come to its end.
func (e *execution) find(ctx context.Context, t *Task) (ready bool, err error) {
	if t.EventID == "" {
		t.EventID = t.Op.Event.ID
	}
	if t.EventID != "" {
		return true, nil
	}
	slug := t.Op.Event.Slug
	entity, why, err := e.lookup(ctx, slug)
	switch {
	case err != nil:
		return false, err
	case why != nil:
		return false, e.fail(t, string(schema.CodeServiceRejected), why)
	case !entity.Taken:
		return false, e.fail(t, string(schema.CodeKeyMissing), fmt.Errorf("no event has the slug %s", slug))
	case entity.Type != "event":
		return false, e.fail(t, string(schema.CodeSlugTaken), takenError(slug, entity))
	}
	foreign, err := e.foreign(ctx, t, entity)
	if foreign || err != nil {
		return false, err
	}
	t.EventID = entity.ID
	return true, nil
}

// foreign fails the row whose slug leads to another calendar's event: slugs are
// shared by all calendars, and a key that reaches several would change it. Where
// neither the look-up nor the event itself says whose it is, the slug is believed.
func (e *execution) foreign(ctx context.Context, t *Task, entity api.Entity) (settled bool, err error) {
	if !e.Shared {
		return false, nil // the service answers 403 to it
	}
	calendar, why, err := e.calendarOf(ctx, entity)
	switch {
	case err != nil:
		return false, err
	case why != nil:
		return true, e.fail(t, rejection(why), why)
	}
	if calendar == "" || calendar == e.Calendar {
		return false, nil
	}
	return true, e.fail(t, string(schema.CodeSlugTaken),
		fmt.Errorf("slug %s is an event of calendar %s, not of %s", t.Op.Event.Slug, calendar, e.Calendar))
}

// calendarOf returns the calendar of an event that has a slug, as the key of its organization sees it: slugs are shared by all
// calendars, and a look-up need not say whose one is. reason is why that could not be found out.
func (e *execution) calendarOf(ctx context.Context, entity api.Entity) (calendar string, reason, err error) {
	if entity.Calendar != "" {
		return entity.Calendar, nil, nil
	}
	reason, err = e.read(ctx, func() (err error) {
		calendar, err = e.Where(ctx, &plan.Event{ID: entity.ID, Calendar: e.Calendar})
		return err
	})
	return calendar, reason, err
}

// lookup returns what has a slug. reason is why the service did not say.
func (e *execution) lookup(ctx context.Context, slug string) (entity api.Entity, reason, err error) {
	reason, err = e.read(ctx, func() (err error) {
		entity, err = e.Live.Entity(ctx, slug)
		return err
	})
	return entity, reason, err
}

// event returns one event. reason is why it could not be read.
func (e *execution) event(ctx context.Context, id string) (event api.Record, reason, err error) {
	reason, err = e.read(ctx, func() (err error) {
		event, err = e.Live.Event(ctx, id)
		return err
	})
	return event, reason, err
}

// anothers reports whether an event that looks like an op's is that of another row, or was there before
// the run. A row that makes another event has only been answered with its id, wrongly.
func (e *execution) anothers(op *plan.Op, event api.Record) bool {
	e.claims.mu.Lock()
	defer e.claims.mu.Unlock()
	has := e.claims.of[event.ID]
	taken := has != nil && (has.ref == nil || has.ref.like == likeness(op))
	return taken || e.known(event.ID) == Another || event.Slug() != "" && e.slugs[hash("slug:"+event.Slug())]
}
