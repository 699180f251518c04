package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
)

// Resources are what rows can be about, in the order of dependence.
var Resources = []*schema.Resource{
	Calendars, EventTags, ContactTags, Webhooks, Events, TicketTypes, Coupons, Hosts, Guests, Contacts, Members, Admins, Listings,
	Blasts,
}

// inner are the resources whose records are items of cells.
var inner = []*schema.Resource{EventTagging, ContactTagging}

// RecordsOf returns the resource of that name, be it one without rows of its own; events for a
// name that is none.
func RecordsOf(name string) *schema.Resource {
	named := func(r *schema.Resource) bool { return r.Name == name }
	for _, list := range [][]*schema.Resource{Resources, inner} {
		if i := slices.IndexFunc(list, named); i >= 0 && name != "" {
			return list[i]
		}
	}
	return RowsOf(nil)
}

// Tiers are what members of a calendar can be. No row is about one.
var Tiers = &schema.Resource{
	Name: "tiers", One: "tier",
	Naming: schema.Naming{ID: "membership_tier_id", Named: "name"},
	Lists:  schema.Lists{ListedAlone: "memberships/tiers/list", Entries: "entries"},
	Own:    []schema.Field{{Path: "membership_tier_id"}, {Path: "name"}},
}

// ResourceNamed returns the resource that a name or the name of a sheet means: ticket-types,
// "Ticket types" and TicketTypes are one. Of a name that means none ok is false, and the resource that of rows of which
// nothing is said.
func ResourceNamed(name string) (*schema.Resource, bool) {
	for _, r := range Resources {
		if plainName(r.Name) == plainName(name) {
			return r, true
		}
	}
	return RowsOf(nil), false
}

// FieldsNamed returns the fields of all resources that updates carry for columns of this path.
func FieldsNamed(path string) (list []*schema.Field) {
	for _, r := range Resources {
		f, ok := r.ByPath(path)
		if !ok {
			continue
		}
		if of, part := f.Object(); part {
			f = of
		}
		list = append(list, f.Canonical())
	}
	return list
}

// ResourceMeant returns the resource that people who call a sheet so most likely mean, nil where
// nothing tells. Its rows are read only under a name of [ResourceNamed]: a list of attendees may
// be one of people who are not to be added.
func ResourceMeant(sheet string) *schema.Resource {
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

// Listing returns the command that lists the fields.
func Listing(r *schema.Resource) string {
	if r == Events {
		return "eventbatch fields"
	}
	return "eventbatch fields " + r.Name
}

// RowsOf returns what rows are about, given what somebody says of it: events where nobody does.
func RowsOf(said *schema.Resource) *schema.Resource {
	if said == nil {
		return Events
	}
	return said
}

// GuestStatus returns the field that says whether a guest comes.
func GuestStatus() *schema.Field {
	f, _ := Guests.ByPath("status")
	return f
}

// Titled returns a text with the titles of fields in the place of their paths. A path that
// is a word of the language is left alone.
func Titled(text string) string {
	return pathLike().ReplaceAllStringFunc(text, func(path string) string { return cmp.Or(titles()[path], path) })
}

var pathLike = pattern.New(`\b(?:[a-z]+(?:[._][a-z]+)+|timezone)\b`)

var titles = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for i := range Fields {
		all[Fields[i].Path] = Fields[i].Title()
	}
	return all
})

// InWords returns the path of the field that says an amount in cents as people write it: price, of cents.
func InWords(path string) string {
	for i := range Fields {
		if f := &Fields[i]; f.Becomes == path && f.Becomes != "" {
			return f.Path
		}
	}
	return path
}

// OperationNamed returns the operation of that name, or nil.
func OperationNamed(name string) *schema.Operation {
	for i := range Operations {
		if Operations[i].Name == name {
			return &Operations[i]
		}
	}
	return nil
}

// Fields is the table of the fields of all resources, indexed by ID. Whoever looks
// for the fields of rows asks their [schema.Resource].
var Fields = schema.Assemble(
	Events, slices.DeleteFunc(slices.Concat(Resources, inner), func(r *schema.Resource) bool { return r == Events }), Operations,
)

// Field returns the field of an id.
func Field(id schema.ID) *schema.Field { return &Fields[id] }

// Path returns the path of an id's field.
func Path(id schema.ID) string { return Fields[id].Path }

// Severity returns the severity that a code has by itself, Error for an unknown one.
func Severity(c schema.Code) schema.Severity {
	info, _ := Lookup(c)
	return info.Severity
}
