package schema

import "strings"

// Parameter is what a request can say that changes nothing.
type Parameter struct {
	Field

	Need bool // the read does not go without it
	Many bool // it may be said several times
}

// paging are the parameters of lists that come in pages.
const paging = " sort_direction pagination_cursor pagination_limit"

// queries are the parameters of the operations that change nothing, by their names: one with
// a star is needed, one in brackets may come several times.
var queries = map[string]string{
	"calendars/admins/list":        "",
	"calendars/contact-tags/list":  "",
	"calendars/contacts/list":      "query tags[] calendar_membership_tier_id membership_status sort_column" + paging,
	"calendars/coupons/list":       paging,
	"calendars/event-tags/list":    "",
	"calendars/events/list":        "after before platforms[] access[] status sort_column" + paging,
	"calendars/events/lookup":      "platform url event_id",
	"calendars/get":                "",
	"entities/lookup":              "slug*",
	"events/blasts/get":            "blast_id*",
	"events/blasts/list":           "event_id*",
	"events/cancel/request":        "event_id*",
	"events/coupons/list":          "event_id*" + paging,
	"events/get":                   "event_id*",
	"events/guests/get":            "event_id* id*",
	"events/guests/list":           "event_id* approval_status sort_column" + paging,
	"events/ticket-types/get":      "event_ticket_type_id*",
	"events/ticket-types/list":     "event_id* include_hidden",
	"images/create-upload-url":     "content_type",
	"images/search":                "query*",
	"memberships/tiers/list":       paging,
	"organizations/admins/list":    "",
	"organizations/calendars/list": paging,
	"organizations/events/list":    "after before sort_column" + paging,
	"places/search":                "query*",
	"users/get-self":               "",
	"webhooks/get":                 "id*",
	"webhooks/list":                paging,
}

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
	_, told := queries[o.Name]
	return told
}

// Query returns the parameters of an operation that changes nothing.
func (o *Operation) Query() []Parameter {
	var list []Parameter
	for word := range strings.FieldsSeq(queries[o.Name]) {
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
func (o *Operation) Paged() bool { return strings.HasSuffix(queries[o.Name], paging) }
