package schema

import (
	"slices"
	"strings"
)

// Assemble puts the fields of all resources into one table, numbers those that have no
// number yet, and gives each resource its columns and its operations. The records of the others
// that have a Parent belong to those of the main resource, whose fields come first.
func Assemble(main *Resource, others []*Resource, operations []Operation) []Field {
	resources := append([]*Resource{main}, others...)
	own := 0
	for _, r := range resources {
		own += len(r.Own)
	}
	table := append(make([]Field, 0, len(commonFields)+own), commonFields...)
	for _, r := range resources {
		first := ID(len(table))
		for i := range r.Own {
			r.Own[i].ID = first + ID(i)
		}
		table = append(table, r.Own...)
	}
	for i := range operations {
		if r := operations[i].Resource; r != nil {
			r.calls = append(r.calls, &operations[i])
		}
	}
	for _, r := range resources {
		r.main = main
		r.columns(table)
		r.verbs = r.words()
		r.parts()
		r.join()
	}
	return table
}

// columns gives the resource its part of the table, behind the columns that every resource has.
func (r *Resource) columns(table []Field) {
	r.first = r.Own[0].ID
	r.Own = table[r.first : int(r.first)+len(r.Own)]
	r.all, r.byPath = make([]*Field, 0, int(FirstOwn)+len(r.Own)), make(map[string]*Field, int(FirstOwn)+len(r.Own))
	for i := range commonFields {
		r.all = append(r.all, &table[i])
	}
	for i := range r.Own {
		if r.all = append(r.all, &r.Own[i]); r.Own[i].Each != nil {
			r.Own[i].Each.Cell = r
		}
	}
	if len(r.Own) > maxColumns {
		panic(r.Name + " has too many columns")
	}
	for _, f := range r.all {
		r.byPath[f.Path] = f
	}
	r.required = slices.DeleteFunc(slices.Clone(r.all), func(f *Field) bool { return f.Required == 0 })
	if i := slices.IndexFunc(r.Own, func(f Field) bool { return f.Kind == Zone && !f.Deprecated }); i >= 0 {
		r.zone = &r.Own[i]
	}
}

func (r *Resource) words() []string {
	var words []string
	for a := Upsert; a <= Invite; a++ {
		if r.Takes(a) {
			words = append(words, a.String())
		}
	}
	return words
}

// parts finds the object that a field is sent as a part of, where its table does not say, and the field
// under whose path the service knows it.
func (r *Resource) parts() {
	for i := range r.Own {
		f := &r.Own[i]
		if whole, _, dotted := strings.Cut(f.As, "."); dotted && f.Of == none {
			f.Of = r.Own[slices.IndexFunc(r.Own, func(o Field) bool { return o.Path == whole })].ID
		}
	}
	for i := range r.Own {
		f := &r.Own[i]
		if f.Deprecated && f.Instead != none {
			f.instead = &r.Own[f.Instead-r.first]
		}
		if f.Of != none {
			f.whole = &r.Own[f.Of-r.first]
		}
		end := i + 1
		for end < len(r.Own) && r.Own[end].Of == f.ID {
			end++
		}
		f.parts = r.Own[i+1 : end]
	}
}

// join finds the objects that have parts, and the fields of the rules.
func (r *Resource) join() {
	for i := range r.Rules {
		rule := &r.Rules[i]
		rule.a, rule.b = r.byPath[rule.A], r.byPath[rule.B]
		if rule.broken = rule.a.ID; rule.Kind == Exclusive {
			rule.broken = rule.b.ID
		}
	}
	for i := range r.Own {
		if n := len(r.Own[i].parts); n > 0 {
			r.objects = append(r.objects, newObject(r.Own, i+1, i+1+n))
		}
	}
}

// maxColumns bounds a resource's own columns.
const maxColumns = 128
