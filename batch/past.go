package batch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// past is what other runs of the workspace have sent for the events that a run updates.
type past struct {
	by map[string]*story // by key within its calendar, and by event id
}

// story is what was sent for one event.
type story struct{ sent []sent }

// sent is one request that the service took. The body of a cancellation is nil.
type sent struct {
	state     journal.OpState
	operation string
	body      json.RawMessage
}

// recallPast looks through the other runs of the workspace that were sent to the
// same service, for the events that this one updates.
func recallPast(ctx context.Context, workspace journal.Store, run journal.Run, state *journal.State) (*past, error) {
	p := &past{by: map[string]*story{}}
	for op, err := range run.Sends() {
		if err != nil {
			return nil, err
		}
		if op.Action == plan.Update {
			p.await(op, state.Ops[op.N].EventID)
		}
	}
	if len(p.by) == 0 {
		return p, nil
	}
	summaries, err := workspace.Runs()
	if err != nil {
		return nil, err
	}
	for i := range summaries {
		s := &summaries[i]
		if s.Err != nil || s.ID == run.ID() || !s.Started || s.Header.Target.BaseURL != run.Header().Target.BaseURL {
			continue // a run that cannot be read leaves something unknown, no more
		}
		if err := cmp.Or(ctx.Err(), p.learn(workspace, s.ID)); err != nil {
			return nil, err
		}
	}
	for _, s := range p.by {
		slices.SortStableFunc(s.sent, func(a, b sent) int {
			switch {
			case a.state.Before(&b.state):
				return -1
			case b.state.Before(&a.state):
				return 1
			}
			return 0
		})
	}
	return p, nil
}

func byKey(op *plan.Op) string { return op.Event.Calendar + "\x00" + op.Event.Key }

// await notes that the past of an op's event is to be looked up.
func (p *past) await(op *plan.Op, id string) {
	s := &story{}
	p.by[byKey(op)] = s
	if id = cmp.Or(id, op.Event.ID); id != "" {
		p.by["\x00"+id] = s
	}
}

// of returns the past of an op's event, nil where nobody has asked for it.
func (p *past) of(op *plan.Op, id string) *story {
	if s := p.by["\x00"+cmp.Or(id, op.Event.ID)]; s != nil {
		return s
	}
	return p.by[byKey(op)]
}

// learn adds what one run has sent with success.
func (p *past) learn(workspace journal.Store, id string) error {
	run, err := workspace.Find(id)
	if err != nil {
		return err
	}
	state, err := run.State()
	if err != nil {
		return err
	}
	for op, err := range run.Sends() {
		if err != nil {
			return err
		}
		o := &state.Ops[op.N]
		if o.Status != journal.Done {
			continue
		}
		if s := p.of(op, o.EventID); s != nil {
			if err := run.Load(op); err != nil {
				return err
			}
			s.sent = append(s.sent, sent{*o, op.Operation, op.Body})
		}
	}
	return nil
}

// changes compares what an update says with what was sent before it. The state of one
// that has not been sent is that of an op never heard of.
func (p *past) changes(op *plan.Op, state *journal.OpState) []finding.Change {
	before := map[string]json.RawMessage{}
	if s := p.of(op, ""); s != nil {
		for _, earlier := range s.sent {
			if !state.At().IsZero() && !earlier.state.Before(state) {
				continue
			}
			if earlier.body == nil {
				clear(before)
			}
			maps.Copy(before, fields(earlier.operation, earlier.body))
		}
	}
	after := fields(op.Operation, op.Body)
	var list []finding.Change
	for _, field := range slices.Sorted(maps.Keys(after)) {
		was, known := before[field]
		if field == "event_id" || field == op.Of().Named || known && same(was, after[field]) {
			continue
		}
		change := finding.Change{Field: field, After: cellText(after[field]), Known: known}
		if known {
			change.Before = cellText(was)
		}
		list = append(list, change)
	}
	return list
}

// fields returns what a request says of its row's fields, by their paths.
func fields(operation string, body json.RawMessage) map[string]json.RawMessage {
	op, said := schema.OperationNamed(operation), map[string]json.RawMessage{}
	all := members(body)
	if op == nil || op.Resource == schema.Events {
		return all
	}
	var items []map[string]json.RawMessage
	if op.Gathers() && json.Unmarshal(all[op.Into], &items) == nil && len(items) == 1 {
		delete(all, op.Into)
		maps.Copy(all, items[0])
	}
	for member, value := range all {
		said[op.FieldOf(member)] = value
	}
	return said
}

// members returns the members of a request's body.
func members(body json.RawMessage) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if len(body) > 0 {
		// A body is an object of ours; of anything else nothing is known.
		_ = json.Unmarshal(body, &fields)
	}
	return fields
}

// same reports whether two values mean the same: the same JSON, or the same instant.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y string
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	first, second := local(x, ""), local(y, "")
	return !first.IsZero() && first.Equal(second)
}

// cellText writes a value as a cell holds it.
func cellText(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return "<clear>"
	case json.Unmarshal(value, &text) != nil:
		return string(value)
	case text == "":
		return "<empty>"
	}
	return text
}
