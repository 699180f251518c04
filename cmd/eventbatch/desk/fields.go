package desk

import (
	"cmp"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/reads"
)

// field is one that changes, or stays, in words.
type field struct {
	Field  string  `json:"field"`
	Before *string `json:"before"` // null where it is not known
	After  string  `json:"after"`  // empty of one that is not sent
	Note   string  `json:"note"`   // of that, why
}

// stays are the decisions by which a field is not sent.
var stays = map[string]string{"conflict": "in conflict", "leave": "stays", "lost": "cannot be put back"}

// values returns two values as they are shown beside each other. Nobody types on the page what takes one away.
func values(before, after finding.Value) (string, string) {
	words := func(text string) string {
		if text == reads.Clear {
			return "nothing"
		}
		return text
	}
	was, is := report.Values(before, after)
	return words(was), words(is)
}

// fieldsOf puts changes into words: of a run, or of what takes one back.
func fieldsOf(changes []finding.ChangeLine, undo bool) []field {
	list := []field{}
	for i := range changes {
		c := &changes[i]
		if c.Decision == "same" {
			continue
		}
		f := field{Field: c.Field}
		before := c.Theirs()
		if c.Live == nil {
			before = c.Was()
		}
		was, is := values(before, c.Ours())
		file := "; the file says " + is
		if undo {
			file = "" // it says nothing of what was before
		}
		if cmp.Or(c.Live, c.Base) != nil {
			f.Before = &was
		}
		switch stay := stays[c.Decision]; {
		case c.Decision == string(plan.Follow):
			f.After, f.Note = is, ", "+c.Why
		case stay == "":
			f.After = is
		case c.Why == "":
			f.Note = " " + stay + file
		default:
			f.Note = " " + stay + ", " + c.Why + file
		}
		list = append(list, f)
	}
	return list
}
