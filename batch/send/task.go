package send

import (
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
)

// Ref stands for a task until its turn comes: what it is ordered by.
type Ref struct {
	N     int // index of its op
	Doubt bool
	id    string // of its event, where that is known
	slug  uint64 // 0 without one
	group uint64 // of rows that can share a request; 0 for nearly all
	most  int    // rows of a request of the group
	like  uint64 // of a create: see [plan.Event.Like]
	after []int  // the ops that it waits for; none for nearly all
	rides bool   // in the request of the first of them
}

// NewRef returns the reference to an op, whose payload it does not need. The doubt is that of its [Task].
func NewRef(op *plan.Op, doubt bool) Ref {
	r := Ref{N: op.N, Doubt: doubt, after: op.After, rides: op.Rides()}
	if !op.Of().Keyed() {
		if op.Group != "" {
			r.group, r.most = hash("group:"+op.Group), max(1, catalog.OperationNamed(op.Operation).Most)
		}
		return r
	}
	r.id = op.Event.ID
	if op.Event.Slug != "" {
		r.slug = hash("slug:" + op.Event.Slug)
	}
	if op.Action == plan.Create {
		r.like = likeness(op)
	}
	return r
}

// blank reports whether it stands for a create without a slug.
func (r *Ref) blank() bool { return r.like != 0 && r.slug == 0 }

// Task is one op that is not settled, with what the journal knows of it.
type Task struct {
	Op *plan.Op
	// Doubt means that an attempt was recorded whose outcome was not.
	Doubt   bool
	Tried   time.Time // when the last attempt left, or later
	Heard   time.Time // when a run was last answered for the record, or later; zero where none was
	EventID string    // where an earlier attempt found it out

	with   []*Task   // whose records are made by the same request
	serial []*Ref    // of this lane, of the same event or not to be told from it
	began  time.Time // when the first attempt was made; zero where an earlier process made it, perhaps on another machine
	lost   bool      // an attempt was in doubt at some time: it may have come through late
	ref    *Ref      // what it stood for until its turn came
	claim  *claim    // of the id that it was answered with
	again  bool      // it had an outcome, which turned out to be none
}

func (t *Task) key() string { return journal.KeyHash(t.Op.Event.Calendar, t.Op.Event.Key) }

// each calls do for every task, and stops at the first error.
func each(tasks []*Task, do func(*Task) error) error {
	for _, t := range tasks {
		if err := do(t); err != nil {
			return err
		}
	}
	return nil
}

// carried returns the tasks with those whose records their request makes too.
func carried(tasks []*Task) []*Task {
	all := slices.Clone(tasks)
	for _, t := range tasks {
		all = append(all, t.with...)
	}
	return all
}

// likeness returns a hash of what a list shows of the event that an op makes: see [plan.Event.Like].
func likeness(op *plan.Op) uint64 {
	return hash(fmt.Sprintf("like:%d:%s", op.Event.StartAt, plan.Plain(op.Event.Name)))
}

var seed = maphash.MakeSeed()

func hash(name string) uint64 { return max(1, maphash.String(seed, name)) }
