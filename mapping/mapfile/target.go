package mapfile

import "eventbatch/mapping/schema"

// Target is the field that is fed in the end: the new one of a deprecated name, the
// short one of a location whose kind as says. It is nil where nothing can be fed.
func Target(field *schema.Field, as string) *schema.Field {
	canonical := field.Canonical()
	switch {
	case canonical.Deprecated:
		return nil
	case canonical.ID != schema.FieldGeoAddress:
		return canonical
	}
	switch as {
	case "manual":
		return schema.FieldAddress.Field()
	case "google":
		return schema.FieldPlaceID.Field()
	case "lookup":
		return schema.FieldQuery.Field()
	}
	return canonical
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
