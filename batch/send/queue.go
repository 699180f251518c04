package send

import (
	"context"
	"maps"
	"slices"
	"sync"

	"eventbatch/batch/journal"
)

// job is a serial group, or rows that share a request.
type job func(context.Context) error

// queue hands out the jobs of a lane: first those that wait for nothing, in file order, then those whose
// rows waited for others that are done by now. Until no other is under way, such an outcome may turn out
// to be none: the id that an event was answered with may be that of one which is made after it. Rows of
// one group are held until they are as many as a request takes, no other of the group is still to come,
// or nothing else is left.
type queue struct {
	lane *lane

	mu      sync.Mutex
	changed sync.Cond // something is ready, or a job has ended
	next    func() (job, bool)
	ready   []job
	waiting map[int][]*Ref // by the ops that they wait for
	left    map[*Ref]int   // by the rows that wait: how many ops they still wait for
	ended   map[int]ended  // of the ops that others wait for: their outcomes as they are known by now
	groups  gathering
	made    map[int]string // by the ops that others waited for: the ids that they came to have
	rode    map[int]bool   // the ops whose records were made with their events
	working int            // jobs that are under way
}

// ended is the outcome of an op that others wait for.
type ended struct {
	id   string
	done bool
}

func newQueue(l *lane) *queue {
	q := &queue{
		lane: l, waiting: map[int][]*Ref{}, left: map[*Ref]int{}, ended: map[int]ended{},
		groups: gathering{rest: map[uint64]int{}, held: map[uint64][]*Ref{}}, made: map[int]string{}, rode: map[int]bool{},
	}
	q.changed.L = &q.mu
	for i := range l.Tasks {
		q.groups.rest[l.Tasks[i].group]++
	}
	if !slices.ContainsFunc(l.Tasks, func(r Ref) bool { return len(r.after) > 0 }) {
		return q
	}
	open, made := map[int]bool{}, map[int]string{}
	for id, ref := range l.Made {
		made[ref.N] = id
	}
	for i := range l.Tasks {
		ref := &l.Tasks[i]
		open[ref.N] = true // what it waits for stands before it
		ref.after = slices.DeleteFunc(slices.Clone(ref.after), func(n int) bool { return !open[n] && made[n] == "" && l.Done(n) })
		for _, n := range ref.after {
			q.waiting[n] = append(q.waiting[n], ref)
			q.left[ref]++
		}
	}
	for n := range q.waiting {
		if id := made[n]; !open[n] && (id != "" || !l.Looks) {
			q.ended[n] = ended{id, id != ""}
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
		switch {
		case q.working > 0 && len(q.left) > 0:
			q.changed.Wait()
		case len(q.ended) > 0:
			q.release()
		case len(q.groups.held) > 0:
			q.flush()
		default:
			return nil, false
		}
	}
	return nil, false
}

// do carries out a job.
func (q *queue) do(ctx context.Context, next job) error {
	defer q.end()
	return next(ctx)
}

// end notes that a job has come to its end, or that a doubt has.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working--
	q.changed.Broadcast()
}

// settle notes the outcome of an op that others wait for. While it is in doubt they go on waiting, for
// another process.
func (q *queue) settle(n int, id string, outcome journal.Type) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if delete(q.ended, n); len(q.waiting[n]) > 0 && outcome != journal.Doubt {
		q.ended[n] = ended{id, outcome == journal.OK || outcome == journal.Resolved}
	}
	q.changed.Broadcast()
}

// doubt has the rows wait that wait for an op whose outcome has turned out to be none, until end is called.
func (q *queue) doubt(n int) (end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.ended, n)
	q.working++
	return q.end
}

// release makes the rows ready that wait for ops which have come to their ends: to be sent where these are
// done, to be ended where they never will be.
func (q *queue) release() {
	for _, n := range slices.Sorted(maps.Keys(q.ended)) {
		q.let(n, q.ended[n])
	}
	clear(q.ended)
}

// let makes the rows ready that wait for one op.
func (q *queue) let(n int, end ended) {
	refs := q.waiting[n]
	delete(q.waiting, n)
	if end.done {
		q.made[n] = end.id
	}
	refs = slices.DeleteFunc(refs, func(r *Ref) bool {
		left, waits := q.left[r]
		if waits && end.done && left > 1 {
			q.left[r]--
			return true
		}
		delete(q.left, r)
		return !waits // it was ended before
	})
	if end.done {
		rest := slices.DeleteFunc(slices.Clone(refs), func(r *Ref) bool { return r.rides })
		if riders := slices.DeleteFunc(refs, func(r *Ref) bool { return !r.rides }); len(riders) > 0 {
			q.ready = append(q.ready, func(ctx context.Context) error { return q.lane.arrive(ctx, riders) })
		}
		q.ready = slices.AppendSeq(q.ready, q.lane.jobs(slices.Chunk(rest, 1)))
	} else if len(refs) > 0 {
		q.ready = append(q.ready, func(ctx context.Context) error { return q.lane.block(ctx, refs) })
		for _, r := range refs {
			if whole := q.groups.hold(r.group); whole != nil {
				q.ready = append(q.ready, q.lane.together(whole))
			}
		}
	}
}

// gathering are the rows of groups that share a request.
type gathering struct {
	rest map[uint64]int // how many rows of a group are still to come
	held map[uint64][]*Ref
}

// hold adds a row to those of its group, or none in the place of one that is never sent, and returns
// the rows of the group once no more of them are to share a request.
func (g *gathering) hold(group uint64, refs ...*Ref) (whole []*Ref) {
	g.rest[group]--
	held := append(g.held[group], refs...)
	switch {
	case len(held) == 0:
		return nil
	case len(held) < held[0].most && g.rest[group] > 0:
		g.held[group] = held
		return nil
	}
	delete(g.held, group)
	return held
}

// flush makes ready what is held, in file order.
func (q *queue) flush() {
	for _, refs := range slices.SortedFunc(maps.Values(q.groups.held), func(a, b []*Ref) int { return a[0].N - b[0].N }) {
		q.ready = append(q.ready, q.lane.together(refs))
	}
	clear(q.groups.held)
}

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

// awaited reports whether others wait for an op.
func (q *queue) awaited(n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting[n]) > 0
}

// id returns the id that an op came to have which others waited for.
func (q *queue) id(n int) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.made[n]
}
