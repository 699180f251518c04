package mapping

import (
	"slices"

	"eventbatch/mapping/schema"
)

// Result is what one row of data asks for. It is valid until the next one is
// asked for: whoever keeps a draft clones it.
type Result struct {
	Source   int // index in Sources
	Draft    *schema.Draft
	Cells    []string // as the file shows them, at least one a column of the header; only if asked for
	Problems []schema.Problem
	Skipped  string // why the row asks for nothing; empty where it does
	// Of is the number of an earlier row of the sheet that asks for this one too; 0: none does.
	Of int
	// Again means that a row of another file is about the same, and is what becomes of both.
	Again bool
	// Lacking is what the whole file lacks and the row needs, in words; empty for nearly
	// all. The Reading's problems tell it, once.
	Lacking string
	// Unknown means that a row which asks for nothing has cells that cannot be read, of those
	// that say which event it is about.
	Unknown bool
}

// Invalid reports whether a problem keeps the row from being sent, of its own or of the file.
func (r *Result) Invalid() bool {
	return r.Lacking != "" || slices.ContainsFunc(r.Problems, func(p schema.Problem) bool { return p.Severity == schema.Error })
}

// misnamed reports whether what names the row's event is wrong, and with it whatever
// the row could say to other rows.
func (r *Result) misnamed() bool {
	return slices.ContainsFunc(r.Problems, func(p schema.Problem) bool {
		return p.Severity == schema.Error && (p.Field == "key" || p.Field == "event_id" || p.Field == "slug")
	})
}
