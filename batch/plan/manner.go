package plan

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// manner warns, at its cell, of each word that says how a request is made and that no request of the row takes,
// such as a message to a guest who is added. A row of which nothing is sent says by its reason what becomes of it.
func manner(op *Op, d *schema.Draft) {
	var sends []*schema.Operation
	for each := range op.All() {
		o := catalog.OperationNamed(each.Operation)
		if o != nil && each.Action.Sends() && !slices.Contains(sends, o) {
			sends = append(sends, o)
		}
	}
	if len(sends) == 0 {
		return
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		f := catalog.Field(s.Field)
		taken := func(o *schema.Operation) bool { return o.Takes(f) }
		named := func(p schema.Problem) bool { return p.Field == f.Path }
		if !f.Manner || slices.ContainsFunc(sends, taken) || slices.ContainsFunc(op.Problems, named) || anyway(op, d, s) {
			continue
		}
		var names []string
		for _, o := range sends {
			names = append(names, o.Name)
		}
		op.Problems = append(op.Problems, problemAt(d, f.Path, schema.CodeFieldLeftOut,
			f.Path+" is left out: there is no such word in "+strings.Join(names, " and "), "leave the cell blank"))
	}
}

// anyway reports whether what a word asks for is so without it: what mails, refunds or skips nothing need not be
// told to leave that.
func anyway(op *Op, d *schema.Draft, s *schema.Setting) bool {
	if of := d.Resource; catalog.Path(s.Field) == of.Quiet {
		effects := op.RowEffects()
		return s.Text == of.Silence && !effects.Has(schema.Mails)
	}
	return s.Text == "false"
}
