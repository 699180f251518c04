package schema

import "strings"

// Parameter is what a request can say that changes nothing.
type Parameter struct {
	Field

	Need bool // the read does not go without it
	Many bool // it may be said several times
}

// Paging are the parameters of lists that come in pages.
const Paging = " sort_direction pagination_cursor pagination_limit"

// parameterKinds are the kinds of those parameters that are no plain text.
var parameterKinds = map[string]Field{
	"after":            {Kind: Timestamp},
	"before":           {Kind: Timestamp},
	"include_hidden":   {Kind: Bool},
	"pagination_limit": {Kind: Integer},
	"sort_direction":   {Kind: Enum, Values: []string{"asc", "desc", "asc nulls last", "desc nulls last"}},
}

// Tells reports whether the operation changes nothing: its answer is what it is for.
func (o *Operation) Tells() bool {
	return o.Reads() || o.Asks || o.Parameters != ""
}

// Query returns the parameters of an operation that changes nothing.
func (o *Operation) Query() []Parameter {
	var list []Parameter
	for word := range strings.FieldsSeq(o.Parameters) {
		name := strings.TrimRight(word, "*[]")
		p := Parameter{Field: parameterKinds[name], Need: strings.HasSuffix(word, "*"), Many: strings.HasSuffix(word, "[]")}
		p.Path = name
		list = append(list, p)
	}
	return list
}

// Lists reports whether the answer of the operation has entries.
func (o *Operation) Lists() bool { return o.Reads() && strings.HasSuffix(o.Name, "/list") }

// Paged reports whether the entries come in pages.
func (o *Operation) Paged() bool { return strings.HasSuffix(o.Parameters, Paging) }
