package heading

import "eventbatch/mapping/schema"

// Claim is a column that could feed a field.
type Claim struct {
	Column int
	Field  *schema.Field // as the header names it: perhaps a deprecated one
	Part   Part
	Rank   Rank
}

// Part is what a column holds of a time.
type Part uint8

// The parts of a time.
const (
	Whole Part = iota // a date with a time, or any other value
	DateOnly
	ClockOnly
)

// Rank is how sure a match is: a lower one wins over a higher.
type Rank uint8

// The ranks of a match.
const (
	ByPath  Rank = iota // the field's path, exact or normalised
	ByOld               // a deprecated path
	ByAlias             // a name that other programs use
)

// ClaimOf finds the field that the header of a column names.
func ClaimOf(header string, column int) (Claim, bool) {
	name := Normalize(header)
	if field, ok := paths[name]; ok {
		c := Claim{Column: column, Field: field, Rank: ByPath}
		if field.Deprecated {
			c.Rank = ByOld
		}
		return c, true
	}
	c, ok := aliases[name]
	c.Column = column
	return c, ok
}

// Choice is the columns that feed one field.
type Choice struct {
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

// Choose settles which columns feed which fields, in the order of the fields. A
// field's own name wins over an old one, and that over an alias: what loses is
// left, like a header that names no field or one that is no more. A column that
// skip names is passed over.
func Choose(headers []string, skip func(column int) bool) (choices []Choice, left []int, clashes []Clash) {
	claims := make([][]Claim, len(schema.Fields))
	for i, h := range headers {
		c, ok := ClaimOf(h, i)
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
		kept, lost := surest(all)
		left = append(left, lost...)
		if len(kept) == 0 {
			continue
		}
		ch := Choice{Field: schema.ID(id).Field()}
		if kept[0].Rank == ByOld {
			ch.Old = kept[0].Field
		}
		var clash bool
		ch.Columns, clash = settle(kept)
		if clash {
			clashes = append(clashes, Clash{ch.Field, kept[0].Column, kept[1].Column})
			continue
		}
		if ch.Field.ID == schema.FieldStartAt && kept[0].Rank == ByAlias && (len(kept) > 1 || kept[0].Part == DateOnly) {
			startDate = ch.Columns[0]
		}
		if ch.Field.ID == schema.FieldEndAt && len(kept) == 1 && kept[0].Part == ClockOnly && startDate >= 0 {
			ch.Columns, ch.Borrowed = []int{startDate, kept[0].Column}, true
		}
		choices = append(choices, ch)
	}
	return choices, left, clashes
}

// surest keeps the claims of the lowest rank; the columns of the others are lost.
func surest(all []Claim) (kept []Claim, lost []int) {
	best := ByAlias
	for _, c := range all {
		best = min(best, c.Rank)
	}
	for _, c := range all {
		if c.Rank == best {
			kept = append(kept, c)
		} else {
			lost = append(lost, c.Column)
		}
	}
	return kept, lost
}

// settle puts the columns of one field in order: a date before its time.
func settle(kept []Claim) (columns []int, clash bool) {
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
