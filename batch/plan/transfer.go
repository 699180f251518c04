package plan

import (
	"encoding/json"

	"eventbatch/mapping/schema"
)

// UnshownError is the error of [Config.Live] where the key shows no event of its calendar at all.
type UnshownError struct{ Err error }

func (e *UnshownError) Error() string { return e.Err.Error() }

func (e *UnshownError) Unwrap() error { return e.Err }

// Moves reports whether the row of an event means that the event goes to its calendar, wherever it
// is: the calendar's cell is not as it was exported, or the file is right about it. Any other
// row follows an event that others have moved.
func (o *Options) Moves(d *schema.Draft) bool {
	return d.Moved > 0 || d.Has(schema.FieldEventID) && d.Calendar != "" && o.owns(schema.FieldCalendarID.Field())
}

// moved decides about an event that is on another calendar than its row says: it goes there, or is
// changed where it is, and is not made again.
func (c *comparison) moved(to string) {
	op := c.op
	from := op.Event.Calendar
	if from == to || op.Action != Update && op.Action != Unchanged {
		return
	}
	was, _ := json.Marshal(to) // texts always encode
	now, _ := json.Marshal(from)
	change := Change{Field: schema.FieldCalendarID.Path(), Base: was, Live: now, Mine: was, Decision: Left}
	switch {
	case !c.p.config.Options.Moves(c.d):
		if op.Action == Unchanged {
			op.Reason = "left: changed on the platform"
		}
	case c.d.Moved > 0 && !c.baseline.On(from):
		c.unmovable("the event was moved to calendar " + from + " since it was exported")
		op.Action = Conflict
		return
	default:
		change.Base, change.Decision = now, Send
		image := imageOf(c.live, c.whole, nil)
		further := op
		if op.Action == Update {
			further = op.newPart()
			further.Event = op.Event
			op.Parts = append(op.Parts, further)
		}
		further.transfer(from, to, "the row moves the event to calendar "+to, image)
	}
	op.Changes = append(op.Changes, change)
}

// unmovable refuses a row that moves its event.
func (r *eventRow) unmovable(message string) {
	r.op.refuse(r.d, schema.FieldCalendarID, schema.CodeUnknownCalendar, message,
		"put the calendar back that the export had; an event is moved under --compare live, "+
			"by a key of an organization that has both calendars")
	r.op.Problems[len(r.op.Problems)-1].Place.Column = r.d.Moved - 1
}

// transfer makes the op move its event to another calendar. It is sent where the event is.
func (op *Op) transfer(from, to, reason string, image Before) {
	op.Action, op.Operation, op.Reason = Update, schema.Transfer, reason
	op.Body = schema.AppendWith(nil, []byte("{}"), schema.FieldCalendarID.Path(), to)
	op.Body = schema.AppendWith(nil, op.Body, schema.FieldEventID.Path(), op.Event.ID)
	was, _ := json.Marshal(from) // texts always encode
	image.Fields[schema.FieldCalendarID.Path()] = was
	op.Before, _ = json.Marshal(image) // what came as JSON is JSON
	op.Estimate()
}

// transferBack moves the event back, where it still is where the run has moved it.
func (r *Reversal) transferBack(op *Op) {
	path := schema.FieldCalendarID.Path()
	var was, sent string
	_ = json.Unmarshal(r.Image[path], &was) // which the op had
	_ = json.Unmarshal(r.Sent[path], &sent)
	live, _ := json.Marshal(op.Event.Calendar) // texts always encode
	change := Change{Field: path, Base: r.Sent[path], Live: live, Mine: r.Image[path], Decision: Send}
	switch op.Event.Calendar {
	case was:
		op.Action, op.Reason = Unchanged, "it is as it was before run "+r.Run
		return
	case sent:
		op.transfer(sent, was, op.Reason, imageOf(r.Live, r.Whole, nil))
	default:
		op.skip("left: changed on the platform since")
		change.Decision, change.Why = Left, "changed on the platform since"
	}
	op.Changes = append(op.Changes, change)
}
