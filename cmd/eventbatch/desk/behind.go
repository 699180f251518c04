package desk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// recheck is the checking of rows once more, each by itself.
type recheck struct{ *found }

// again checks the rows of cells that were changed, each by itself, and tells of each what it is now. It reports false where
// only a reading of the whole file can say so: what was said of the rows stays as it was until then.
func (r recheck) again(ctx context.Context, changes []fix.Change, each func(name string, row WindowRow)) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.views) // a search may find other rows
	r.events = nil
	cells, all := r.rows.cursor(), r.kept != nil
	for i := range r.sources {
		source := &r.sources[i]
		x, at := r.rows.sheets[source.Sheet], []int{}
		for k := range changes {
			number, column, _ := changes[k].Place()
			if changes[k].Sheet != source.Sheet {
				continue
			}
			n, found := x.find(number)
			if !found || column < 0 || x.verdict(n) == untold || number <= source.Row || column >= len(source.Header) {
				all = false // it may be something else now: a heading, an event, a column
			}
			if found && number > source.Row {
				at = append(at, n)
			}
		}
		slices.Sort(at)
		at = slices.Compact(at)
		rows := make([]sheet.Row, 0, len(at))
		for _, n := range at {
			row, err := r.row(cells, source.Sheet, x.cells[n])
			if err != nil {
				return false, err
			}
			rows = append(rows, row)
		}
		if len(rows) == 0 {
			continue
		}
		if all {
			var err error
			if all, err = r.againOf(ctx, i, rows, at); err != nil {
				return false, err
			}
		}
		findings, may := r.rows.cursor(), r.may(i)
		for k, n := range at {
			row, err := windowRow(&rows[k], source.Date1904, x.kept(n), findings)
			if err != nil {
				return false, err
			}
			row.May = may(&rows[k], row.State)
			each(source.Sheet, row)
		}
	}
	return all, nil
}

// others reports whether something is wrong with a row that other rows are part of: a key that is there twice.
func (r recheck) others(findings *cursor, told int64) (bool, error) {
	said, err := findings.said(told)
	for _, one := range said {
		problems, failed := one.problems()
		err = errors.Join(err, failed)
		if slices.ContainsFunc(problems, func(p schema.FlatProblem) bool { return strings.HasPrefix(string(p.Code), "duplicate-") }) {
			return true, err
		}
	}
	return false, err
}

// againOf checks rows of one sheet, in their order.
func (r recheck) againOf(ctx context.Context, source int, rows []sheet.Row, at []int) (bool, error) {
	name := r.sources[source].Sheet
	x := r.rows.sheets[name]
	type word struct {
		number int
		verdict
		*told
	}
	var words []word
	findings := r.rows.cursor()
	for _, i := range at {
		if x.verdict(i) == wrong {
			if others, err := r.others(findings, x.told[i]); others || err != nil {
				return false, err
			}
		}
	}
	var failed error
	if !r.kept.Again(ctx, source, rows, func(row *finding.Row) {
		v, what, err := say(row)
		failed = errors.Join(failed, err)
		words = append(words, word{row.Number, v, what})
	}) {
		return false, nil
	}
	wrongs := 0
	for _, i := range at {
		if x.verdict(i) == wrong {
			wrongs--
		}
		r.rows.retell(x, i)
	}
	for _, w := range words {
		_, err := r.rows.tell(name, w.number, w.verdict, w.told)
		failed = errors.Join(failed, err)
	}
	failed = errors.Join(failed, r.rows.flush())
	for _, i := range at {
		if x.verdict(i) == wrong {
			wrongs++
		}
	}
	for i := range r.totals {
		switch r.totals[i].Word {
		case "invalid":
			r.totals[i].Rows += wrongs
		case "valid":
			r.totals[i].Rows -= wrongs
		}
	}
	return true, failed
}

// behind is a reading of the whole file behind what was edited.
type behind struct {
	stop context.CancelFunc
	done chan struct{}
}

// together is how long an edit waits for further ones, to be read with them, where the whole file was being read already.
const together = 150 * time.Millisecond

// readBehind begins a reading of the whole file, in the place of one that is under way. The caller says how it is read.
func (d *reading) readBehind() {
	var wait time.Duration
	if d.behind != nil {
		d.behind.stop()
		wait = together
	}
	ctx, stop := context.WithCancel(d.ctx)
	b := &behind{stop, make(chan struct{})}
	d.behind = b
	d.behinds.Go(func() {
		defer close(b.done)
		defer stop()
		select {
		case <-time.After(wait):
			d.readWhole(ctx, b)
		case <-ctx.Done():
		}
	})
}

// readWhole reads the whole file, and puts what it says in the place of what was said before.
func (d *reading) readWhole(ctx context.Context, b *behind) {
	d.answering.Lock()
	by := d.by
	d.answering.Unlock()
	reading, stop := context.WithCancel(d.ctx) // it goes on once it stands for the file
	defer context.AfterFunc(ctx, stop)()
	session, err := d.Mapping.Read(reading, by)
	if err == nil {
		err = session.wait(reading)
	}
	if e := d.Editing.Edits; err == nil && e != nil && e.changed(reading) {
		err = errSaved
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	ours := d.behind == b && ctx.Err() == nil
	if ours {
		d.behind = nil
	}
	// Without its sheets, the file is not what it was: what was said of the rows stays.
	if !ours || err != nil || len(session.sources) == 0 && len(d.current.sources) > 0 {
		stop()
		if session != nil {
			_ = session.Close() // its files have no names, and go with it
		}
		return
	}
	d.reads.Lock()
	defer d.reads.Unlock()
	d.stop()
	_ = d.current.Close() // likewise
	d.current, d.stop = session, stop
}

// errSaved is why a reading behind an edit does not stand for the file.
var errSaved = errors.New("the file was saved since it was read")

// settled waits until the whole file was read behind what was edited.
func (d *reading) settled(ctx context.Context) error {
	for {
		d.answering.Lock()
		b := d.behind
		d.answering.Unlock()
		if b == nil {
			return nil
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if d.ctx.Err() != nil {
			return d.ctx.Err()
		}
	}
}
