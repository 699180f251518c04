package plan

import (
	"encoding/json"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Some lists of a record are not sent whole: a request says what is added to them and what is
// taken away, which follows from what the record has. Repeated, it would add a second time: what
// the list becomes is kept with the op, so that a doubt can be looked into.

// differing returns the field whose list the operation changes so, nil where it changes none.
func differing(o *schema.Operation) *schema.Field {
	if o == nil || o.Differs == "" {
		return nil
	}
	f, _ := o.Resource.ByPath(o.Differs)
	return f
}

// differs reports whether a row says what such a list should be.
func differs(d *schema.Draft, alone bool) bool {
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := catalog.Field(s.Field); f.Kind == schema.List && !s.Untouched &&
			differing(d.Resource.Bringing(f, schema.Update, alone)) == f {
			return true
		}
	}
	return false
}

// differ makes the request of the op say how the list of a record becomes the one that is
// wanted. agreed is what the cell says of it, nil where none does.
func (v verdict) differ(f *schema.Field, want, agreed, have json.RawMessage) {
	op := v.op
	o := catalog.OperationNamed(op.Operation)
	add, drop := value.Difference(f, want, have)
	var body map[string]json.RawMessage
	_ = json.Unmarshal(op.Body, &body) // a body of ours is JSON
	if delete(body, o.Member(f)); add != nil {
		body[o.Member(f)] = add
	}
	if len(drop) > 0 {
		body[o.Drops], _ = json.Marshal(drop) // texts always encode
	}
	op.Body, _ = json.Marshal(body)
	if op.Agreed == nil {
		op.Agreed = map[string]Agreement{}
	}
	op.Agreed[f.Path] = Agreement{Mine: agreed, Live: want}
}

// lack leaves out what a record has already, where several operations change it.
func (c choice) lack() {
	for i := range c.d.Settings {
		s := &c.d.Settings[i]
		f := catalog.Field(s.Field)
		raw, told := c.live.Values[f.Read()]
		brings := c.d.Resource.Bringing(f, schema.Update, c.op.Event.Parent == "")
		if brings != nil && brings.Only != nil && told && value.Compare(f, f.JSON(s), raw) == value.Alike {
			s.Untouched = true
		}
	}
}

// divide leaves in a row what one operation brings, and returns the row with the rest, which takes
// another one; nil where one brings all.
func (c choice) divide() (rest *schema.Draft) {
	operation := c.operation(schema.Update)
	if operation == nil || operation.Only == nil {
		return nil
	}
	apart := func(s schema.Setting) bool {
		f := catalog.Field(s.Field)
		return !s.Untouched && !operation.Brings(f) && c.d.Resource.Bringing(f, schema.Update, c.op.Event.Parent == "") != nil
	}
	if !slices.ContainsFunc(c.d.Settings, apart) {
		return nil
	}
	rest = c.d.Clone()
	for i := range c.d.Settings {
		s := &rest.Settings[i]
		if s.Untouched = s.Untouched || operation.Brings(catalog.Field(s.Field)); apart(c.d.Settings[i]) {
			c.d.Settings[i].Untouched = true
		}
	}
	return rest
}

// further plans what another operation brings of the row, as a further op: it waits for the first,
// so that the record is as the row says once the last one is done, and not before.
func (c choice) further(rest *schema.Draft, reason string) {
	op, part := c.op, c.op.newPart()
	part.Resource, part.Event, part.Hash, part.From = op.Resource, op.Event, op.Hash, op.From
	part.After, part.Names = append([]int{op.N}, op.After...), op.Names
	next := choice{c.another(part, rest)}
	next.live = c.live
	if next.update(reason); part.Action != Update {
		op.Action, op.Reason, op.Problems = part.Action, part.Reason, append(op.Problems, part.Problems...)
		return
	}
	if next.live != nil {
		keep(part, rest, next.live)
	}
	op.Hash, op.Parts = Made(op.Hash), append(op.Parts, part)
}
