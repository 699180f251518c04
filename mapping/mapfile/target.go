package mapfile

import (
	"cmp"

	"eventbatch/mapping/schema"
)

// Target is the field that is fed in the end: the new one of a deprecated name, the
// short one of an object whose variant as says. It is nil where nothing can be fed.
func Target(field *schema.Field, as string) *schema.Field {
	canonical := field.Canonical()
	if canonical.Deprecated {
		return nil
	}
	return cmp.Or(canonical.Short(as), canonical)
}

// Targets lists the paths of all fields of a resource that can be fed, for suggestions.
func Targets(r *schema.Resource) []string {
	var paths []string
	for _, f := range r.Columns() {
		if !f.Deprecated {
			paths = append(paths, f.Path)
		}
	}
	return paths
}
