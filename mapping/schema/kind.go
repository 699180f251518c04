package schema

import (
	"strings"

	"eventbatch/mapping/richtext"
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

// Textual reports whether the values are texts for people.
func (k Kind) Textual() bool { return k == Text || k == Markdown }

// Numeric reports whether the values are numbers.
func (k Kind) Numeric() bool { return k == Integer || k == Number }

// Meant returns a text of the kind in the form in which two of them are compared: without white
// space around it and marks that nobody sees, and of Markdown the document that it is.
func (k Kind) Meant(text string) string {
	if k == Markdown {
		return richtext.Canonical(text)
	}
	return strings.TrimSpace(richtext.Visible(text))
}
