package mapping

import (
	"context"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// line is the assembly line between the reader, the workers and the merge: each
// job goes to the workers and, in order, to the merge, which hands it back.
type line struct {
	work  chan *job
	order chan *job
	free  chan *job
	// complete: the merge ended for a reason of its own, not because the line dried up.
	complete bool
}

// job is a run of rows, or an event between two of them.
type job struct {
	event func() error // of the merge; nil where there are rows

	b        *binding
	batch    *sheet.Batch
	rows     []sheet.Row
	picked   []sheet.Row // memory of rows, where not all of the batch are taken
	results  []Result
	drafts   []schema.Draft // never shortened, so that the memory of each draft is used again
	problems []schema.Problem
	cells    []string
	done     chan struct{}
}

func newLine(jobs int) *line {
	l := &line{work: make(chan *job, jobs), order: make(chan *job, jobs), free: make(chan *job, jobs)}
	for range jobs {
		l.free <- &job{done: make(chan struct{}, 1)}
	}
	return l
}

// send passes a job on and tells whether the line still moves.
func (l *line) send(ctx context.Context, j *job) bool {
	select {
	case l.order <- j:
	case <-ctx.Done():
		return false
	}
	l.work <- j // has room for every job there is
	return true
}

// say has the merge call event between the rows before and after it.
func (l *line) say(ctx context.Context, event func() error) bool {
	select {
	case l.order <- &job{event: event}:
		return true
	case <-ctx.Done():
		return false
	}
}

// job does one job.
func (w *worker) job(ctx context.Context, j *job) {
	w.b = j.b
	w.problems, w.unnamedColumns = j.problems[:0], w.unnamedColumns[:0]
	if n := len(j.rows); n > len(j.drafts) {
		j.drafts = append(j.drafts, make([]schema.Draft, n-len(j.drafts))...)
	}
	j.results, j.cells = j.results[:0], j.cells[:0]
	for i := range j.rows {
		row, draft := &j.rows[i], &j.drafts[i]
		w.first = len(w.problems)
		skipped := w.read(ctx, row, draft)
		result := Result{Source: j.b.source, Draft: draft, Problems: w.problems[w.first:len(w.problems):len(w.problems)], Skipped: skipped}
		if j.b.options.KeepCells {
			from := len(j.cells)
			j.cells = w.show(j.cells)
			result.Cells = j.cells[from:len(j.cells):len(j.cells)]
		}
		j.results = append(j.results, result)
	}
	j.problems = w.problems
	j.batch.Release()
}

// show appends the row's cells as a person would see them.
func (w *worker) show(dst []string) []string {
	from := len(dst)
	for i := range w.row.Cells {
		cell := &w.row.Cells[i]
		if cell.Kind == sheet.Date {
			dst = append(dst, w.dateText(cell))
			continue
		}
		dst = append(dst, cell.Text)
	}
	for len(dst)-from < len(w.b.header) {
		dst = append(dst, "")
	}
	for _, column := range w.midnights {
		dst[from+column] += " 00:00:00"
	}
	return dst
}
