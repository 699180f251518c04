package report

import (
	"slices"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
)

// MissingLine is a key that is gone from its source as a document has it.
type MissingLine struct {
	Calendar string     `json:"calendar"`
	Key      string     `json:"key"`
	EventID  string     `json:"event_id"`
	Name     string     `json:"name"`
	StartAt  *time.Time `json:"start_at"` // null where it is not known
	Action   string     `json:"action"`   // skip, cancel, conflict or blocked
	Reason   string     `json:"reason"`
}

// missing names the keys that are gone and whose events stay: those that are cancelled are
// shown with what else changes something.
func (s planScreen) missing(list []MissingLine) {
	list = slices.DeleteFunc(slices.Clone(list), func(line MissingLine) bool { return line.Action == string(plan.Cancel) })
	for i := range list {
		if i == shownChanges {
			s.Printf("  %s\n", s.Dim("and "+Number(len(list)-i)+" more that are gone: --json lists them"))
			return
		}
		line := &list[i]
		words := strings.TrimSpace(line.Key + " " + line.Name)
		if line.StartAt != nil {
			words += ", " + line.StartAt.Format(dayTime)
		}
		s.Printf("  %s %s\n", s.yellow("?"), printable.Clean(words))
	}
}
