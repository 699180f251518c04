package source

import (
	"fmt"
	"maps"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
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
		notes = append(notes, fmt.Sprintf("%s of this source came from %s by an import%s; --take-over %s, once, makes them its own",
			report.Count(o.of[from], "event"), from, unseen, spelling.Quoted(from)))
	}
	if o.found > 0 {
		notes = append(notes, report.Count(o.found, "event")+
			" of this source had been made by runs that this workspace does not know"+unseen)
	}
	return notes
}

// borrowed are the rows that find the events of another source by keys alone, by that source. Two files that both
// count their rows from 1 look like one programme that was saved under another name.
type borrowed map[string]struct{ rows, others int } // others have another name and another start

// borrow counts a row that has the key of another source's event. One that names its event itself is an edit of it.
func (r *Reading) borrow(d *schema.Draft, op *plan.Op) {
	known, _ := r.in.Memory.Recall(op.Event.Calendar, op.Event.Key)
	if known.Source == "" || slices.Contains(r.names(), known.Source) {
		return
	}
	n := r.borrowed[known.Source]
	n.rows++
	if op.Action == plan.Update && r.another(d, op, known.EventID) {
		n.others++
	}
	r.borrowed[known.Source] = n
}

// another reports whether a row gives an event another name and another start than its runs gave it.
func (r *Reading) another(d *schema.Draft, op *plan.Op, id string) bool {
	start, dated := d.Time(catalog.FieldStartAt)
	now, was := likenessOf(d.Text(catalog.FieldName), start.UnixMilli(), nil),
		absence{event: plan.Event{Calendar: op.Event.Calendar, Key: op.Event.Key, ID: id}}
	r.complete(&was)
	return dated && now.name != 0 && was.name != 0 && was.start != 0 && len(now.common(was.likeness)) == 0
}

// notes points such rows out. The error is a [DoubtfulError] where all rows of several are other events.
func (b borrowed) notes() (notes []string, err error) {
	for _, from := range slices.Sorted(maps.Keys(b)) {
		switch n := b[from]; {
		case n.others >= 3 && n.others == n.rows:
			return nil, &DoubtfulError{
				Words: fmt.Sprintf("all %s that have keys of %s give its events another name and another start: are they other events?",
					report.Count(n.rows, "row"), from),
				Hint: "give other events keys of their own; if they replace those of that file, say --take-over " + spelling.Quoted(from),
			}
		case n.others > 0:
			notes = append(notes, "keys of "+from+" are here with another name and another start, in "+report.Count(n.others, "row")+
				": look whether they are the same events")
		}
	}
	return notes, nil
}
