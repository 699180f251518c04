package batch

import (
	"fmt"
	"maps"
	"slices"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// foreign counts the rows of a named source whose events others have made: where one of them is
// gone, the source does not miss it.
type foreign struct {
	of    map[string]int // rows by the files that they were imported from before
	found int            // rows whose events no run knows
}

// notOwned counts a row of an event that the source has not made. A row that names its event
// is an edit, and makes nobody expect that its event goes with it.
func (s *source) notOwned(row *mapping.Result, op *plan.Op) {
	d := row.Draft
	if d == nil || !d.Resource.Keyed() || op.Event.ID == "" || d.Has(schema.FieldEventID) ||
		s.d.config.Source.Missing == MissingKeep || !plan.Named(s.name) {
		return
	}
	known, there := s.d.memory.Recall(op.Event.Calendar, op.Event.Key)
	switch f := &s.foreign; {
	case !there || known.EventID == "":
		f.found++
	case known.Source != "" && !slices.Contains(s.names(), known.Source):
		if f.of == nil {
			f.of = map[string]int{}
		}
		f.of[known.Source]++
	}
}

// notes says what follows from that.
func (f *foreign) notes() (notes []string) {
	const unseen = ": they are not missed when their rows leave it"
	for _, from := range slices.Sorted(maps.Keys(f.of)) {
		notes = append(notes, fmt.Sprintf("%s of this source came from %s by an import%s; --take-over %q, once, makes them its own",
			report.Count(f.of[from], "event"), from, unseen, from))
	}
	if f.found > 0 {
		notes = append(notes, report.Count(f.found, "event")+
			" of this source had been made by runs that this workspace does not know"+unseen)
	}
	return notes
}
