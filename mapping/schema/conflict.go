package schema

import (
	"cmp"
	"slices"
	"strings"
)

// Conflicts calls emit for each setting of the draft that does not go together with
// the others: it breaks a rule of its resource, or makes no form of the object that
// it is a part of. Of two, the one that is not as its export said is wrong. Nothing is allocated
// where there is none.
func (d *Draft) Conflicts(emit func(ID, *Fault)) {
	for i := range d.Resource.Rules {
		if r := &d.Resource.Rules[i]; d.Has(r.broken) {
			d.keep(r, emit)
		}
	}
	for i := range d.Resource.objects {
		o := &d.Resource.objects[i]
		for _, at := range d.at[o.first:o.end] {
			if at > 0 {
				d.form(o, emit)
				break
			}
		}
	}
}

// keep checks a rule that the row may break, as it has the field that breaks it.
func (d *Draft) keep(r *Rule, emit func(ID, *Fault)) {
	a, b := r.a, r.b
	switch r.Kind {
	case Exclusive:
		if other := d.fills(a); other != nil && d.fills(b) != nil {
			message := b.Path + " cannot be combined with " + other.Path + r.Why
			emit(d.touched(b, other), CodeExclusiveFields.Fault(message, "keep one of the two"))
		}
	case Needs:
		takes := d.Action != Invite || b.On.Has(OnInvite) // what an invitation cannot say it does not need
		if takes && !d.Has(b.ID) && (b.whole == nil || !d.Has(b.Of)) {
			emit(a.ID, cmp.Or(r.Code, CodeIncompleteObject).Fault(
				a.Path+" is filled in and "+b.Path+" is blank",
				cmp.Or(r.Hint, "fill in "+b.Path+" too"),
			))
		}
	case Before:
		first, second := d.Get(a.ID), d.Get(b.ID)
		switch {
		case first == nil || second == nil || first.State != Set || second.State != Set:
		case b.Kind == Day && second.Text < first.Text:
			emit(d.touched(b, a), CodeEndBeforeStart.Fault(b.Path+" is before "+a.Path, "make it the same day, or a later one"))
		case b.Kind != Day && second.Instant <= first.Instant:
			message := b.Path + " is not after " + a.Path
			emit(d.touched(b, a), CodeEndBeforeStart.Fault(message, "make "+b.Path+" later than "+a.Path))
		}
	case Unless:
		if d.Text(b.ID) == r.Is && strings.Trim(d.Text(a.ID), "0") != "" {
			message := a.Path + " has no use where " + b.Path + " is " + r.Is
			emit(d.touched(a, b), CodeExclusiveFields.Fault(message, "leave one of the two blank"))
		}
	}
}

// touched returns the first of two fields, or the second where only its cell is not as its export said.
func (d *Draft) touched(first, second *Field) ID {
	if s, other := d.Get(first.ID), d.Get(second.ID); s != nil && s.Untouched && other != nil && !other.Untouched {
		return second.ID
	}
	return first.ID
}

// fills returns the field, or the first part of the object that it is, that has a value
// other than an empty text, which takes something away and conflicts with nothing; nil
// where there is none.
func (d *Draft) fills(f *Field) *Field {
	if d.Text(f.ID) != "" {
		return f
	}
	if f.Kind == Object {
		parts := f.parts
		for i := range parts {
			if d.Text(parts[i].ID) != "" {
				return &parts[i]
			}
		}
	}
	return nil
}

// form checks that the parts of an object that the row has make one of its variants:
// that which the row says or, where it does not say it, the one that needs the first part.
func (d *Draft) form(o *object, emit func(ID, *Fault)) {
	var chosen *Variant
	var first, before *part
	said, have, r, whole := false, 0, o.whole.Record, d.Has(o.whole.ID)
	exclusive := func(p *part, other *Field, message, hint string) {
		emit(d.touched(p.Field, other), CodeExclusiveFields.Fault(p.Path+message, hint))
	}
	for i := range o.parts {
		p := &o.parts[i]
		if !d.Has(p.ID) {
			continue
		}
		switch {
		case whole:
			exclusive(p, o.whole, " cannot be combined with "+o.whole.Path+", which it is a part of", "keep the whole or its parts")
		case r == nil:
		case p.form == nil:
			said, first, chosen = true, p, r.variant(d.Text(p.ID))
		case chosen == nil && p.required:
			first, chosen, have = p, p.form, 1
		case chosen == nil:
			emit(p.ID, lacks(p.Field, o.whole.Short(p.form.Value)))
		case chosen != p.form && (said || !p.required):
			message := " does not belong to " + r.Name + " of type " + chosen.Value
			exclusive(p, first.Field, message, "keep the parts of one kind of "+noun(r.Name))
		case chosen != p.form && before.form == p.form: // one error a form
		case chosen != p.form:
			exclusive(p, first.Field, " cannot be combined with "+first.Path+r.Why, "keep one of the two")
		case before != nil && before.name == p.name:
			exclusive(p, before.Field, " says the same thing as "+before.Path, "keep one of the two")
		case p.required:
			have++
		}
		before = p
	}
	if chosen == nil || have == chosen.needs() {
		return
	}
	for _, m := range chosen.Members {
		if !m.Required || slices.ContainsFunc(o.parts, func(p part) bool { return p.name == m.Name && d.Has(p.ID) }) {
			continue
		}
		missing := o.whole.feeding(m.Name)
		fault := lacks(first.Field, missing)
		if said {
			fault.Message = r.Name + " of type " + chosen.Value + " lacks its " + missing.Path
		}
		emit(first.ID, fault)
	}
}

// lacks is the fault of a part that is given without another.
func lacks(given, missing *Field) *Fault {
	return CodeIncompleteObject.Fault(
		given.Path+" is filled in and "+missing.Path+" is blank", "fill in "+missing.Path+" too",
	)
}
