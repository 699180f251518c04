package send

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/quota"
)

// errHalted ends a strand without an error of its own: its lane or its run was
// stopped, and its rows stay pending.
var errHalted = errors.New("halted")

// lane sends the tasks of one calendar.
type lane struct {
	*run
	Lane

	queue *queue

	mu      sync.Mutex
	slugs   map[uint64]bool // of the rows: an event that has one is that row's; only where lists are asked for
	listed  bool            // some events are found by listing alone
	proven  bool            // the key was accepted
	refused error           // why the key was not
	parked  error           // for how long the service asks to wait, where that is too long
	silent  time.Time       // since when nothing could be sent; zero while something can
	why     error           // why the last request could not be sent, while nothing can
}

func newLane(r *run, config Lane) *lane {
	l := &lane{run: r, Lane: config, slugs: map[uint64]bool{}}
	l.listed = slices.ContainsFunc(l.Tasks, func(r Ref) bool { return r.blank() })
	for i := range l.Tasks {
		ref := &l.Tasks[i]
		if ref.id != "" {
			l.claims.of[ref.id] = &claim{}
		}
		if l.listed && ref.slug != 0 {
			l.slugs[ref.slug] = true
		}
	}
	for id := range config.Made {
		ref := config.Made[id]
		l.claims.of[id] = &claim{lane: l, ref: &ref, told: true}
	}
	l.Backlog.Store(int64(len(config.Tasks)))
	l.queue = newQueue(l)
	return l
}

// do carries one task to its end: an outcome in the journal, or an error when
// the lane cannot go on.
func (l *lane) do(ctx context.Context, t *Task) error {
	if err := l.execute(ctx, []*Task{t}); err != nil {
		return err
	}
	return l.doubtRivals(ctx)
}

func (l *lane) halted(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ctx.Err() != nil || l.refused != nil || l.parked != nil
}

// strands groups the tasks that concern one event and wait for no other: they are sent one
// after another, in file order. Creates that a list could not tell apart are one
// strand too, or one in doubt might adopt the other's event.
func (l *lane) strands() iter.Seq[[]*Ref] {
	first := make(map[uint64]int32, len(l.Tasks)) // task of each name
	before := make([]int32, len(l.Tasks))         // a task of the same strand that comes earlier, or itself
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
			strand := []*Ref{&l.Tasks[n]}
			for i := next[n]; i != 0; i = next[i] {
				strand = append(strand, &l.Tasks[i])
			}
			if !yield(strand) {
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

// likeness returns a hash of what a list shows of the event that an op makes: see [plan.Event.Like].
func likeness(op *plan.Op) uint64 {
	return hash(fmt.Sprintf("like:%d:%s", op.Event.StartAt, plan.Plain(op.Event.Name)))
}

var seed = maphash.MakeSeed()

func hash(name string) uint64 { return max(1, maphash.String(seed, name)) }

// answered notes that the service answered, and whether it accepted the lane's key.
func (l *lane) answered(accepted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proven = l.proven || accepted
	l.silent, l.why = time.Time{}, nil
}

// refuse stops the lane, whose key is not accepted. Its rows stay pending.
func (l *lane) refuse(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil {
		l.refused = err
	}
	return errHalted
}

// park stops the lane: the service asks for a wait that is longer than this process
// waits. Its rows stay pending.
func (l *lane) park(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parked = err
	return errHalted
}

func (l *lane) parking() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked
}

func (l *lane) refusal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// forbidden finds out what a 403 is about, for the service answers so both to a key that
// may do nothing and to an event that is not the key's. Once the key has been accepted it
// is about the event (nil); before that the key is tried with a request of no event.
func (l *lane) forbidden(ctx context.Context, err error) error {
	l.mu.Lock()
	proven := l.proven
	l.mu.Unlock()
	if proven {
		return nil
	}
	probe := l.Live.Accepted(ctx)
	switch api.ClassOf(probe) {
	case api.Done:
		l.answered(true)
		return nil
	case api.Forbidden:
		return l.refuse(err)
	case api.KeyRefused:
		return l.refuse(probe)
	}
	if _, ok := errors.AsType[*quota.ParkedError](probe); ok {
		return l.park(probe)
	}
	if ctx.Err() != nil {
		return errHalted // it was not answered: which of the two it is, the next process finds out
	}
	return nil
}

// unreachable notes that a request could not be sent, and stops the run when
// that has gone on for longer than its patience.
func (l *lane) unreachable(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.silent.IsZero() {
		l.silent = now
	}
	l.why = err
	patience := l.Patience
	if !l.proven {
		patience /= 12 // nothing has ever answered: more likely a wrong address than a short outage
	}
	if now.Sub(l.silent) < patience {
		return nil
	}
	err = &UnreachableError{Err: err}
	l.stop(err)
	return err
}

// silence returns why the service cannot be reached, nil where it can.
func (l *lane) silence() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}
