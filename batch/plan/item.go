package plan

import (
	"strings"

	"eventbatch/mapping/schema"
)

// item decides what becomes of a row about a record that has no rows of its own, such as one tag
// of an event: a call makes it or takes it away without a word about the others of its cell.
func (p *Planner) item(op *Op, d *schema.Draft) {
	each := d.Resource
	if op.Resource = each.Name; !p.calendar(op, d) {
		return
	}
	op.Event.Parent, op.Event.Name = d.Value(each.Parent), d.Value(each.Named)
	if each.Cell == schema.Contacts {
		op.Event.Parent = strings.ToLower(op.Event.Parent)
	}
	s := d.Get(d.Naming().ID)
	if of := s.Field.Field().Refers; p.config.Listed != nil {
		m, ok := p.meant(op, d, each.Named, of, s.Text)
		if !ok {
			return
		}
		s.Text = m.name
		op.Event.Name = s.Text
	}
	op.Event.Key, op.Hash = recordKey(each, schema.Create, op.Event.Parent, s.Text), shortHash(s.Text)
	if p.secondRecord(op, d) {
		return
	}
	if op.Known = Recollection(p.config.Memory, &op.Event); op.Known.Owed {
		op.Action, op.Reason = Blocked, "run "+op.Known.Run+" has not settled it: finish it first"
		return
	}
	p.requestRecord(op, d, d.Action, "the call says so")
}
