package schema

import (
	"slices"
	"testing"
)

// A read without a line in the table would take no parameter.
func TestEveryReadHasItsQuery(t *testing.T) {
	for i := range Operations {
		o := &Operations[i]
		if _, told := queries[o.Name]; o.Reads() && !told {
			t.Errorf("nothing says what the query of %s takes", o.Name)
		}
		if o.Of != nil && o.Reads() && !slices.ContainsFunc(o.Query(), func(p Parameter) bool { return p.Need }) {
			t.Errorf("%s needs to know of which %s", o.Name, o.Of.One)
		}
	}
}
