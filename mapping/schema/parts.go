package schema

import (
	"strings"
)

// object is an object that can come in several columns.
type object struct {
	whole *Field
	// first and end bound the columns of its parts among the resource's own.
	first, end int
	parts      []part // that which says the variant, what a variant needs, what it may have
}

// part is one of these columns.
type part struct {
	*Field
	name     string   // of the member that it is sent as
	form     *Variant // that has it; nil where every form does
	required bool
}

// newObject returns the object whose parts are a range of fields, with the parts in the
// order in which they are checked.
func newObject(own []Field, first, end int) object {
	whole := &own[first-1]
	o := object{whole: whole, first: first, end: end}
	for i := first; i < end; i++ {
		o.parts = append(o.parts, part{Field: &own[i], name: own[i].Part()})
	}
	if whole.Record == nil {
		return o
	}
	sorted := make([]part, 0, len(o.parts))
	take := func(name string, form *Variant, required bool) {
		for _, p := range o.parts {
			if p.name == name {
				p.form, p.required = form, required
				sorted = append(sorted, p)
			}
		}
	}
	take(whole.Record.By, nil, true)
	for _, required := range [...]bool{true, false} {
		for i := range whole.Record.Variants {
			v := &whole.Record.Variants[i]
			for _, m := range v.Members {
				if m.Required == required {
					take(m.Name, v, required)
				}
			}
		}
	}
	o.parts = sorted
	return o
}

// Part returns the member of its object that the field is sent as.
func (f *Field) Part() string {
	_, name, _ := strings.Cut(f.Member(), ".")
	return name
}

// Short returns the field that an object of the variant is made of where the row has one
// column for it; nil where there is no such variant.
func (f *Field) Short(variant string) *Field {
	if f.Record == nil {
		return nil
	}
	if v := f.Record.variant(variant); v != nil {
		return f.feeding(v.Members[0].Name)
	}
	return nil
}

// feeding returns the part of an object that is sent as the member: the one with a name
// of its own where there is one.
func (f *Field) feeding(member string) *Field {
	var found *Field
	for parts := f.parts; len(parts) > 0; parts = parts[1:] {
		if parts[0].Part() == member {
			found = &parts[0]
		}
	}
	return found
}

// PartFields returns the fields that are sent as parts of an object, in their order.
func (f *Field) PartFields() []Field { return f.parts }
