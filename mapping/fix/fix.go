// Package fix decides what becomes of cells that a machine may mend.
//
// A [Fixer] is given the sheets of a file, and of each sheet its rows: every row as the
// file has it and as it was read. Each rule looks at the cells that it is about and
// says what they become; nothing is written here. What is read rightly stays as it is.
//
// Most rules need one row only: trim, dates, enum and fill. Two need all of them:
// dedupe remembers the rows, keys and event ids that it has seen, and a slug that is
// made gets its ending when all others are known, in [Fixer.Edits].
package fix

import (
	"slices"

	"eventbatch/mapping/schema"
)

// Fixer collects what to mend in one file. [Fixer.Begin] comes before a sheet's rows,
// [Fixer.Edits] behind all of them.
type Fixer struct {
	rules Rules
	seen  seenRows
	slugs map[string]bool // that are in the file and good
	edits []Edit
	left  []Left
	sheet *sheetFixer
	shift *dateShifter // nil where no dates are moved
}

// New returns a Fixer that follows the rules.
func New(rules Rules) *Fixer {
	return &Fixer{rules: rules, seen: seenRows{}, slugs: map[string]bool{}}
}

// Begin turns to a sheet. The error is of the kind [failure.Usage].
func (f *Fixer) Begin(s Sheet) error {
	fixer, err := newSheetFixer(&f.rules, f.slugs, s)
	if err != nil {
		return err
	}
	f.sheet = fixer
	for _, fill := range fixer.fills {
		if fill.adds {
			f.edits = append(f.edits, fixer.head(ruleFill, fill.Field.Path, fill.columns.At[0]))
		}
	}
	return nil
}

// Row looks at one row. The error is of the kind [failure.Usage].
func (f *Fixer) Row(row Row) error {
	r := &rowFixer{sheetFixer: f.sheet, Row: row}
	if f.rules.Shift != 0 {
		f.shifting().row(r)
		return nil
	}
	if reason := f.seen.twice(f.rules.Dedupe, f.sheet.Header, &row); reason != "" {
		if err := r.skip(reason); err != nil {
			return err
		}
	} else {
		r.mend()
		if err := r.places(); err != nil {
			return err
		}
	}
	f.edits = append(f.edits, r.edits...)
	f.left = append(f.left, r.left...)
	return nil
}

// mend follows the rules that need this row only.
func (r *rowFixer) mend() {
	if r.rules.Trim {
		r.trim()
	}
	for i := range r.Columns {
		f := &r.Columns[i]
		switch {
		case f.Worked:
		case f.Field.Kind == schema.Timestamp && r.rules.Dates != KeepDates:
			r.dates(f)
		case f.Field.Kind == schema.Slug:
			r.slug(f)
		case r.rules.Enums && (f.Field.Kind == schema.Enum || f.Field.Kind == schema.Bool || f.Field.Kind == schema.Verb):
			r.take(f, ruleEnum)
		}
	}
	if r.rules.Proposals {
		r.proposals()
	}
	if !r.Skipped && r.Draft.Action != schema.Cancel {
		for i := range r.fills {
			r.fill(&r.fills[i])
		}
	}
	slices.SortStableFunc(r.edits, func(a, b Edit) int { return a.Place.Column - b.Place.Column })
}

// Left returns what was not done. It is asked after the edits.
func (f *Fixer) Left() []Left {
	if f.rules.Shift != 0 {
		return f.shifting().left
	}
	return f.left
}

func (f *Fixer) shifting() *dateShifter {
	if f.shift == nil {
		f.shift = &dateShifter{by: f.rules.Shift, columns: map[shiftColumn]padding{}}
	}
	return f.shift
}

// Edits returns what becomes of the file's cells, in the order of the rows.
func (f *Fixer) Edits() []Edit {
	if f.rules.Shift != 0 {
		return f.shifting().edits()
	}
	distinct(f.edits, f.slugs)
	return f.edits
}
