package send

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"eventbatch/batch/journal"
)

// job is a strand, or rows that share a request.
type job func(context.Context) error

// queue hands out the jobs of a lane: first those whose rows waited for another that is done
// by now, then those that wait for nothing, in file order.
type queue struct {
	lane *lane

	mu      sync.Mutex
	changed sync.Cond // something is ready, or a job has ended
	next    func() (job, bool)
	ready   []job
	waiting map[int][]*Ref // by the op that they wait for
	made    map[int]string // ids that such ops came to have
	rode    map[int]bool   // the ops whose records were made with their events
	working int            // jobs that are under way
}

func newQueue(l *lane) *queue {
	q := &queue{lane: l, waiting: map[int][]*Ref{}, made: map[int]string{}, rode: map[int]bool{}}
	q.changed.L = &q.mu
	if !slices.ContainsFunc(l.Tasks, func(r Ref) bool { return r.after >= 0 }) {
		return q
	}
	open := map[int]bool{}
	for i := range l.Tasks {
		ref := &l.Tasks[i]
		open[ref.N] = true // what it waits for stands before it
		switch {
		case ref.after < 0:
		case !open[ref.after] && l.Done(ref.after):
			ref.after = -1
		default:
			q.waiting[ref.after] = append(q.waiting[ref.after], ref)
		}
	}
	for n := range q.waiting {
		if !open[n] && !l.Looks {
			q.settle(n, "", journal.Fail)
		}
	}
	return q
}

// take returns the next job, and false where there is none left or the lane has halted. It
// waits while only jobs under way can make others ready.
func (q *queue) take(ctx context.Context) (job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.lane.halted(ctx) {
		if len(q.ready) > 0 {
			next := q.ready[0]
			q.ready = q.ready[1:]
			q.working++
			return next, true
		}
		if next, more := q.next(); more {
			q.working++
			return next, true
		}
		if q.working == 0 || len(q.waiting) == 0 {
			break
		}
		q.changed.Wait()
	}
	return nil, false
}

// do carries out a job.
func (q *queue) do(ctx context.Context, next job) error {
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.working--
		q.changed.Broadcast()
	}()
	return next(ctx)
}

// settle makes the rows ready that wait for an op: to be sent where it is done, to be ended
// where it never will be. While it is in doubt they go on waiting, for another process.
func (q *queue) settle(n int, id string, outcome journal.Type) {
	q.mu.Lock()
	defer q.mu.Unlock()
	refs := q.waiting[n]
	if len(refs) == 0 || outcome == journal.Doubt {
		return
	}
	delete(q.waiting, n)
	if outcome == journal.OK || outcome == journal.Resolved {
		q.made[n] = id
		q.ready = slices.AppendSeq(q.ready, q.lane.jobs(single(refs)))
	} else {
		q.ready = append(q.ready, func(ctx context.Context) error { return q.lane.block(ctx, refs) })
	}
	q.changed.Broadcast()
}

// single makes each row a strand of its own.
func single(refs []*Ref) iter.Seq[[]*Ref] { return slices.Chunk(refs, 1) }

