package schema

import (
	"cmp"
	"strings"
)

// Field is one field of a resource, or one column that only this tool knows.
type Field struct {
	ID       ID
	Path     string // the column's canonical name, unique within its resource
	Label    string // its title, where that is not the path in words
	Kind     Kind
	On       Actions // actions whose operations can carry it; 0 where Local
	Required Actions // actions that cannot do without it
	Nullable bool    // null has a meaning: the cell may be <clear>
	Empty    bool    // "" has a meaning: the cell may be <empty>
	Local    bool    // never sent: it steers this tool

	// Manner means that the field says how a change is made, such as whether somebody is
	// mailed: it is no part of what the record becomes.
	Manner bool
	// Aliases are other headers of the column, in small letters with spaces.
	Aliases []string
	// Fixed means that a record that exists cannot be given another value.
	Fixed bool
	// ImpliedBy is the path of a field that says what this one does and more: beside it the
	// field is not needed, and not sent.
	ImpliedBy string
	// Becomes is the path of a field that this one says in the words of people, and which the row has in
	// the end: this one is taken from files alone.
	Becomes string
	// Since is the path of a time from which on a time is sent, as a duration.
	Since string
	// As is the member that the field is sent as, where that is not its path; a dot
	// makes it a part of an object.
	As string
	// Reads is the member of a record of the service that holds the field, where
	// that is not what it is sent as.
	Reads string

	// Uploads is the path of the field that has the address of the file whose name this one has, once it
	// is with the service; empty where the file goes nowhere.
	Uploads string
	// Place means that the value is a location, which the service tells in another form than it takes.
	Place bool

	// Unit may stand behind the number in a cell; empty for none. Minor means that the value is in
	// cents: one with decimals is most likely meant in the whole unit, so it is refused.
	Unit  string
	Minor bool

	Deprecated bool
	// Instead is the field that a deprecated one is sent as; FieldCalendarID,
	// which nothing is sent as, where there is none.
	Instead ID
	// Of is the object that the field is a part of; FieldCalendarID, which is
	// no object, where there is none.
	Of ID

	// Each is the resource of which every item of a List is a record, made and taken away by
	// operations of its own, which alone carry the field: see [Resource.Cell].
	Each *Resource

	// Refers is the resource whose records the value names, by their name or their id.
	Refers *Resource

	// With is a word that fields have in common which are decided together, and Wanes means
	// that a number goes down as it is used, which nobody decides.
	With  string
	Wanes bool

	// Answers is the resource to whose questions the value answers: those of the record that
	// another field of the row refers to. See [value.AnswerTo].
	Answers *Resource

	Values []string // of an Enum, or of the items of a List
	Parts  []string // of a List: the members of an item that is an object
	// Repeats means that an item may stand in a List more than once.
	Repeats bool
	Record  *Record // of an Object, or of the items of an Array, that has one
	About

	// Check is the rule of its value that the kind does not have; nil where there is none.
	Check func(value string) *Fault
	// Brief returns the JSON that a cell says as people write it, or the cell's own text; nil of fields that nobody writes so.
	Brief func(text string) string

	instead, whole *Field  // of Instead and Of
	parts          []Field // that are sent as parts of this one, in their order
}

// About is what people read about a field.
type About struct {
	Doc     string // one line
	Rule    string // the rule of a single value beyond its kind, in words
	Default string // what the service assumes where nothing is said
	Example string
	Section string // heading in the service document, empty where it does not name the field
}

// Member returns the member of a request that the field is sent as.
func (f *Field) Member() string { return cmp.Or(f.As, f.Path) }

// Read returns the member of a record of the service that holds the field.
func (f *Field) Read() string { return cmp.Or(f.Reads, f.Member()) }

// Canonical returns the field that a deprecated one is sent as, and the field itself otherwise.
func (f *Field) Canonical() *Field {
	return cmp.Or(f.instead, f)
}

// Object returns the object that the field is a part of.
func (f *Field) Object() (*Field, bool) {
	return f.whole, f.whole != nil
}

// none stands for no field in Instead and Of.
const none = FieldCalendarID

// Title returns the name of the field as a heading has it: Start, Seats.
func (f *Field) Title() string {
	if f.Label != "" {
		return f.Label
	}
	words := inWords.Replace(strings.TrimSuffix(f.Path, "_md"))
	return strings.ToUpper(words[:1]) + words[1:]
}

var inWords = strings.NewReplacer(".", ": ", "_", " ")

// Sent returns the field under whose path the service knows this one: that which a
// deprecated name or a short column stands for, and the field itself otherwise.
func (f *Field) Sent() *Field {
	f = f.Canonical()
	if f.As == "" || f.whole == nil {
		return f
	}
	for i := range f.whole.parts {
		if part := &f.whole.parts[i]; part.Path == f.As {
			return part
		}
	}
	return f
}

// Clear makes dst ask for null, where null has a meaning.
func (f *Field) Clear(dst *Setting) *Fault {
	if !f.Nullable {
		return CodeNotNullable.Fault(f.Path+" cannot be cleared", f.clearHint())
	}
	dst.Field, dst.State, dst.Text, dst.Instant = f.ID, Clear, "", 0
	return nil
}

// SetEmpty makes dst ask for "", where an empty text has a meaning.
func (f *Field) SetEmpty(dst *Setting) *Fault {
	if !f.Empty {
		hint := "leave the cell blank to keep the field as it is"
		if f.Nullable {
			hint += ", or write <clear> to remove its value"
		}
		return CodeNotEmptyable.Fault(f.Path+" cannot be an empty text", hint)
	}
	dst.Field, dst.State, dst.Text, dst.Instant = f.ID, Set, "", 0
	return nil
}

func (f *Field) clearHint() string {
	if f.Empty {
		return "write <empty> to remove its text, or leave the cell blank to keep it as it is"
	}
	return "leave the cell blank to keep the field as it is, or write the value it should have"
}
