package plan

import (
	"encoding/json"
	"slices"
	"strconv"

	"eventbatch/mapping/schema"
)

func (r *row) operation(does schema.Action) *schema.Operation {
	return r.d.Operation(does, r.op.Event.Parent == "" && len(r.op.After) == 0)
}

// request gives the op its request. Nobody is mailed unless the row says so. The draft has passed package check, so
// an error means that the two packages have different rules: the row is refused, not sent.
func (r *row) request(does schema.Action, reason string) {
	op, d := r.op, r.d
	operation := r.operation(does)
	if operation == nil {
		r.refuseAt(d.Naming().Path, schema.CodeWrongOperation, d.Resource.Some()+" cannot be "+does.Word()+"d", "")
		return
	}
	r.quiet(operation)
	id := operation.ByID()
	if f := d.Resource.IDField(); id == nil && d.Resource.Keyed() && does == schema.Update {
		id = f // the body names it as soon as it is known
	}
	if id != nil && !d.Has(id.ID) && op.Event.ID != "" {
		d.Put(schema.Setting{Field: id.ID, State: schema.Set, Column: -1, Text: op.Event.ID})
	}
	body, err := schema.AppendBody(nil, d, operation)
	if err != nil {
		r.unsound(err)
		return
	}
	if op.Event.Parent != "" && id == nil {
		body = operation.Below(op.Event.Parent, body)
	}
	if operation.Platform != "" {
		platform := "external"
		if d.Naming().Path == d.Resource.Named {
			platform = r.p.config.Native
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
func (r *row) quiet(operation *schema.Operation) {
	f, quiets := r.d.Resource.ByPath(r.d.Resource.Quiet)
	said := func(s schema.Setting) bool { return s.Field == f.ID || s.Field.Field().Instead == f.ID }
	if quiets && operation.Takes(f) && operation.Has(schema.Mails) && !slices.ContainsFunc(r.d.Settings, said) {
		r.d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: r.d.Resource.Silence})
	}
}

// Place puts the ids of what an op waits for in their places, as far as made tells them: it becomes an
// op whose event was there before, and whose body calls records by their ids. The body may not have
// been read. Names keeps those that are not known.
func (op *Op) Place(made func(n int) (id string)) {
	if op.Event.Parent == "" && len(op.After) > 0 && op.Of().Parent != "" {
		if id := made(op.After[0]); id != "" {
			op.under(id)
		}
	}
	if op.Part > 0 && op.Action == Update && op.Event.ID == "" {
		op.own(made(op.After[0]))
	}
	names := op.Names
	op.Names = nil
	for name, n := range names {
		if id := made(n); id != "" && len(op.Body) > 0 {
			op.call(name, id)
		} else {
			op.wait(name, n)
		}
	}
}

// wait makes an op wait for one whose record its body calls by this name.
func (op *Op) wait(name string, n int) {
	if !slices.Contains(op.After, n) {
		op.After = append(op.After, n)
	}
	if op.Names == nil {
		op.Names = map[string]int{}
	}
	op.Names[name] = n
}

// call puts an id in the place of a name by which the body calls a record.
func (op *Op) call(name, id string) {
	operation := schema.OperationNamed(op.Operation)
	replace := func(word string) string {
		if word == name {
			return id
		}
		return word
	}
	var body map[string]json.RawMessage
	_ = json.Unmarshal(op.Body, &body) // a body of ours is JSON
	for _, f := range op.Of().Columns() {
		if f.Refers == nil {
			continue
		}
		member := operation.Member(f)
		if value, said := body[member]; said {
			body[member] = f.Renamed(value, replace)
		}
		if agreed, said := op.Agreed[f.Path]; said {
			agreed.Live = f.Renamed(agreed.Live, replace)
			op.Agreed[f.Path] = agreed
		}
	}
	op.Body, _ = json.Marshal(body)
}

// own gives an op that changes what the first of its row makes the id of that.
func (op *Op) own(id string) {
	operation := schema.OperationNamed(op.Operation)
	f := operation.ByID()
	if op.Event.ID = id; id != "" && f != nil && len(op.Body) > 0 {
		op.Body = schema.AppendWith(nil, op.Body, operation.Member(f), id)
	}
}

// under gives an op that waits for its event the id of that event: its key, and the body
// where that was read, are then those of an op whose event was there before.
func (op *Op) under(event string) {
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
