package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// Resource is what a row can be about, with a field space of its own.
type Resource struct {
	Name string   // as --resource and the names of sheets have it, such as ticket-types
	One  string   // of one record, such as "ticket type"
	Doc  string   // one line
	Also []string // what else people call a sheet of them

	// Own are the fields of its rows in the order of a request's body, without the
	// columns that every resource has.
	Own []Field
	Naming
	Lists
	// Parent is the path of the field that says which event a record belongs to; empty
	// where records belong to a calendar. Alone means that the field may be blank.
	Parent string
	Alone  bool
	// Within is the member of its event's create that takes the records of a new event; empty
	// where each is made by itself.
	Within string

	// Slug is the path of the field that finds a record again by the key of its row: where the row leaves it blank,
	// it is derived from the key. It is empty where records are found by their names.
	Slug string

	// Cell is the resource in whose rows each item of a cell is a record of this one, which has
	// no rows of its own: see [Field.Each]. It is nil of nearly all.
	Cell *Resource

	// Quiet is the path of the field by which nobody is mailed, and Silence its value
	// that says so; empty where nobody is mailed, or nothing prevents it.
	Quiet, Silence string

	// Rules are those that its fields keep together.
	Rules []Rule

	// Starts is the path of the field that says when a record takes place, by which the service lists
	// it; empty where it has no time of its own.
	Starts string

	main     *Resource // that to whose records those of others belong
	all      []*Field
	first    ID       // of its own fields
	required []*Field // of all, those that an action cannot do without
	objects  []object // that can come in several columns
	zone     *Field
	byPath   map[string]*Field
	calls    []*Operation // that write or list its records
	verbs    []string
}

// Lists says which operations tell of the records that there are.
type Lists struct {
	// Listed is the operation whose answer holds the records of an event, in the member
	// Entries, and ListedAlone that of those without an event.
	Listed, ListedAlone, Entries string

	// Views are what ListedAlone is asked with, in turn, where it lists records of another
	// resource beside them; each is told of the records that it lists, too. Lookup is the
	// operation that tells of a single record, by its name, what no list does.
	Views  []map[string]string
	Lookup string
	// Beside is that other resource, as whose records the service tells of those of this one.
	Beside *Resource

	// Among is the member that only records of the resource have, where that operation lists
	// others beside them.
	Among string

	// Secret is the member of a record that nothing may keep; empty where there is none.
	Secret string
}

// Rows returns the resource whose rows say what becomes of its records.
func (r *Resource) Rows() *Resource {
	if r.Cell != nil {
		return r.Cell
	}
	return r
}

// Many returns the word for its records: ticket types.
func (r *Resource) Many() string { return strings.ReplaceAll(r.Name, "-", " ") }

// Title returns the name as a heading has it: Ticket types.
func (r *Resource) Title() string {
	words := r.Many()
	return strings.ToUpper(words[:1]) + words[1:]
}

// Some returns the word for one record with its article: an event.
func (r *Resource) Some() string {
	if strings.IndexByte("aeiou", r.One[0]) >= 0 {
		return "an " + r.One
	}
	return "a " + r.One
}

// Nested returns the member in which answers of the older paths wrap a record.
func (r *Resource) Nested() string {
	if r.Beside != nil {
		r = r.Beside
	}
	return strings.ReplaceAll(r.One, " ", "_")
}

// Kept returns what may be kept of a record: without its secret.
func (r *Resource) Kept(record json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if r.Secret == "" || json.Unmarshal(record, &members) != nil {
		return record
	}
	delete(members, r.Secret)
	if inner, nested := members[r.Nested()]; nested {
		members[r.Nested()] = r.Kept(inner)
	}
	kept, _ := json.Marshal(members) // what came as JSON is JSON
	return kept
}

// Of returns what the records belong to, nil where that is a calendar.
func (r *Resource) Of() *Resource {
	if r.Parent == "" || r.Cell != nil {
		return r.Cell
	}
	return r.main
}

// Keyed reports whether a record is known by the key of its row, or else by its slug, as an event is: any other is known
// by its name. A nil resource has no records.
func (r *Resource) Keyed() bool { return r != nil && r.Slug != "" }

// Timed reports whether a record takes place at a time of its own, by which the service lists it.
func (r *Resource) Timed() bool { return r != nil && r.Starts != "" }

// Columns returns the fields that a column can feed, those of every resource first.
func (r *Resource) Columns() []*Field { return r.all }

// Paths returns the paths of the Columns.
func (r *Resource) Paths() []string {
	list := make([]string, len(r.all))
	for i, f := range r.all {
		list[i] = f.Path
	}
	return list
}

// Required returns the fields that one action or another cannot do without.
func (r *Resource) Required() []*Field { return r.required }

// Zone returns the field that names the time zone of a row, or nil.
func (r *Resource) Zone() *Field { return r.zone }

// ByPath returns the field of that exact path.
func (r *Resource) ByPath(path string) (*Field, bool) {
	if r.byPath == nil { // no row is about it
		i := slices.IndexFunc(r.Own, func(f Field) bool { return f.Path == path })
		if i < 0 {
			return nil, false
		}
		return &r.Own[i], true
	}
	f, ok := r.byPath[path]
	return f, ok
}

// Has reports whether the field is one of the resource's columns.
func (r *Resource) Has(id ID) bool { return id < FirstOwn || int(id-r.first) < len(r.Own) }

// Flatten adds what a record of the service has in objects under the names by which fields
// read it, such as user.name.
func (r *Resource) Flatten(record map[string]json.RawMessage) {
	for i := range r.Own {
		name := r.Own[i].Reads
		whole, part, dotted := strings.Cut(name, ".")
		var object map[string]json.RawMessage
		if dotted && json.Unmarshal(record[whole], &object) == nil && object[part] != nil {
			record[name] = object[part]
		}
	}
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
			if f.whole == nil || !strings.HasPrefix(f.Member(), whole+".") {
				continue
			}
			if column, ok := columns[f.Path]; ok {
				return f.Path, column, true
			}
		}
	}
	if i := slices.IndexFunc(r.Own, func(f Field) bool { return f.Uploads == path }); i >= 0 && path != "" {
		return r.ColumnOf(columns, r.Own[i].Path) // it was uploaded from there
	}
	return "", -1, false
}

// Answering returns the field of the answers to questions, or nil.
func (r *Resource) Answering() *Field {
	for i := range r.Own {
		if r.Own[i].Answers != nil {
			return &r.Own[i]
		}
	}
	return nil
}

// Tells reports whether a record tells the field under this name: an object that has
// parts is told by them, and a part by the column that has the shortest name.
func (r *Resource) Tells(f *Field) bool {
	whole, part := f.Object()
	if !part {
		return !slices.ContainsFunc(r.objects, func(o object) bool { return o.whole.ID == f.ID })
	}
	fed := whole.feeding(f.Part())
	return fed != nil && fed.ID == f.ID && (whole.Record == nil || f.Part() != whole.Record.By)
}
