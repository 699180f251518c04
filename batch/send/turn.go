package send

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// jobs returns what carries out each serial group by itself, or rows that share a request.
func (l *lane) jobs(serials iter.Seq[[]*Ref]) iter.Seq[job] {
	return func(yield func(job) bool) {
		for serial := range serials {
			next := func(ctx context.Context) error { return l.follow(ctx, serial) }
			if group := serial[0].group; group != 0 {
				whole := l.queue.groups.hold(group, serial...)
				if whole == nil {
					continue
				}
				next = l.together(whole)
			}
			if !yield(next) {
				return
			}
		}
	}
}

// together returns what carries out rows that share a request.
func (l *lane) together(refs []*Ref) job {
	return func(ctx context.Context) error { return l.gather(ctx, refs) }
}

// follow carries out the tasks of a serial group.
func (l *lane) follow(ctx context.Context, serial []*Ref) error {
	for _, ref := range serial {
		t, err := l.turn(ctx, ref)
		if err != nil {
			return err
		}
		if ended, err := l.nameless(t); err != nil {
			return err
		} else if ended {
			continue
		}
		t.serial = serial
		err = l.do(ctx, t)
		l.claims.doubt(ref, t.Doubt)
		if err != nil {
			return err
		}
		l.Backlog.Add(-1)
	}
	return nil
}

// gather carries out rows that share a request.
func (l *lane) gather(ctx context.Context, refs []*Ref) error {
	var tasks []*Task
	for _, ref := range refs {
		t, err := l.task(ref)
		if err != nil {
			return err
		}
		if ended, err := l.nameless(t); err != nil {
			return err
		} else if !ended {
			tasks = append(tasks, t)
		}
	}
	if l.halted(ctx) {
		return errHalted
	}
	if len(tasks) == 0 {
		return nil
	}
	if err := l.execute(ctx, tasks); err != nil {
		return err
	}
	l.Backlog.Add(-int64(len(tasks)))
	return nil
}

// block ends rows that wait for an op which is not done.
func (l *lane) block(ctx context.Context, refs []*Ref) error {
	for _, ref := range refs {
		t, err := l.turn(ctx, ref)
		if err != nil {
			return err
		}
		if err := l.finish(t, journal.Record{Type: journal.Skip, Code: journal.Waited}); err != nil {
			return err
		}
		l.Backlog.Add(-1)
	}
	return nil
}

// arrive ends the rows whose records were made with their event. The answer to that tells no ids: they
// are listed, once, where others wait for them.
func (l *lane) arrive(ctx context.Context, refs []*Ref) error {
	x := &listing{lane: l}
	for _, ref := range refs {
		t, err := l.turn(ctx, ref)
		if err != nil {
			return err
		}
		if l.queue.arrived(ref.N) {
			made := journal.Record{Type: journal.OK}
			if l.queue.awaited(ref.N) {
				made.EventID, err = x.made(ctx, t)
			}
			if err == nil {
				err = l.finish(t, made)
			}
		} else {
			err = l.do(ctx, t)
		}
		if err != nil {
			return err
		}
		l.Backlog.Add(-1)
	}
	return nil
}

// turn reads a task when its turn comes, unless the lane has halted.
func (l *lane) turn(ctx context.Context, ref *Ref) (*Task, error) {
	if l.halted(ctx) {
		return nil, errHalted
	}
	return l.task(ref)
}

// task reads a task, with the ids of what it waited for.
func (l *lane) task(ref *Ref) (*Task, error) {
	t, err := l.Task(ref.N)
	if err != nil {
		l.stop(err)
		return nil, err
	}
	t.ref = ref
	if len(ref.after) == 0 {
		return t, nil
	}
	t.Heard = time.Now() // of what it has waited for
	op := *t.Op
	op.Place(l.queue.id)
	t.Op = &op
	// One that should have been made with its event, and is not known to be, is looked for.
	t.Doubt = t.Doubt || ref.rides && t.Op.Event.Parent != "" && !l.queue.arrived(ref.N)
	return t, nil
}

// nameless ends a row that calls a record by a name of which no list has told the id, and reports
// whether it did.
func (l *lane) nameless(t *Task) (ended bool, err error) {
	for name := range t.Op.Names {
		l.Backlog.Add(-1)
		return true, l.finish(t, journal.Record{
			Type: journal.Skip, Code: journal.Waited, Error: "no list has told the id of " + strconv.Quote(name),
		})
	}
	return false, nil
}

// do carries one task to its end: an outcome in the journal, or an error when
// the lane cannot go on.
func (l *lane) do(ctx context.Context, t *Task) error {
	if err := l.execute(ctx, []*Task{t}); err != nil {
		return err
	}
	return l.doubtRivals(ctx)
}

// execute carries tasks out, whose rows share one request where there are several.
func (l *lane) execute(ctx context.Context, tasks []*Task) error {
	t := tasks[0]
	op := catalog.OperationNamed(t.Op.Operation)
	if op == nil {
		return fmt.Errorf("row %d: no operation %q", t.Op.Row.Number, t.Op.Operation)
	}
	e := &execution{listing: listing{lane: l, op: op, parent: t.Op.Event.Parent}}
	if op.Resource.Keyed() {
		if op.Does != schema.Create {
			if ready, err := e.find(ctx, t); !ready || err != nil {
				return err
			}
		}
		if err := e.whole(t); err != nil {
			return err
		}
	}
	e.lookUp = e.lookUpFor(t)
	return e.carry(ctx, tasks)
}
