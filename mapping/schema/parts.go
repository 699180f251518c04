package schema

import (
	"cmp"
	"slices"
	"strconv"
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
			emit(d.touched(b, other), &Fault{CodeExclusiveFields, message, "keep one of the two"})
		}
	case Needs:
		takes := d.Action != Invite || b.On.Has(OnInvite) // what an invitation cannot say it does not need
		if takes && !d.Has(b.ID) && (b.Of == none || !d.Has(b.Of)) {
			emit(a.ID, &Fault{
				cmp.Or(r.Code, CodeIncompleteObject), a.Path + " is filled in and " + b.Path + " is blank",
				cmp.Or(r.Hint, "fill in "+b.Path+" too"),
			})
		}
	case Before:
		first, second := d.Get(a.ID), d.Get(b.ID)
		switch {
		case first == nil || second == nil || first.State != Set || second.State != Set:
		case b.Kind == Day && second.Text < first.Text:
			emit(d.touched(b, a), &Fault{CodeEndBeforeStart, b.Path + " is before " + a.Path, "make it the same day, or a later one"})
		case b.Kind != Day && second.Instant <= first.Instant:
			message := b.Path + " is not after " + a.Path
			emit(d.touched(b, a), &Fault{CodeEndBeforeStart, message, "make " + b.Path + " later than " + a.Path})
		}
	case Unless:
		if d.Text(b.ID) == r.Is && strings.Trim(d.Text(a.ID), "0") != "" {
			message := a.Path + " has no use where " + b.Path + " is " + r.Is
			emit(d.touched(a, b), &Fault{CodeExclusiveFields, message, "leave one of the two blank"})
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
		parts := f.parts()
		for i := range parts {
			if d.Text(parts[i].ID) != "" {
				return &parts[i]
			}
		}
	}
	return nil
}

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
		o.parts = append(o.parts, part{Field: &own[i], name: own[i].part()})
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

// form checks that the parts of an object that the row has make one of its variants:
// that which the row says or, where it does not say it, the one that needs the first part.
func (d *Draft) form(o *object, emit func(ID, *Fault)) {
	var chosen *Variant
	var first, before *part
	said, have, r, whole := false, 0, o.whole.Record, d.Has(o.whole.ID)
	exclusive := func(p *part, other *Field, message, hint string) {
		emit(d.touched(p.Field, other), &Fault{CodeExclusiveFields, p.Path + message, hint})
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

// needs returns how many members the variant cannot do without.
func (v *Variant) needs() (n int) {
	for i := range v.Members {
		if v.Members[i].Required {
			n++
		}
	}
	return n
}

// lacks is the fault of a part that is given without another.
func lacks(given, missing *Field) *Fault {
	return &Fault{
		CodeIncompleteObject, given.Path + " is filled in and " + missing.Path + " is blank", "fill in " + missing.Path + " too",
	}
}

// variant returns the variant of that value of the member By, or nil.
func (r *Record) variant(value string) *Variant {
	for i := range r.Variants {
		if r.Variants[i].Value == value {
			return &r.Variants[i]
		}
	}
	return nil
}

// part returns the member of its object that the field is sent as.
func (f *Field) part() string {
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
	for parts := f.parts(); len(parts) > 0; parts = parts[1:] {
		if parts[0].part() == member {
			found = &parts[0]
		}
	}
	return found
}

// implied returns the value of the member By that follows from the parts of an object;
// empty where they say it themselves.
func (b *bodyWriter) implied(whole *Field, parts []Field) (value string) {
	if whole.Record == nil {
		return ""
	}
	for i := range parts {
		switch name := parts[i].part(); {
		case !b.has(&parts[i]):
		case name == whole.Record.By:
			return ""
		default:
			for _, v := range whole.Record.Variants {
				if slices.ContainsFunc(v.Members, func(m Member) bool { return m.Name == name }) {
					value = v.Value
				}
			}
		}
	}
	return value
}

// noun takes the article off the name of a record.
func noun(name string) string {
	_, n, _ := strings.Cut(name, " ")
	return n
}

// Columns gives by path the zero-based column that each field sent came from, -1
// where a constant or a default did. Paths are those that the service uses, and those of
// what is sent as another: cover_file, and the column that says which event it is.
func (d *Draft) Columns() map[string]int {
	columns := make(map[string]int, len(d.Settings))
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := Fields[s.Field].Sent(); !f.Local || f.ID == FieldCoverFile || f.Path == d.Resource.Parent {
			columns[f.Path] = s.Column
		}
		if Fields[s.Field].Answers != nil {
			for n, column := range d.Answered {
				columns[Fields[s.Field].Path+"."+strconv.Itoa(n)] = column
			}
		}
	}
	return columns
}

// ColumnOf finds the column that a path in the service's answer came from.
// Columns names objects and their parts as the row gave them, the service names
// what it stumbled over, which may lie above or below: the field itself, else the
// nearest above (registration_questions.2.options), else the first part of it,
// else what it was made of.
func (r *Resource) ColumnOf(columns map[string]int, path string) (field string, column int, ok bool) {
	path = strings.NewReplacer("[", ".", "]", "", "/", ".").Replace(strings.Trim(path, `."'/ `))
	for up := path; up != ""; {
		if column, ok := columns[up]; ok {
			return up, column, true
		}
		up = up[:max(0, strings.LastIndexByte(up, '.'))]
	}
	for _, f := range r.all {
		if below := f.Path; strings.HasPrefix(below, path+".") {
			if column, ok := columns[below]; ok {
				return below, column, true
			}
		}
	}
	if whole, _, part := strings.Cut(path, "."); part && path != "" {
		for _, f := range r.all {
			if f.Of == none || !strings.HasPrefix(f.Member(), whole+".") {
				continue
			}
			if column, ok := columns[f.Path]; ok {
				return f.Path, column, true
			}
		}
	}
	if path == FieldCoverURL.Path() && r == Events {
		return r.ColumnOf(columns, FieldCoverFile.Path()) // it was uploaded from there
	}
	return "", -1, false
}

func appendInstant(dst []byte, unixMilli int64) []byte {
	return strconv.AppendInt(dst, unixMilli, 10)
}
