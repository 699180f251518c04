package plan

import (
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

func (v verdict) operation(does schema.Action) *schema.Operation {
	return v.d.Operation(does, v.op.Event.Parent == "" && len(v.op.After) == 0)
}

// request gives the op its request. Nobody is mailed unless the row says so. The draft has passed package check, so
// an error means that the two packages have different rules: the row is refused, not sent.
func (v verdict) request(does schema.Action, reason string) {
	op, d := v.op, v.d
	operation := v.operation(does)
	if operation == nil {
		v.refuseAt(d.Naming().Path, schema.CodeWrongOperation, d.Resource.Some()+" cannot be "+does.Word()+"d", "")
		return
	}
	v.quiet(operation)
	id := operation.ByID()
	if f := d.Resource.IDField(); id == nil && d.Resource.Keyed() && does == schema.Update {
		id = f // the body names it as soon as it is known
	}
	if id != nil && !d.Has(id.ID) && op.Event.ID != "" {
		d.Put(schema.Setting{Field: id.ID, State: schema.Set, Column: -1, Text: op.Event.ID})
	}
	body, err := schema.AppendBody(nil, d, operation)
	if err != nil {
		v.unsound(err)
		return
	}
	if op.Event.Parent != "" && id == nil {
		body = operation.Below(op.Event.Parent, body)
	}
	if operation.Platform != "" {
		platform := "external"
		if d.Naming().Path == d.Resource.Named {
			platform = v.config.Native
		}
		body = schema.AppendWith(nil, body, operation.Platform, platform)
	}
	if does == schema.Cancel && string(body) == "{}" {
		body = nil // its event is all that it says
	}
	op.Action, op.Reason, op.Operation, op.Body = ActionOf(operation.Name), reason, operation.Name, body
	op.Estimate()
	if operation.Gathers() {
		gather(op, operation)
	}
}

// quiet keeps people from being mailed about what is sent, unless the row itself says whether they are.
func (v verdict) quiet(operation *schema.Operation) {
	f, quiets := v.d.Resource.ByPath(v.d.Resource.Quiet)
	said := func(s schema.Setting) bool { return s.Field == f.ID || catalog.Field(s.Field).Instead == f.ID }
	if quiets && operation.Takes(f) && operation.Has(schema.Mails) && !slices.ContainsFunc(v.d.Settings, said) {
		v.d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: v.d.Resource.Silence})
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
