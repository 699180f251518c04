package plan

import (
	"encoding/json"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

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
	change := Change{Field: catalog.Path(schema.FieldCalendarID), Base: was, Live: now, Mine: was, Decision: Left}
	agreed, o := Base{}, &c.config.Options
	if c.config.Base != nil && o.Moves(c.d) {
		agreed = c.config.Base(&op.Event, c.known)[change.Field]
	}
	still := string(agreed.Mine) == string(was) && agreed.At.After(c.baseline.At) // it was moved there as the cell says
	first := ""                                                                   // who is right where nothing is known
	if c.d.Moved == 0 && !o.ownsCalendar() {
		first = o.First
	}
	switch {
	case still && agreed.Undone != "":
		change.Why = undoneBy(&Known{Run: agreed.Undone})
		if op.Action == Unchanged {
			op.Reason = change.Why
		}
	case !c.moves(to), still && !o.ownsCalendar(), first == Theirs:
		if op.Action == Unchanged {
			op.Reason = leftChanged
		}
	case c.d.Moved > 0 && !c.baseline.On(from):
		c.unmovable("the event was moved to calendar " + from + " since it was exported")
		op.Action = Conflict
		return
	case first == Fail:
		c.conflict(change.Field, "the file says calendar "+to+", and the platform has the event on "+from, "say --first mine or theirs")
		change.Base, change.Decision = nil, InConflict
	default:
		change.Base, change.Decision = now, Send
		image := imageOf(c.d.Resource, c.members, c.whole, nil)
		further := op
		celled := func(s schema.Setting) bool { return catalog.Field(s.Field).Each != nil && !s.Untouched }
		if op.Action == Update || slices.ContainsFunc(c.d.Settings, celled) {
			further = op.newPart()
			further.Event = op.Event
			op.Parts = append(op.Parts, further)
		}
		transfer(further, from, to, "the row moves the event to calendar "+to, image)
	}
	op.Changes = append(op.Changes, change)
}

// transfer makes the op move its event to another calendar. It is sent where the event is.
func transfer(op *Op, from, to, reason string, image Before) {
	op.Action, op.Operation, op.Reason = Update, catalog.Transfer, reason
	op.Body = schema.AppendWith(nil, []byte("{}"), catalog.Path(schema.FieldCalendarID), to)
	op.Body = schema.AppendWith(nil, op.Body, catalog.Path(catalog.FieldEventID), op.Event.ID)
	was, _ := json.Marshal(from) // texts always encode
	image.Fields[catalog.Path(schema.FieldCalendarID)] = was
	op.Before, _ = json.Marshal(image) // what came as JSON is JSON
	op.Estimate()
}

// transfer moves the event back, where it still is where the run has moved it.
func (r restoration) transfer() {
	op := r.op
	path := catalog.Path(schema.FieldCalendarID)
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
		transfer(op, sent, was, op.Reason, imageOf(op.Of(), r.Live, r.Whole, nil))
	default:
		op.skip(leftChanged + " since")
		change.Decision, change.Why = Left, "changed on the platform since"
	}
	op.Changes = append(op.Changes, change)
}
