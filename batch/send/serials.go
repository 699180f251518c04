package send

import (
	"context"
	"errors"
	"iter"
)

// send carries out the lane's serial groups, at most Concurrency at a time: no more
// requests are under way, and a process that is killed leaves no more rows in
// doubt. It returns when all that it started has ended.
func (l *lane) send(ctx context.Context) error {
	next, stop := iter.Pull(l.jobs(l.serials()))
	defer stop()
	l.queue.next = next
	w := &workers{lane: l}
	w.ctx, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	w.count.Add(1)
	w.begin(func() {})
	w.Wait()
	l.Backlog.Store(0)
	if err := context.Cause(w.ctx); ctx.Err() == nil && err != nil && !errors.Is(err, errHalted) {
		return err
	}
	return nil
}

// serials groups the tasks that concern one event and wait for no other: they are sent one
// after another, in file order. Creates that a list could not tell apart are one
// serial group too, or one in doubt might adopt the other's event.
func (l *lane) serials() iter.Seq[[]*Ref] {
	first := make(map[uint64]int32, len(l.Tasks)) // task of each name
	before := make([]int32, len(l.Tasks))         // a task of the same serial group that comes earlier, or itself
	head := func(i int32) int32 {
		for before[i] != i {
			i = before[i]
		}
		return i
	}
	for n := range l.Tasks {
		i := int32(n)
		before[i] = i
		for _, name := range l.namesOf(&l.Tasks[i]) {
			other, seen := first[name]
			switch {
			case name == 0:
			case !seen:
				first[name] = i
			default:
				a, b := head(other), head(i)
				before[max(a, b)] = min(a, b)
			}
		}
	}
	// next leads from each task to the one behind it, which is 0 at the end.
	next, last := make([]int32, len(l.Tasks)), make(map[int32]int32)
	for n := range l.Tasks {
		i := int32(n)
		before[i] = head(i)
		if before[i] == i {
			continue
		}
		previous, longer := last[before[i]]
		if !longer {
			previous = before[i]
		}
		next[previous], last[before[i]] = i, i
	}
	return func(yield func([]*Ref) bool) {
		for n := range l.Tasks {
			if before[n] != int32(n) {
				continue
			}
			if len(l.Tasks[n].after) > 0 {
				continue // given out once what it waits for is done
			}
			serial := []*Ref{&l.Tasks[n]}
			for i := next[n]; i != 0; i = next[i] {
				serial = append(serial, &l.Tasks[i])
			}
			if !yield(serial) {
				return
			}
		}
	}
}

// namesOf returns what a task's event is known by, as far as the plan says. Two events
// of the same name are sent one after another, which does no harm.
func (l *lane) namesOf(r *Ref) (names [3]uint64) {
	if len(r.after) > 0 {
		return names // it is given out by itself
	}
	if r.id != "" {
		names[0] = hash("id:" + r.id)
	}
	names[1] = r.slug
	if l.listed {
		names[2] = r.like
	}
	return names
}
