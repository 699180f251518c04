package plan

import (
	"encoding/json"
	"fmt"

	"eventbatch/mapping/schema"
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
		if f := s.Field.Field(); f.Kind == schema.List && !s.Untouched && differing(d.Resource.Bringing(f, schema.Update, alone)) == f {
			return true
		}
	}
	return false
}

// differ makes the request of the op say how the list of a record becomes the one that is
// wanted. agreed is what the cell says of it, nil where none does.
func (op *Op) differ(f *schema.Field, want, agreed, have json.RawMessage) {
	o := schema.OperationNamed(op.Operation)
	add, drop := f.Difference(want, have)
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

// single leaves out what a record has already, where several operations change it, and
// refuses a row that needs two of them. ok means that one is enough.
func (p *Planner) single(op *Op, d *schema.Draft, live *Listed) (ok bool) {
	var first *schema.Field
	alone := op.Event.Parent == ""
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		brings := d.Resource.Bringing(f, schema.Update, alone)
		if brings == nil || brings.Only == nil || s.Untouched {
			continue
		}
		value, told := live.Values[f.Read()]
		switch {
		case told && f.Compare(s.JSON(), value) == schema.Alike:
			s.Untouched = true
		case first != nil && d.Resource.Bringing(first, schema.Update, alone) != brings:
			op.refuseAt(d, f.Path, schema.CodeWrongOperation,
				fmt.Sprintf("%s and %s of %s are changed by two requests", first.Path, f.Path, d.Resource.Some()),
				"import the file once without this column, and then as it is")
			return false
		default:
			first = f
		}
	}
	return true
}
