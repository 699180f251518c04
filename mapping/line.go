package mapping

import (
	"context"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/mapping/check"
	"eventbatch/mapping/reshape"
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
	defect   *panics.Recovered // of the reader, once order is closed
}

// job is a run of rows, or an event between two of them.
type job struct {
	event func() error // of the merge; nil where there are rows

	b        *binding
	batch    *sheet.Batch
	rows     []sheet.Row
	notes    []reshape.Note // of the rows; nil where they are not reshaped
	carried  []reshape.Carried
	unread   []int       // filled cells, by column of the binding's unread
	picked   []sheet.Row // memory of rows, where not all of the batch are taken
	results  []Result
	drafts   []schema.Draft // never shortened, so that the memory of each draft is used again
	problems []schema.Problem
	claims   check.Claims
	end      error // ends the reading behind the results; nil for nearly all
	cells    []string
	defect   *panics.Recovered // of the worker
	done     chan struct{}
}

func newLine(jobs int) *line {
	l := &line{work: make(chan *job, jobs), order: make(chan *job, jobs), free: make(chan *job, jobs)}
	for range jobs {
		l.free <- &job{done: make(chan struct{}, 1)}
	}
	return l
}

// run has feed fill the line and workers empty it while merge takes what comes out.
// All have ended when it returns. A panic of any is the caller's: that of a worker
// reaches it through merge, when its job's turn comes.
func (l *line) run(ctx context.Context, feed func(context.Context), workers int, merge func()) {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer func() {
		stop()
		all.Wait()
		if l.defect != nil {
			panic(l.defect)
		}
	}()
	all.Go(func() {
		defer close(l.order)
		defer close(l.work)
		l.defect = panics.Try(func() { feed(ctx) })
	})
	for range workers {
		all.Go(func() {
			w := newWorker()
			for j := range l.work {
				w.take(ctx, j)
			}
		})
	}
	merge()
}

// send passes a job on and reports whether the line still moves.
func (l *line) send(ctx context.Context, j *job) bool {
	select {
	case l.order <- j:
	case <-ctx.Done():
		return false
	}
	l.work <- j // has room for every job there is
	return true
}

// say makes the merge call event between the rows before and after it.
func (l *line) say(ctx context.Context, event func() error) bool {
	select {
	case l.order <- &job{event: event}:
		return true
	case <-ctx.Done():
		return false
	}
}

// take does a job and says so, even where that panics.
func (w *worker) take(ctx context.Context, j *job) {
	j.defect = panics.Try(func() { w.job(ctx, j) })
	j.done <- struct{}{}
}

// job makes drafts of a job's rows and checks them.
func (w *worker) job(ctx context.Context, j *job) {
	w.b = j.b
	w.problems, w.unnamedColumns = j.problems[:0], w.unnamedColumns[:0]
	j.room()
	j.results, j.cells = j.results[:0], j.cells[:0]
	j.claims.Reset()
	j.unread = slices.Grow(j.unread[:0], len(j.b.unread))[:len(j.b.unread)]
	clear(j.unread)
	j.end = nil
	for i := range j.rows {
		if j.end = ctx.Err(); j.end != nil {
			break
		}
		row, draft := &j.rows[i], &j.drafts[i]
		w.first = len(w.problems)
		if w.note = nil; j.notes != nil {
			w.note = &j.notes[i]
		}
		skipped := w.read(ctx, row, draft)
		if j.carried != nil {
			w.carried(j.carried)
		}
		if w.end != nil {
			j.end = w.end
			break
		}
		if len(w.problems) > w.first {
			w.propose()
		}
		if len(j.unread) > 0 && (skipped == "" || w.note != nil) && (i == 0 || row.Number != j.rows[i-1].Number) {
			for k, column := range j.b.unread {
				if column < len(row.Cells) && row.Cells[column].Kind != sheet.Blank && !j.b.comparesDay(column, row.Cells[column].Text) {
					j.unread[k]++
				}
			}
		}
		result := Result{
			Source: j.b.source, Draft: draft, Problems: w.problems[w.first:len(w.problems):len(w.problems)],
			Skipped: skipped, Lacking: w.lacking, Unknown: w.unknown,
		}
		if w.note != nil {
			result.Of = w.note.Of
		}
		if j.b.options.KeepCells {
			from := len(j.cells)
			j.cells = w.show(j.cells)
			result.Cells = j.cells[from:len(j.cells):len(j.cells)]
		}
		if skipped == "" && !result.misnamed() && (row.Problem == nil || draft.Key != "") {
			j.claims.Take(i, draft)
		}
		j.results = append(j.results, result)
	}
	j.problems = w.problems
	j.batch.Release()
}

// room makes a draft for each row. The settings of all are parts of one slice, row after
// row.
func (j *job) room() {
	more := len(j.rows) - len(j.drafts)
	if more <= 0 {
		return
	}
	width := len(j.b.list) + 2 // the zone, and what completes a row
	settings := make([]schema.Setting, more*width)
	j.drafts = slices.Grow(j.drafts, more)
	for i := range more {
		j.drafts = append(j.drafts, schema.Draft{Settings: settings[i*width : i*width : (i+1)*width]})
	}
}

// show appends the row's cells as a person would see them.
func (w *times) show(dst []string) []string {
	from := len(dst)
	for i := range w.row.Cells {
		if i >= w.b.width && i < len(w.b.header) {
			continue // of a joined table
		}
		cell := &w.row.Cells[i]
		if cell.Kind == sheet.Date {
			dst = append(dst, w.dateText(cell))
			continue
		}
		dst = append(dst, cell.Text)
	}
	for len(dst)-from < w.b.width {
		dst = append(dst, "")
	}
	for _, column := range w.midnights {
		if column < w.b.width {
			dst[from+column] += " 00:00:00"
		}
	}
	return dst
}
