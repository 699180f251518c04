package plan

import (
	"strconv"

	"eventbatch/mapping/schema"
)

func (p *Planner) operation(op *Op, d *schema.Draft, does schema.Action) *schema.Operation {
	return d.Operation(does, op.Event.Parent == "" && len(op.After) == 0)
}

// requestRecord gives the op its request. Nobody is mailed unless the row says so.
func (p *Planner) requestRecord(op *Op, d *schema.Draft, does schema.Action, reason string) {
	operation := p.operation(op, d, does)
	if operation == nil {
		op.refuseAt(d, d.Naming().Path, schema.CodeWrongOperation, d.Resource.Some()+" cannot be "+does.Word()+"d", "")
		return
	}
	f, quiet := d.Resource.ByPath(d.Resource.Quiet)
	if quiet && operation.Takes(f) && operation.Has(schema.Mails) && !d.Has(f.ID) {
		d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: d.Resource.Silence})
	}
	id := operation.ByID()
	if id != nil && !d.Has(id.ID) {
		d.Put(schema.Setting{Field: id.ID, State: schema.Set, Column: -1, Text: op.Event.ID})
	}
	body, err := schema.AppendBody(nil, d, operation)
	if err != nil {
		op.refuseAt(d, d.Naming().Path, schema.CodeBadObject, err.Error(), "")
		return
	}
	if op.Event.Parent != "" && id == nil {
		body = operation.Below(op.Event.Parent, body)
	}
	if operation.Platform != "" {
		platform := "external"
		if d.Naming().Path == d.Resource.Named {
			platform = p.config.Native
		}
		body = schema.AppendWith(nil, body, operation.Platform, platform)
	}
	op.Action, op.Reason, op.Operation, op.Body = ActionOf(operation.Name), reason, operation.Name, body
	if op.Requests = 1; op.Rides() {
		op.Requests = 0
	}
	if op.Effects.Of = op.effects(); len(op.Effects.Of) > 0 && !operation.Reaches {
		op.Effects.People, op.Effects.Counted = 1, true
	}
	if operation.Gathers() {
		gather(op, operation)
	}
}

// Under gives an op that waits for its event the id of that event: its key, and the body
// where that was read, are then those of an op whose event was there before.
func (op *Op) Under(event string) {
	operation := schema.OperationNamed(op.Operation)
	op.Event.Parent, op.Event.Key = event, recordKey(op.Of(), operation.Does, event, op.Event.Name)
	if len(op.Body) > 0 {
		op.Body = operation.Below(event, op.Body)
	}
}

// gather notes with which others the op can share a request.
func gather(op *Op, operation *schema.Operation) {
	shared, err := operation.Shared(op.Body)
	if err != nil {
		return // a body of ours is JSON
	}
	parts := []string{operation.Name, op.Event.Calendar, string(shared)}
	if len(op.After) > 0 && operation.Item != operation.Resource.Parent {
		parts = append(parts, strconv.Itoa(op.After[0])) // in the place of the id in the body
	}
	op.Group = shortHash(parts...)
}
