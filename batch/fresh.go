package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/mapping/schema"
)

// Fresh is how long what was read of an event is taken for what it is now.
const Fresh = 10 * time.Minute

// fresh finds out whether the events of a run are still as they were when the run was
// compared with what was live. Where that is longer ago than it lasts they are read again when
// their row's turn comes: by one list of the calendar for all its rows, again once that is not
// [Fresh] any more, or by a read of the event alone where a list would not tell all that was
// compared. A record is always listed again before anything is added to a list of its own.
type fresh struct {
	service *service.Service
	run     journal.Run
	lasts   time.Duration
	read    time.Time // when the plan read what it was compared with

	mu        sync.Mutex
	calendars map[string]*relisted
}

// relisted is a calendar that is listed again.
type relisted struct {
	earlier

	turn *semaphore.Weighted // of who asks it
	at   time.Time           // when it was listed last
	of   time.Time           // when the records of its events were
}

func newFresh(config ApplyConfig) *fresh {
	header := config.Run.Header()
	f := &fresh{service: config.Service, run: config.Run, lasts: config.Fresh, read: header.Created, calendars: map[string]*relisted{}}
	if header.Command == "retry" {
		f.read = time.Time{} // its rows are those of an earlier run
	}
	return f
}

// changed returns how the event of a task differs from what the plan was compared with, nil
// where it does not.
func (f *fresh) changed(ctx context.Context, t *send.Task) (*journal.Why, error) {
	op := t.Op
	o := schema.OperationNamed(op.Operation)
	adds := o != nil && o.Differs != "" // what somebody has added since would be added twice
	if len(op.Before) == 0 || !adds && time.Since(f.read) < f.lasts {
		return nil, nil
	}
	var was plan.Before
	if err := json.Unmarshal(op.Before, &was); err != nil {
		return nil, fmt.Errorf("row %d: reading its before-image: %w", op.Row.Number, err)
	}
	event, gone := op.Event, "event "+op.Event.ID+" was cancelled on"
	var live map[string]json.RawMessage
	var err error
	if op.Resource == "" {
		live, err = f.live(ctx, &event, was.Whole)
	} else {
		live, err = f.record(ctx, op)
		gone = "the " + op.Of().One + " is gone from"
	}
	if errors.Is(err, plan.ErrGone) || service.Unshown(err) {
		return &journal.Why{Error: gone + " the platform since the plan was made"}, nil
	} else if shifts, ok := errors.AsType[*api.ShiftsError](err); ok {
		return &journal.Why{Error: shifts.Error()}, nil
	} else if err != nil {
		return nil, err
	}
	if event.Calendar != op.Event.Calendar {
		return &journal.Why{Error: "event " + op.Event.ID + " has moved to calendar " + event.Calendar + " since the plan was made"}, nil
	}
	var sent map[string]json.RawMessage
	if t.Doubt {
		sent = fields(op.Operation, &op.Payload) // it may have arrived
	}
	changed, other := was.Changed(op.Of(), live, sent)
	if len(changed) == 0 && !other {
		return nil, nil
	}
	why := &journal.Why{Error: "the " + op.Of().One + " has changed on the platform since the plan was made"}
	var words []string
	for _, c := range changed {
		reason := fmt.Sprintf("it was %s and is %s on the platform", cellOf(op, c.Field, c.Base), cellOf(op, c.Field, c.Live))
		why.Fields = append(why.Fields, journal.FieldError{Path: c.Field, Reason: reason})
		words = append(words, c.Field)
	}
	if len(words) > 0 {
		why.Error += ": " + strings.Join(words, ", ")
	}
	return why, nil
}

// calendar returns a calendar that may be listed again.
func (f *fresh) calendar(id string) *relisted {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.calendars[id]
	if r == nil {
		r = &relisted{earlier: earlier{service: f.service}, turn: semaphore.NewWeighted(1)}
		f.calendars[id] = r
	}
	return r
}

// record returns what the service lists of the record of an op now.
func (f *fresh) record(ctx context.Context, op *plan.Op) (map[string]json.RawMessage, error) {
	r := f.calendar(op.Event.Calendar)
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.turn.Release(1)
	if time.Since(r.of) >= Fresh {
		r.of, r.records = time.Now(), nil
	}
	found, err := r.earlier.record(ctx, op.Of(), &op.Event)
	if found == nil && err == nil {
		err = plan.ErrGone
	}
	if err != nil {
		return nil, err
	}
	return found.Values, nil
}

// live returns the members of an event as they are now.
func (f *fresh) live(ctx context.Context, event *plan.Event, whole bool) (map[string]json.RawMessage, error) {
	r := f.calendar(event.Calendar)
	if whole {
		raw, err := r.read(ctx, event)
		if err != nil {
			return nil, err
		}
		live, _, err := membersOf(event, raw)
		return live, err
	}
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.turn.Release(1)
	if r.at.IsZero() || time.Since(r.at) >= Fresh {
		spans, err := f.spans(event.Calendar)
		if err != nil {
			return nil, err
		}
		r.at, r.calendars, r.spans = time.Now(), map[string]*listed{}, spans
	}
	live, _, err := r.earlier.live(ctx, event, false)
	return live, err
}

// spans returns the part of a calendar in which the events of the run began that are compared
// by a list.
func (f *fresh) spans(calendar string) (map[string]*span, error) {
	s := &span{}
	for op, err := range f.run.Ops() {
		if err != nil {
			return nil, err
		}
		var was plan.Before
		if op.Event.Calendar != calendar || len(op.Before) == 0 || json.Unmarshal(op.Before, &was) != nil || was.Whole {
			continue
		}
		var text string
		start, fault := int64(0), json.Unmarshal(was.Start, &text) != nil
		if !fault {
			at, wrong := schema.ParseTimestamp(text)
			start, fault = at, wrong != nil
		}
		if s.whole = s.whole || fault; !fault {
			s.add(time.UnixMilli(start))
		}
	}
	return map[string]*span{calendar: s}, nil
}
