package catalog

import (
	"slices"
	"testing"

	"eventbatch/mapping/schema"
)

// takeNothing are the reads that need no parameters.
var takeNothing = []string{
	"calendars/admins/list", "calendars/contact-tags/list", "calendars/event-tags/list", "calendars/get", "organizations/admins/list",
	"users/get-self",
}

// A read that says no parameters would take none.
func TestEveryReadHasItsQuery(t *testing.T) {
	for i := range Operations {
		o := &Operations[i]
		if o.Reads() && o.Parameters == "" && !slices.Contains(takeNothing, o.Name) {
			t.Errorf("nothing says what the query of %s takes", o.Name)
		}
		if o.Of != nil && o.Reads() && !slices.ContainsFunc(o.Query(), func(p schema.Parameter) bool { return p.Need }) {
			t.Errorf("%s needs to know of which %s", o.Name, o.Of.One)
		}
	}
}

// A request that names no record would change nothing, or everything.
func TestEveryChangeNamesItsRecord(t *testing.T) {
	for i := range Operations {
		o := &Operations[i]
		if o.Does != schema.Update && o.Does != schema.Delete || o.Resource == nil || o.Resource.Cell != nil {
			continue
		}
		named, there := o.Resource.ByPath(o.Resource.Named)
		if id := o.Resource.IDField(); !(there && o.Takes(named)) && o.ByID() == nil && (id == nil || !o.Takes(id)) {
			t.Errorf("no field of %s names the %s that it is about", o.Name, o.Resource.One)
		}
	}
}
