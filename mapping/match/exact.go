package match

import (
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Claim is a column that could feed a field.
type Claim struct {
	Column int
	Field  *schema.Field // as the header names it: perhaps a deprecated one
	Part   Part
	rank   rank
}

// Part is what a column holds of a time.
type Part uint8

// The parts of a time.
const (
	Whole Part = iota // a date with a time, or any other value
	DateOnly
	ClockOnly
)

// rank is how sure a match is: a lower one wins over a higher.
type rank uint8

// The ranks of a match.
const (
	rankPath  rank = iota // the field's path, exact or normalised
	rankOld               // a deprecated path
	rankAlias             // a name that other programs use
)

// Field returns the field that a header names by itself, the way it is taken where no
// mapping file says otherwise.
func Field(r *schema.Resource, header string) (id schema.ID, ok bool) {
	c, ok := ClaimOf(r, header, 0)
	if !ok {
		return 0, false
	}
	return c.Field.Canonical().ID, true
}

// ClaimOf finds the field that the header of a column names.
func ClaimOf(r *schema.Resource, header string, column int) (Claim, bool) {
	name := sheet.NormalHeader(header)
	if field, ok := fieldPaths(r)[name]; ok {
		c := Claim{Column: column, Field: field, rank: rankPath}
		if field.Deprecated {
			c.rank = rankOld
		}
		return c, true
	}
	c, ok := aliases[name]
	c.Column = column
	return c, ok && r.Has(c.Field.ID)
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

// Bind decides which columns feed which fields, in the order of the fields. A
// field's own name wins over an old one, and that over an alias: what loses is
// left, like a header that names no field or one that is no more. A column that
// skip names is passed over.
func Bind(r *schema.Resource, headers []string, skip func(column int) bool) (bound []Binding, left []int, clashes []Clash) {
	claims := make([][]Claim, len(schema.Fields))
	for i, h := range headers {
		c, ok := ClaimOf(r, h, i)
		switch {
		case skip(i) || h == "":
		case !ok || c.Field.Canonical().Deprecated:
			left = append(left, i)
		default:
			id := c.Field.Canonical().ID
			claims[id] = append(claims[id], c)
		}
	}
	startDate := -1
	for id, all := range claims {
		kept, lost := lowest(all)
		left = append(left, lost...)
		if len(kept) == 0 {
			continue
		}
		ch := Binding{Field: schema.ID(id).Field()}
		if kept[0].rank == rankOld {
			ch.Old = kept[0].Field
		}
		var clash bool
		ch.Columns, clash = ordered(kept)
		if clash {
			clashes = append(clashes, Clash{ch.Field, kept[0].Column, kept[1].Column})
			continue
		}
		if ch.Field.ID == schema.FieldStartAt && kept[0].rank == rankAlias && (len(kept) > 1 || kept[0].Part == DateOnly) {
			startDate = ch.Columns[0]
		}
		if ch.Field.ID == schema.FieldEndAt && len(kept) == 1 && kept[0].Part == ClockOnly && startDate >= 0 {
			ch.Columns, ch.Borrowed = []int{startDate, kept[0].Column}, true
		}
		bound = append(bound, ch)
	}
	return bound, left, clashes
}

// lowest keeps the claims of the lowest rank; the columns of the others are lost.
func lowest(all []Claim) (kept []Claim, lost []int) {
	best := rankAlias
	for _, c := range all {
		best = min(best, c.rank)
	}
	for _, c := range all {
		if c.rank == best {
			kept = append(kept, c)
		} else {
			lost = append(lost, c.Column)
		}
	}
	return kept, lost
}

// ordered puts the columns of one field in order: a date before its time.
func ordered(kept []Claim) (columns []int, clash bool) {
	if len(kept) == 1 {
		return []int{kept[0].Column}, false
	}
	if len(kept) == 2 && kept[0].Part == DateOnly && kept[1].Part == ClockOnly {
		return []int{kept[0].Column, kept[1].Column}, false
	}
	if len(kept) == 2 && kept[0].Part == ClockOnly && kept[1].Part == DateOnly {
		return []int{kept[1].Column, kept[0].Column}, false
	}
	return nil, true
}
