package match

import (
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// part is what a column holds of a time.
type part uint8

const (
	wholeTime part = iota // a date with a time, or any other value
	dateOnly
	clockOnly
)

// rank is how sure a match is: a lower one wins over a higher.
type rank uint8

const (
	rankOwn   rank = iota // of the guest, where a buyer has one too
	rankPath              // the field's path, exact or normalised
	rankOld               // a deprecated path
	rankAlias             // a name that other programs use
)

// Field returns the field that a header names by itself, the way it is taken where no
// mapping file says otherwise. It is as the header names it: perhaps a deprecated one.
func Field(r *schema.Resource, header string) (*schema.Field, bool) {
	name, ok := exactNames(r)[sheet.NormalHeader(header)]
	return name.field, ok
}

// Binding is the columns that feed one field.
type Binding struct {
	Field    *schema.Field // canonical
	Columns  []int         // two: a date with its time
	Old      *schema.Field // the deprecated field that the header names; nil for nearly all
	Borrowed bool          // the first column is the start's date
}

// Clash is two columns that name the same field equally well.
type Clash struct {
	Field         *schema.Field // canonical
	First, Second int           // columns
}

// namedColumn is a column whose header names a field.
type namedColumn struct {
	exactName
	column int
}

// Bind decides which columns feed which fields, in the order of the fields. A
// field's own name wins over an old one, and that over an alias: what loses is
// left, like a header that names no field or one that is no more. A column that
// skip names is passed over.
func Bind(r *schema.Resource, headers []string, skip func(column int) bool) (bound []Binding, left []int, clashes []Clash) {
	names := exactNames(r)
	byField := make([][]namedColumn, len(catalog.Fields))
	for i, h := range headers {
		name, ok := names[sheet.NormalHeader(h)]
		switch {
		case skip(i) || h == "":
		case !ok || name.field.Canonical().Deprecated:
			left = append(left, i)
		default:
			id := name.field.Canonical().ID
			byField[id] = append(byField[id], namedColumn{name, i})
		}
	}
	startDate := -1
	for id, all := range byField {
		kept := least(all, func(n *namedColumn) int { return int(n.rank) })
		for _, n := range all {
			if n.rank != kept[0].rank {
				left = append(left, n.column)
			}
		}
		if len(kept) == 0 {
			continue
		}
		b := Binding{Field: catalog.Field(schema.ID(id)), Columns: []int{kept[0].column}}
		if kept[0].rank == rankOld {
			b.Old = kept[0].field
		}
		switch {
		case len(kept) == 1:
		case len(kept) == 2 && kept[0].part == dateOnly && kept[1].part == clockOnly:
			b.Columns = []int{kept[0].column, kept[1].column}
		case len(kept) == 2 && kept[0].part == clockOnly && kept[1].part == dateOnly:
			b.Columns = []int{kept[1].column, kept[0].column}
		default:
			clashes = append(clashes, Clash{b.Field, kept[0].column, kept[1].column})
			continue
		}
		if b.Field.ID == catalog.FieldStartAt && kept[0].rank == rankAlias && (len(kept) > 1 || kept[0].part == dateOnly) {
			startDate = b.Columns[0]
		}
		if b.Field.ID == catalog.FieldEndAt && len(kept) == 1 && kept[0].part == clockOnly && startDate >= 0 {
			b.Columns, b.Borrowed = []int{startDate, kept[0].column}, true
		}
		bound = append(bound, b)
	}
	bound = nameOfTwo(r, headers, bound, left)
	left = slices.DeleteFunc(left, func(i int) bool {
		return slices.ContainsFunc(bound, func(b Binding) bool { return slices.Contains(b.Columns, i) })
	})
	return bound, left, clashes
}

// nameOfTwo binds the name of a guest to the columns of its two parts, where no column has the whole.
func nameOfTwo(r *schema.Resource, headers []string, bound []Binding, left []int) []Binding {
	field, named := r.ByPath("name")
	last := listed(headers, left, "last name")
	if r != catalog.Guests || !named || last < 0 {
		return bound
	}
	at := slices.IndexFunc(bound, func(b Binding) bool { return b.Field == field })
	if at < 0 {
		if first := listed(headers, left, "first name"); first >= 0 && first != last {
			bound = append(bound, Binding{Field: field, Columns: []int{first, last}})
		}
		return bound
	}
	if column := bound[at].Columns[0]; listed(headers, []int{column}, "first name") == column {
		bound[at].Columns = []int{column, last} // nombre, apellidos
	}
	return bound
}

// listed returns the column among some that has the foremost header of a list of words, -1 where none has one.
func listed(headers []string, among []int, list string) int {
	for _, word := range listOf(list).words {
		for _, i := range among {
			if fold(headers[i]) == word {
				return i
			}
		}
	}
	return -1
}

// Quantity returns the column among some that says how many tickets a row of a guest is, -1 where there is none.
func Quantity(r *schema.Resource, headers []string, among []int) int {
	if r != catalog.Guests {
		return -1
	}
	return listed(headers, among, "quantity")
}

// least returns the elements of the lowest rank, in their order.
func least[T any](all []T, rank func(*T) int) []T {
	var kept []T
	lowest := 0
	for i := range all {
		switch r := rank(&all[i]); {
		case len(kept) == 0 || r < lowest:
			kept, lowest = []T{all[i]}, r
		case r == lowest:
			kept = append(kept, all[i])
		}
	}
	return kept
}
