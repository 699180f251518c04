package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/service"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// span is the part of a calendar that has to be listed: the starts that its rows have, and
// those that runs have sent for them, unless it is the whole of it.
type span struct {
	after, before time.Time
	whole         bool
	unknown       bool     // it is whole for a row whose event nobody knows
	known         []string // ids of the events that should be there
	// answered is when runs were last answered for these: an earlier list would not tell.
	answered time.Time
}

// add widens the span to a start.
func (s *span) add(start time.Time) {
	if s.after.IsZero() || !start.After(s.after) {
		s.after = start.Add(-time.Second) // the bounds are exclusive
	}
	if s.before.IsZero() || !start.Before(s.before) {
		s.before = start.Add(time.Second)
	}
}

// lacks returns an error where a list cannot be believed: it is empty, or lacks more than a
// fifth, and three at least, of the events that are known to be there.
func (s *span) lacks(calendar string, listed map[string]json.RawMessage) error {
	if s == nil || len(s.known) == 0 {
		return nil
	}
	there := 0
	for _, id := range s.known {
		if listed[id] != nil {
			there++
		}
	}
	lacking := len(s.known) - there
	if len(listed) > 0 && (lacking < 3 || 5*lacking <= len(s.known)) {
		return nil
	}
	return failure.New(failure.Refused, fmt.Errorf(
		"nothing was sent: calendar %s lists %s of the %s that the rows and earlier runs know there", calendar,
		report.Number(there), report.Count(len(s.known), "event"),
	), "look whether the key still sees the whole calendar; if the events were cancelled, take their rows out, or say --compare sent")
}

// bounds returns the bounds of the list, zero of a whole one.
func (s *span) bounds() (after, before time.Time) {
	if s == nil || s.whole {
		return time.Time{}, time.Time{}
	}
	return s.after, s.before
}

// spans reads the input ahead, to find out which part of each calendar its rows concern. A
// calendar with a row whose event nobody knows, or whose start nobody knows, is listed
// whole: the same list then answers for both.
func (d *decision) spans(ctx context.Context, resolve func(string) (string, error), past *past) map[string]*span {
	spans := map[string]*span{}
	d.looked = true
	d.invalid = d.ahead(ctx, func(row *mapping.Result) {
		draft := row.Draft
		if draft == nil || draft.Action == schema.Skip || row.Skipped != "" {
			return
		}
		calendar, err := resolve(draft.Calendar)
		if err != nil {
			return
		}
		if spans[calendar] == nil {
			spans[calendar] = &span{}
		}
		s := spans[calendar]
		if draft.Resource != schema.Events {
			s.whole = true // for the event that the row names
			return
		}
		event := plan.Event{Calendar: calendar, Key: plan.Key(draft), ID: draft.Text(schema.FieldEventID)}
		known := plan.Recollection(d.memory, &event)
		if id := cmp.Or(event.ID, known.EventID); id != "" && !d.config.Options.Moves(draft) && !known.Cancelled && !known.Gone {
			s.known = append(s.known, id)
		}
		if at := d.memory.Heard(known.Run); known.Run != "" && at.After(s.answered) {
			s.answered = at
		}
		was := past.of(known.Run).find(&event)
		if was != nil && was.start != 0 {
			s.add(time.UnixMilli(was.start))
		}
		start, said := draft.Time(schema.FieldStartAt)
		if said {
			s.add(start)
		}
		s.unknown = s.unknown || event.ID == "" && (known.EventID == "" || known.Cancelled)
		s.whole = s.whole || s.unknown || !said && (was == nil || was.start == 0)
	})
	return spans
}

// live returns the members of an event as the list of its calendar tells them, or as the
// event itself does where that is asked for, or where the list lacks it. An event that has
// moved to another calendar of the organization is followed there.
func (e *earlier) live(ctx context.Context, event *plan.Event, whole bool) (members map[string]json.RawMessage, complete bool, err error) {
	l, err := e.calendar(ctx, event.Calendar, e.answered(event))
	if err != nil {
		return nil, false, err
	}
	raw, listed := l.events[event.ID]
	if !listed || whole {
		raw, err = e.read(ctx, event)
		if service.Unshown(err) {
			raw, err = e.elsewhere(ctx, event, err)
		}
		if service.Unshown(err) && len(l.events) > 0 {
			return nil, false, plan.ErrGone // the same key sees others
		} else if service.Unshown(err) {
			return nil, false, &plan.UnshownError{Err: err}
		} else if err != nil {
			return nil, false, err
		}
		whole = true
	}
	members, calendar, err := membersOf(event, raw)
	event.Calendar = cmp.Or(calendar, event.Calendar)
	return members, whole, err
}

// membersOf returns the members of an event as it came, its slug among them, and the
// calendar that it is in, where that is told.
func membersOf(event *plan.Event, raw json.RawMessage) (members map[string]json.RawMessage, calendar string, err error) {
	var of api.Event
	if err = json.Unmarshal(raw, &of); err == nil {
		err = json.Unmarshal(of.Raw, &members)
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading event %s: %w", event.ID, err)
	}
	members[schema.FieldSlug.Path()], _ = json.Marshal(of.Slug) // texts always encode
	return members, of.Calendar, nil
}

// read reads one event.
func (e *earlier) read(ctx context.Context, event *plan.Event) (json.RawMessage, error) {
	l, err := e.service.Line(ctx, event.Calendar)
	if err != nil {
		return nil, err
	}
	got, err := l.Event(ctx, event.ID)
	return got.Raw, err
}

// elsewhere reads an event that its calendar does not show, for the reason given, from
// whichever calendar of the organization has it.
func (e *earlier) elsewhere(ctx context.Context, event *plan.Event, unshown error) (json.RawMessage, error) {
	l, err := e.service.Across(ctx, event.Calendar)
	if l == nil || err != nil {
		return nil, cmp.Or(err, unshown)
	}
	got, err := l.Event(ctx, event.ID)
	return got.Raw, err
}
