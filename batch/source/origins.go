package source

import (
	"fmt"
	"maps"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
)

// origins counts the rows of a named source whose events others have made: where one of them is
// gone, the source does not miss it.
type origins struct {
	of    map[string]int // rows by the files that they were imported from before
	found int            // rows whose events no run knows
}

// row counts a row of an event that none of these sources has made. A row that names its event
// is an edit, and makes nobody expect that its event goes with it.
func (o *origins) row(memory *journal.Memory, sources []string, op *plan.Op) {
	known, there := memory.Recall(op.Event.Calendar, op.Event.Key)
	switch {
	case !there || known.EventID == "":
		o.found++
	case known.Source != "" && !slices.Contains(sources, known.Source):
		if o.of == nil {
			o.of = map[string]int{}
		}
		o.of[known.Source]++
	}
}

// notes says what follows from that.
func (o *origins) notes() (notes []string) {
	const unseen = ": they are not missed when their rows leave it"
	for _, from := range slices.Sorted(maps.Keys(o.of)) {
		notes = append(notes, fmt.Sprintf("%s of this source came from %s by an import%s; --take-over %q, once, makes them its own",
			report.Count(o.of[from], "event"), from, unseen, from))
	}
	if o.found > 0 {
		notes = append(notes, report.Count(o.found, "event")+
			" of this source had been made by runs that this workspace does not know"+unseen)
	}
	return notes
}
