package send

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

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

	mu      sync.Mutex
	claimed map[string]bool    // event ids that a lost create cannot have made; true where a row of this run has it
	slugs   map[string]bool    // of the rows: an event that has one is that row's
	twins   map[string][]*Task // creates without a slug by their likeness
	proven  bool               // the key was accepted
	refused error              // why the key was not
	parked  error              // for how long the service asks to wait, where that is too long
	silent  time.Time          // since when nothing could be sent; zero while something can
	why     error              // why the last request could not be sent, while nothing can
}

func newLane(r *run, config Lane) *lane {
	l := &lane{run: r, Lane: config, claimed: map[string]bool{}, slugs: map[string]bool{}, twins: map[string][]*Task{}}
	for _, id := range r.Known[config.Calendar] {
		l.claimed[id] = false
	}
	for i := range config.Tasks {
		op := config.Tasks[i].Op
		l.claimed[op.Event.ID] = true
		if op.Event.Slug != "" {
			l.slugs[op.Event.Slug] = true
		} else if op.Action == plan.Create {
			l.twins[likeness(op)] = append(l.twins[likeness(op)], &config.Tasks[i])
		}
	}
	l.Backlog.Store(int64(len(config.Tasks)))
	return l
}

// send carries out the lane's strands, at most Concurrency at a time: no more
// requests are under way, and a process that is killed leaves no more rows in
// doubt. It returns when all that it started has ended.
func (l *lane) send(ctx context.Context) error {
	workers := pool.New().WithMaxGoroutines(max(1, l.Concurrency)).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, strand := range strands(l.Tasks) {
		if l.halted(ctx) {
			break
		}
		workers.Go(func(ctx context.Context) error {
			for _, t := range strand {
				if err := l.do(ctx, t); err != nil {
					return err
				}
				l.Backlog.Add(-1)
			}
			return nil
		})
	}
	err := workers.Wait()
	l.Backlog.Store(0)
	if errors.Is(err, errHalted) {
		return nil
	}
	return err
}

// do carries one task to its end: an outcome in the journal, or an error when
// the lane cannot go on.
func (l *lane) do(ctx context.Context, t *Task) error {
	if l.halted(ctx) {
		return errHalted
	}
	switch t.Op.Action {
	case plan.Create:
		return l.create(ctx, t)
	case plan.Cancel:
		return l.cancel(ctx, t)
	default:
		return l.update(ctx, t)
	}
}

func (l *lane) halted(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ctx.Err() != nil || l.refused != nil || l.parked != nil
}

// strands groups the tasks that concern one event: they are sent one after
// another, in file order. Creates that a list could not tell apart are one
// strand too, or one in doubt might adopt the other's event.
func strands(tasks []Task) [][]*Task {
	listed := slices.ContainsFunc(tasks, func(t Task) bool { return t.Op.Action == plan.Create && t.Op.Event.Slug == "" })
	first := make(map[string]int, len(tasks)) // task of each name
	before := make([]int, len(tasks))         // a task of the same strand that comes earlier, or itself
	head := func(i int) int {
		for before[i] != i {
			i = before[i]
		}
		return i
	}
	for i := range tasks {
		before[i] = i
		for _, name := range namesOf(tasks[i].Op, listed) {
			other, seen := first[name]
			switch {
			case name == "":
			case !seen:
				first[name] = i
			default:
				a, b := head(other), head(i)
				before[max(a, b)] = min(a, b)
			}
		}
	}
	var list [][]*Task
	place := make(map[int]int)
	for i := range tasks {
		at, seen := place[head(i)]
		if !seen {
			at = len(list)
			place[i] = at
			list = append(list, nil)
		}
		list[at] = append(list[at], &tasks[i])
	}
	return list
}

// namesOf gives what an op's event is known by, as far as the plan says.
func namesOf(op *plan.Op, listed bool) (names [3]string) {
	e := &op.Event
	if e.ID != "" {
		names[0] = "id:" + e.ID
	}
	if e.Slug != "" {
		names[1] = "slug:" + e.Slug
	}
	if listed && op.Action == plan.Create {
		names[2] = "like:" + likeness(op)
	}
	return names
}

// likeness is what a list tells of the event that an op makes: see [SameEvent].
func likeness(op *plan.Op) string {
	return fmt.Sprintf("%d:%s", op.Event.StartAt, plainText(op.Event.Name))
}

// heard notes that the service answered, and whether it took the lane's key.
func (l *lane) heard(accepted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proven = l.proven || accepted
	l.silent, l.why = time.Time{}, nil
}

// refuse stops the lane: its key is no good. Its rows stay pending.
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

// forbidden tells a key that may do nothing from an event that is not ours,
// for the service answers 403 to both. Once the key has been accepted it is the
// event; before, the key is tried where no event is concerned.
func (l *lane) forbidden(ctx context.Context, err error) error {
	l.mu.Lock()
	proven := l.proven
	l.mu.Unlock()
	if proven {
		return nil
	}
	_, probe := l.Caller.Self(ctx)
	if probe == nil {
		l.heard(true)
		return nil
	}
	if _, ok := errors.AsType[*api.ForbiddenError](probe); ok {
		return l.refuse(err)
	}
	if _, ok := errors.AsType[*api.UnauthorizedError](probe); ok {
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

// silence says why nothing can be reached, nil where something can.
func (l *lane) silence() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// claim takes an event id for one task, and reports whether it was still free: an
// event that another row made is never adopted.
func (l *lane) claim(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.claimed[id]; taken {
		return false
	}
	l.claimed[id] = true
	return true
}

// take takes the id of an event that may have been there before the run, and reports
// whether no other row has it.
func (l *lane) take(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claimed[id] {
		return false
	}
	l.claimed[id] = true
	return true
}
