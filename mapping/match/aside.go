package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// asides are what columns hold that no field takes, by how the reason begins.
var asides = []struct{ reason, what string }{
	{"tags", "tags"},
	{"prices", "prices"},
	{"tickets", "tickets"},
	{"coupons", "coupons"},
	{"hosts", "organisers"},
	{"guests", "guests"},
	{"a note", "notes"},
	{"it is not a link", "links"},
	{"it says when something else", "other times"},
	{"the service has no such setting", "settings"},
}

// Aside returns what a column holds that rows of a resource do not take, by its header: covers, prices,
// guests. It is the header itself where that is not known for anything, or is only of events: the tickets and
// the telephone numbers beside guests are no guests left behind.
func Aside(r *schema.Resource, header string) string {
	what := aside(header)
	if r == catalog.Guests && ofShop(header) && what != "prices" && what != "coupons" {
		return "order details"
	}
	if !r.Keyed() && slices.Contains([]string{"guests", "organisers", "tags", "tickets", "settings"}, what) {
		return header
	}
	return what
}

func aside(header string) string {
	if polarityOf(described, header) != noMark {
		return header // yes or no, of whatever it is
	}
	for _, cl := range claimsOf(strings.TrimPrefix(header, "x-")) { // a property of a calendar
		switch {
		case cl.basis == BySimilar && cl.score < 90:
		case cl.semantic == typeCover:
			return "covers"
		case cl.semantic == typeLink:
			return "links"
		case cl.semantic == typeAside:
			for _, a := range asides {
				if strings.HasPrefix(cl.about, a.reason) {
					return a.what
				}
			}
		}
	}
	return header
}
