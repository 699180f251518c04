package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/send"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/value"
)

// fresh finds out whether the events of a run are still as they were when the run was
// compared with what was live. Where that is longer ago than it lasts they are read again when
// their row's turn comes: by one list of the calendar for all its rows, again once that is not
// [live.Fresh] any more, or by a read of the event alone where a list would not tell all that was
// compared. A record is always listed again before anything is added to a list of its own.
type fresh struct {
	*live.Shared

	run   *journal.Run
	lasts time.Duration
	read  time.Time // when the plan read what it was compared with
}

func newFresh(config ApplyConfig) *fresh {
	header := config.Run.Header()
	f := &fresh{run: config.Run, lasts: config.Fresh, read: header.Created}
	f.Shared = live.NewShared(config.Service, f.window)
	if header.Command == "retry" {
		f.read = time.Time{} // its rows are those of an earlier run
	}
	return f
}

// changed returns how the event of a task differs from what the plan was compared with, nil
// where it does not.
func (f *fresh) changed(ctx context.Context, t *send.Task) (*journal.Why, error) {
	op := t.Op
	o := catalog.OperationNamed(op.Operation)
	adds := o != nil && o.Differs != "" // what somebody has added since would be added twice
	if len(op.Before) == 0 || !adds && time.Since(f.read) < f.lasts {
		return nil, nil
	}
	var was plan.Before
	if err := json.Unmarshal(op.Before, &was); err != nil {
		return nil, fmt.Errorf("row %d: reading its before-image: %w", op.Row.Number, err)
	}
	event, gone := op.Event, "event "+op.Event.ID+" was cancelled on"
	if !op.Of().Keyed() {
		gone = "the " + op.Of().One + " is gone from"
	}
	now, err := f.Now(ctx, op.Of(), &event, was.Whole)
	if errors.Is(err, plan.ErrGone) || api.Missing(err) {
		return &journal.Why{Error: gone + " the platform since the plan was made"}, nil
	} else if api.Unshown(err) {
		return &journal.Why{Error: "the " + op.Of().One + " cannot be read any more: " + err.Error()}, nil
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
	changed, other := was.Changed(op.Of(), now, sent)
	if len(changed) == 0 && !other {
		return nil, nil
	}
	why := &journal.Why{Error: "the " + op.Of().One + " has changed on the platform since the plan was made"}
	var words []string
	for _, c := range changed {
		reason := fmt.Sprintf("it was %s and is %s on the platform",
			placed(op, c.Field, c.Base, op.Event.LiveZone()), placed(op, c.Field, c.Live, op.Event.LiveZone()))
		why.Fields = append(why.Fields, journal.FieldError{Path: c.Field, Reason: reason})
		words = append(words, c.Field)
	}
	if len(words) > 0 {
		why.Error += ": " + strings.Join(words, ", ")
	}
	return why, nil
}

// window returns the part of a calendar in which the events of the run began that are compared
// by a list.
func (f *fresh) window(calendar string) (*live.Window, error) {
	w := &live.Window{}
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
			at, wrong := value.ParseTimestamp(text)
			start, fault = at, wrong != nil
		}
		if w.Whole = w.Whole || fault; !fault {
			w.Add(time.UnixMilli(start))
		}
	}
	return w, nil
}