// riders returns the tasks whose records the request of an op makes too.
func (q *queue) riders(n int) (tasks []*Task, err error) {
	q.mu.Lock()
	refs := slices.DeleteFunc(slices.Clone(q.waiting[n]), func(r *Ref) bool { return !r.rides })
	q.mu.Unlock()
	for _, ref := range refs {
		t, err := q.lane.task(ref)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// ride notes that the records of tasks were made with their event.
func (q *queue) ride(tasks []*Task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range tasks {
		q.rode[t.Op.N] = true
	}
}

// arrived reports whether the record of an op was made with its event.
func (q *queue) arrived(n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.rode[n]
}

// id returns the id that an op came to have which others waited for.
func (q *queue) id(n int) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.made[n]
}

// send carries out the lane's strands, at most Concurrency at a time: no more
// requests are under way, and a process that is killed leaves no more rows in
// doubt. It returns when all that it started has ended.
func (l *lane) send(ctx context.Context) error {
	workers := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	next, stop := iter.Pull(l.jobs(l.strands()))
	defer stop()
	l.queue.next = next
	for range min(max(1, l.Concurrency), len(l.Tasks)) {
		workers.Go(func(ctx context.Context) error {
			for {
				next, more := l.queue.take(ctx)
				if !more {
					return nil
				}
				if err := l.queue.do(ctx, next); err != nil {
					return err
				}
			}
		})
	}
	err := workers.Wait()
	l.Backlog.Store(0)
	if errors.Is(err, errHalted) {
		return nil
	}
	return err
}

// jobs returns what carries out each strand by itself, or rows that share a request.
func (l *lane) jobs(strands iter.Seq[[]*Ref]) iter.Seq[job] {
	return func(yield func(job) bool) {
		shared := map[uint64][]*Ref{} // rows that wait for others of their group
		var groups []uint64           // in file order
		gather := func(refs []*Ref) bool {
			return yield(func(ctx context.Context) error { return l.gather(ctx, refs) })
		}
		for strand := range strands {
			group := strand[0].group
			if group == 0 {
				if !yield(func(ctx context.Context) error { return l.follow(ctx, strand) }) {
					return
				}
				continue
			}
			if shared[group] == nil {
				groups = append(groups, group)
			}
			shared[group] = append(shared[group], strand...)
			if whole := shared[group]; len(whole) >= strand[0].most {
				shared[group] = shared[group][len(whole):]
				if !gather(whole) {
					return
				}
			}
		}
		for _, group := range groups {
			if rest := shared[group]; len(rest) > 0 && !gather(rest) {
				return
			}
			shared[group] = nil
		}
	}
}

// task reads a task, with what the op that it waited for has made.
func (l *lane) task(ref *Ref) (*Task, error) {
	t, err := l.Task(ref.N)
	if err != nil {
		l.stop(err)
		return nil, err
	}
	if ref.after < 0 {
		return t, nil
	}
	if id := l.queue.id(ref.after); id != "" && t.Op.Event.Parent == "" {
		op := *t.Op
		op.Under(id)
		t.Op = &op
	}
	// One that should have been made with its event, and is not known to be, is looked for.
	t.Doubt = t.Doubt || ref.rides && t.Op.Event.Parent != "" && !l.queue.arrived(ref.N)
	return t, nil
}

// block ends rows that wait for an op which is not done.
func (l *lane) block(ctx context.Context, refs []*Ref) error {
	for _, ref := range refs {
		if l.halted(ctx) {
			return errHalted
		}
		t, err := l.task(ref)
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

// finish records a row's end, and lets those go on that wait for it.
func (l *lane) finish(t *Task, record journal.Record) error {
	if err := l.run.finish(t, record); err != nil {
		return err
	}
	l.queue.settle(t.Op.N, record.EventID, record.Type)
	return nil
}

// gather carries out rows that share a request.
func (l *lane) gather(ctx context.Context, refs []*Ref) error {
	tasks := make([]*Task, len(refs))
	for i, ref := range refs {
		var err error
		if tasks[i], err = l.task(ref); err != nil {
			return err
		}
	}
	if l.halted(ctx) {
		return errHalted
	}
	if err := l.records(ctx, tasks); err != nil {
		return err
	}
	l.Backlog.Add(-int64(len(tasks)))
	return nil
}

// follow carries out the tasks of a strand.
func (l *lane) follow(ctx context.Context, strand []*Ref) error {
	for _, ref := range strand {
		if l.halted(ctx) {
			return errHalted
		}
		t, err := l.task(ref)
		if err != nil {
			return err
		}
		t.strand = strand
		err = l.do(ctx, t)
		ref.Doubt = t.Doubt
		if err != nil {
			return err
		}
		l.Backlog.Add(-1)
	}
	return nil
}
