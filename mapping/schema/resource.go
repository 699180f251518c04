package schema

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
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

	all      []*Field
	first    ID       // of its own fields
	required []*Field // of all, those that an action cannot do without
	objects  []object // that can come in several columns
	zone     *Field
	byPath   func() map[string]*Field
	verbs    func() []string
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

	// Among is the member that only records of the resource have, where that operation lists
	// others beside them.
	Among string

	// Secret is the member of a record that nothing may keep; empty where there is none.
	Secret string
}

// Resources are what rows can be about, in the order of dependence.
var Resources = []*Resource{
	Calendars, EventTags, ContactTags, Webhooks, Events, TicketTypes, Coupons, Hosts, Guests, Contacts, Members, Admins, Listings,
	Blasts,
}

// inner are the resources whose records are items of cells.
var inner = []*Resource{EventTagging, ContactTagging}

// Rows returns the resource whose rows say what becomes of its records.
func (r *Resource) Rows() *Resource {
	if r.Cell != nil {
		return r.Cell
	}
	return r
}

// RecordsOf returns the resource of that name, be it one without rows of its own; events for a
// name that is none.
func RecordsOf(name string) *Resource {
	named := func(r *Resource) bool { return r.Name == name }
	for _, list := range [][]*Resource{Resources, inner} {
		if i := slices.IndexFunc(list, named); i >= 0 && name != "" {
			return list[i]
		}
	}
	return RowsOf(nil)
}

// Tiers are what members of a calendar can be. No row is about one.
var Tiers = &Resource{
	Name: "tiers", One: "tier",
	Naming: Naming{ID: "membership_tier_id", Named: "name"},
	Lists:  Lists{ListedAlone: "memberships/tiers/list", Entries: "entries"},
	byPath: func() map[string]*Field {
		return map[string]*Field{"name": {Path: "name"}, "membership_tier_id": {Path: "membership_tier_id"}}
	},
}

// ResourceNamed returns the resource that a name or the name of a sheet means: ticket-types,
// "Ticket types" and TicketTypes are one. Of a name that means none ok is false, and the resource that of rows of which
// nothing is said.
func ResourceNamed(name string) (*Resource, bool) {
	for _, r := range Resources {
		if plainName(r.Name) == plainName(name) {
			return r, true
		}
	}
	return RowsOf(nil), false
}

// ResourceMeant returns the resource that people who call a sheet so most likely mean, nil where
// nothing tells. Its rows are read only under a name of [ResourceNamed]: a list of attendees may
// be one of people who are not to be added.
func ResourceMeant(sheet string) *Resource {
	for _, r := range Resources {
		if slices.ContainsFunc(r.Also, func(name string) bool { return plainName(name) == plainName(sheet) }) {
			return r
		}
	}
	return nil
}

var joinWords = strings.NewReplacer("-", "", " ", "", "_", "")

func plainName(s string) string { return strings.ToLower(joinWords.Replace(s)) }

// ResourceNames lists the names of all resources.
func ResourceNames() []string {
	names := make([]string, len(Resources))
	for i, r := range Resources {
		names[i] = r.Name
	}
	return names
}

// Title returns the name as a heading has it: Ticket types.
func (r *Resource) Title() string {
	words := strings.ReplaceAll(r.Name, "-", " ")
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
	if r.Views != nil {
		r = Events
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

// Listing returns the command that lists the fields.
func (r *Resource) Listing() string {
	if r == Events {
		return "eventbatch fields"
	}
	return "eventbatch fields " + r.Name
}

// RowsOf returns what rows are about, given what somebody says of it: events where nobody does.
func RowsOf(said *Resource) *Resource {
	if said == nil {
		return Events
	}
	return said
}

// Of returns what the records belong to, nil where that is a calendar.
func (r *Resource) Of() *Resource {
	if r.Parent == "" || r.Cell != nil {
		return r.Cell
	}
	return Events
}

// Keyed reports whether a record is known by the key of its row, or else by its slug, as an event is: any other is known
// by its name. A nil resource has no records.
func (r *Resource) Keyed() bool { return r != nil && r.Slug != "" }

// Timed reports whether a record takes place at a time of its own, by which the service lists it.
func (r *Resource) Timed() bool { return r != nil && r.Has(FieldStartAt) }

// Columns returns the fields that a column can feed, those of every resource first.
func (r *Resource) Columns() []*Field { return r.all }

// Required returns the fields that one action or another cannot do without.
func (r *Resource) Required() []*Field { return r.required }

// Zone returns the field that names the time zone of a row, or nil.
func (r *Resource) Zone() *Field { return r.zone }

// ByPath returns the field of that exact path.
func (r *Resource) ByPath(path string) (*Field, bool) {
	f, ok := r.byPath()[path]
	return f, ok
}

// GuestStatus returns the field that says whether a guest comes.
func GuestStatus() *Field {
	f, _ := Guests.ByPath("status")
	return f
}

// Has reports whether the field is one of the resource's columns.
func (r *Resource) Has(id ID) bool { return id < endOfCommon || int(id-r.first) < len(r.Own) }

// Operation returns the operation that an action of a row leads to, for a record that
// belongs to an event or to none, the first where there are several; nil where there is none.
func (r *Resource) Operation(does Action, alone bool) *Operation {
	for o := range r.operations(does, alone) {
		return o
	}
	return nil
}

// Bringing returns the operation of an action that can change the field, nil where none can.
func (r *Resource) Bringing(f *Field, does Action, alone bool) *Operation {
	for o := range r.operations(does, alone) {
		if o.Brings(f) {
			return o
		}
	}
	return nil
}

// Reaches reports whether an update can bring the field to the value: some only have it become
// what an operation means.
func (r *Resource) Reaches(f *Field, value json.RawMessage) bool {
	meant := false
	for i := range Operations {
		o := &Operations[i]
		if o.Resource != r || o.Does != Update {
			continue
		}
		means := o.Means[f.Path]
		if o.Takes(f) || means != "" && string(value) == strconv.Quote(means) {
			return true
		}
		meant = meant || means != ""
	}
	return !meant
}

func (r *Resource) operations(does Action, alone bool) iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for i := range Operations {
			o := &Operations[i]
			fits := o.Resource == r && o.Does == does && does != Upsert && (r.Parent == "" || alone == (o.Of == nil))
			if fits && !yield(o) {
				return
			}
		}
	}
}

