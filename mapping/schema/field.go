package schema

import (
	"cmp"
	"errors"
)

// Kind is the kind of value a field holds.
type Kind uint8

// The kinds of a field's value.
const (
	Text       Kind = iota // one text, white space around it removed
	Markdown               // text that is kept to the letter
	Identifier             // an id or a key: opaque, digits never rounded
	Verb                   // an Action
	LocalFile              // a path on this machine
	Bool
	Integer   // a whole number
	Number    // a decimal number
	Timestamp // ISO 8601 with an offset
	Day       // 2025-09-01
	Duration  // ISO 8601
	Enum
	URL
	Color
	Slug
	Zone   // IANA time zone name
	Email  // an e-mail address
	Object // JSON
	Array  // JSON
	List   // items with a semicolon between them
)

var kindNames = [...]string{
	"text", "markdown", "identifier", "action", "file", "boolean", "integer", "number", "timestamp", "day",
	"duration", "enum", "url", "color", "slug", "zone", "e-mail", "object", "array", "list",
}

// String returns the kind's name as the fields command prints it.
func (k Kind) String() string { return kindNames[k] }

// JSON reports whether a cell of the kind holds JSON.
func (k Kind) JSON() bool { return k == Object || k == Array }

// Numeric reports whether the values are numbers.
func (k Kind) Numeric() bool { return k == Integer || k == Number }

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
	// another field of the row refers to. See [AnswerTo].
	Answers *Resource

	Values []string // of an Enum, or of the items of a List
	Parts  []string // of a List: the members of an item that is an object
	// Repeats means that an item may stand in a List more than once.
	Repeats bool
	Record  *Record // of an Object, or of the items of an Array, that has one
	About

	check func(value string) *Fault
}

// About is what people read about a field.
type About struct {
	Doc     string // one line
	Rule    string // the rule of a single value beyond its kind, in words
	Default string // what the service assumes where nothing is said
	Example string
	Section string // heading in the service document, empty where it does not name the field
}

// Fields is the table of the fields of all resources, indexed by ID. Whoever looks
// for the fields of rows asks their [Resource].
var Fields = assemble()

// Field returns the field of an id.
func (id ID) Field() *Field { return &Fields[id] }

// Path returns the path of an id's field.
func (id ID) Path() string { return Fields[id].Path }

// Member returns the member of a request that the field is sent as.
func (f *Field) Member() string { return cmp.Or(f.As, f.Path) }

// Read returns the member of a record of the service that holds the field.
func (f *Field) Read() string { return cmp.Or(f.Reads, f.Member()) }

// Canonical returns the field that a deprecated one is sent as, and the field itself otherwise.
func (f *Field) Canonical() *Field {
	if f.Deprecated && f.Instead != none {
		return &Fields[f.Instead]
	}
	return f
}

// Object returns the object that the field is a part of.
func (f *Field) Object() (*Field, bool) {
	return &Fields[f.Of], f.Of != none
}

// none stands for no field in Instead and Of.
const none = FieldCalendarID

// Fault is what is wrong with a single value. Message and Hint are lower case
// without a full stop.
type Fault struct {
	Code    Code
	Message string
	Hint    string
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// HintOf returns the hint of an error that is or wraps a Fault, empty for any other.
func HintOf(err error) string {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault.Hint
	}
	return ""
}
