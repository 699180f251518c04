package plan

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// manner warns, at its cell, of each word that says how a request is made and that no request of the row takes,
// such as a message to a guest who is added. A row of which nothing is sent says by its reason what becomes of it.
func (r *row) manner() {
	var sends []*schema.Operation
	for each := range r.op.All() {
		o := schema.OperationNamed(each.Operation)
		if o != nil && each.Action.Sends() && !slices.Contains(sends, o) {
			sends = append(sends, o)
		}
	}
	if len(sends) == 0 {
		return
	}
	for i := range r.d.Settings {
		s := &r.d.Settings[i]
		f := s.Field.Field()
		taken := func(o *schema.Operation) bool { return o.Takes(f) }
		named := func(p schema.Problem) bool { return p.Field == f.Path }
		if !f.Manner || slices.ContainsFunc(sends, taken) || slices.ContainsFunc(r.op.Problems, named) || r.anyway(s) {
			continue
		}
		var names []string
		for _, o := range sends {
			names = append(names, o.Name)
		}
		r.op.Problems = append(r.op.Problems, problemAt(r.d, f.Path, schema.CodeFieldLeftOut,
			f.Path+" is left out: there is no such word in "+strings.Join(names, " and "), "leave the cell blank"))
	}
}

// anyway reports whether what a word asks for is so without it: what mails, refunds or skips nothing need not be
// told to leave that.
func (r *row) anyway(s *schema.Setting) bool {
	if of := r.d.Resource; s.Field.Path() == of.Quiet {
		effects := r.op.RowEffects()
		return s.Text == of.Silence && !effects.Has(schema.Mails)
	}
	return s.Text == "false"
}