// Takes reports whether rows of the resource can ask for the action.
func (r *Resource) Takes(a Action) bool {
	if a == Upsert || a == Skip {
		return true
	}
	return slices.ContainsFunc(Operations, func(o Operation) bool { return o.Resource == r && o.Does == a && a != Upsert })
}

// Verbs lists the words that the action column of the resource takes.
func (r *Resource) Verbs() []string { return r.verbs() }

func (r *Resource) words() []string {
	var words []string
	for a := Upsert; a <= Invite; a++ {
		if r.Takes(a) {
			words = append(words, a.String())
		}
	}
	return words
}

// endOfCommon is the number of columns that every resource has.
const endOfCommon = FieldEventID

// maxColumns bounds a resource's own columns.
const maxColumns = 128

// assemble puts the fields of all resources into one table, numbers those that have no
// number yet, and gives each resource its columns.
func assemble() []Field {
	table := slices.Clone(commonFields)
	for _, r := range assembled() {
		first := ID(len(table))
		for i := range r.Own {
			r.Own[i].ID = first + ID(i)
		}
		table = append(table, r.Own...)
	}
	for _, r := range assembled() {
		r.first = r.Own[0].ID
		r.Own = table[r.first : int(r.first)+len(r.Own)]
		r.all = make([]*Field, 0, int(endOfCommon)+len(r.Own))
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
		r.required = slices.DeleteFunc(slices.Clone(r.all), func(f *Field) bool { return f.Required == 0 })
		if i := slices.IndexFunc(r.Own, func(f Field) bool { return f.Kind == Zone && !f.Deprecated }); i >= 0 {
			r.zone = &r.Own[i]
		}
		r.byPath, r.verbs = sync.OnceValue(r.paths), sync.OnceValue(r.words)
		r.parts()
		r.join()
	}
	return table
}

// assembled returns all resources, events first, whose numbers are constants.
func assembled() []*Resource {
	others := slices.DeleteFunc(slices.Concat(Resources, inner), func(r *Resource) bool { return r == Events })
	return append([]*Resource{Events}, others...)
}

// parts finds the object that a field is sent as a part of, where its table does not say.
func (r *Resource) parts() {
	for i := range r.Own {
		f := &r.Own[i]
		if whole, _, dotted := strings.Cut(f.As, "."); dotted && f.Of == none {
			f.Of = r.Own[slices.IndexFunc(r.Own, func(o Field) bool { return o.Path == whole })].ID
		}
	}
}

// join finds the objects that have parts, and the fields of the rules. The table of all
// fields is not made yet.
func (r *Resource) join() {
	own := func(path string) *Field {
		return &r.Own[slices.IndexFunc(r.Own, func(f Field) bool { return f.Path == path })]
	}
	for i := range r.Rules {
		rule := &r.Rules[i]
		rule.a, rule.b = own(rule.A), own(rule.B)
		if rule.broken = rule.a.ID; rule.Kind == Exclusive {
			rule.broken = rule.b.ID
		}
	}
	for i := range r.Own {
		end := i + 1
		for end < len(r.Own) && r.Own[end].Of == r.Own[i].ID {
			end++
		}
		if end > i+1 {
			r.objects = append(r.objects, newObject(r.Own, i+1, end))
		}
	}
}

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

func (r *Resource) paths() map[string]*Field {
	byPath := make(map[string]*Field, len(r.all))
	for _, f := range r.all {
		byPath[f.Path] = f
	}
	return byPath
}
