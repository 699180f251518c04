package send

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// records carries out what becomes of records of another resource than events: one
// task, or the tasks of rows that share a request. The table of operations says what
// repeating the request does, and doubt is resolved by listing the records.
func (l *lane) records(ctx context.Context, tasks []*Task) error {
	op := schema.OperationNamed(tasks[0].Op.Operation)
	if op == nil {
		return fmt.Errorf("row %d: no operation %q", tasks[0].Op.Row.Number, tasks[0].Op.Operation)
	}
	listed := &listing{lane: l, op: op, event: tasks[0].Op.Event.Parent}
	var id string
	var skipped []string
	w := write{
		operation: op.Name,
		call: func(ctx context.Context, tasks []*Task, before func(context.Context) error) error {
			listed.records, listed.twice, listed.unlisted = nil, false, nil
			body, err := bodyOf(op, tasks)
			if err != nil {
				return err
			}
			answer, err := l.Client.Write(ctx, op, body, before)
			if op.Does == schema.Create {
				if id, err = api.NewID(answer, err); err == nil {
					err = l.believe(tasks[0], id, api.NewName(answer))
				}
			}
			skipped = api.Skipped(answer)
			return err
		},
		refused: func(ctx context.Context, tasks []*Task, reason error) error {
			half := len(tasks) / 2
			if half == 0 || gone(reason) && tasks[0].Op.Event.Parent == tasks[half].Op.Event.Parent { // for all of them
				return each(tasks, func(t *Task) error { return listed.refused(ctx, t, reason) })
			}
			// One row may spoil the request of all: it is looked for by halves.
			if err := l.records(ctx, tasks[:half]); err != nil {
				return err
			}
			return l.records(ctx, tasks[half:])
		},
		done: func(t *Task) journal.Record {
			passed := slices.ContainsFunc(skipped, func(email string) bool { return strings.EqualFold(email, t.Op.Event.Name) })
			if passed && !t.lost { // where an answer was lost, it is the row's own
				return journal.Record{Type: journal.Skip, Code: "passed-over", Error: "the service passed the " + op.Resource.One + " over"}
			}
			return journal.Record{Type: journal.OK, EventID: cmp.Or(id, t.Op.Event.ID)}
		},
	}
	if op.Resource.Cell == nil && op.Does != schema.Update || op.Repeat == schema.Twice || tasks[0].Op.Effects.Has(schema.Mails) {
		w.look = listed.look
	}
	if op.Does == schema.Update && len(tasks) == 1 {
		w.prepare = func(ctx context.Context) (settled bool, err error) { return l.changed(ctx, tasks[0]) }
	}
	return l.carry(ctx, tasks, w)
}

// bodyOf returns the body of the request that carries the tasks.
func bodyOf(op *schema.Operation, tasks []*Task) (json.RawMessage, error) {
	if len(tasks) == 1 {
		return tasks[0].Op.Body, nil
	}
	bodies := make([]json.RawMessage, len(tasks))
	for i, t := range tasks {
		bodies[i] = t.Op.Body
	}
	return op.Gather(bodies)
}

// refused ends the row that the service refused. What is to be removed and is not there
// has been removed; what is there already may have been made by an attempt that was lost.
// What a run was just answered for may still have to come: the request is made again then.
func (x *listing) refused(ctx context.Context, t *Task, reason error) error {
	op := x.op
	if wait := x.Left(t.Heard, time.Now()); wait > 0 && op.Does != schema.Create && gone(reason) {
		t.Heard = time.Time{} // what is not there then is not there
		if err := x.pause(ctx, wait, reason); err != nil {
			return err
		}
		return x.lane.records(ctx, []*Task{t})
	}
	if op.Does == schema.Create && op.Resource.Cell == nil && t.lost {
		if settled, err := x.look(ctx, t); settled || err != nil {
			return err
		}
	}
	if op.Does == schema.Delete && notFound(reason) {
		return x.finish(t, journal.Record{Type: journal.OK, EventID: t.Op.Event.ID, Code: "gone"})
	}
	if rejected, ok := errors.AsType[*api.RejectedError](reason); ok {
		problems := make([]api.Problem, len(rejected.Problems))
		for i, p := range rejected.Problems {
			problems[i] = api.Problem{Path: op.FieldOf(p.Path), Reason: p.Reason}
		}
		named := *rejected
		named.Problems, reason = problems, &named
	}
	return x.fail(t, rejection(reason), reason)
}

// listing looks records up that are in doubt. What it has listed holds until the next
// request is sent.
type listing struct {
	*lane

	op       *schema.Operation
	event    string
	records  *api.Listed
	twice    bool  // they were listed a second time
	unlisted error // why they cannot be listed
}

// look finds out what became of an attempt at one record.
func (x *listing) look(ctx context.Context, t *Task) (settled bool, err error) {
	waited, err := x.waitOut(ctx, t)
	if err != nil {
		return false, err
	}
	if waited {
		x.records, x.twice = nil, false // listed too early for this one
	}
	if x.records == nil && x.unlisted == nil {
		if x.unlisted, err = x.list(ctx, t); err != nil {
			return false, err
		}
	}
	if x.unlisted != nil {
		return true, x.giveUp(t)
	}
	id := t.Op.Event.ID
	if x.op.Does == schema.Create {
		id = "" // of one that was taken away
	}
	records, record := x.records.Find(x.op.Resource, id, cmp.Or(t.Op.Event.Slug, t.Op.Event.Name)), api.Record{}
	there := len(records) > 0
	if len(records) > 1 {
		return true, x.giveUp(t) // which of them the attempt has made cannot be told
	} else if there {
		record = records[0]
	}
	found := journal.Record{Type: journal.OK, EventID: cmp.Or(record.ID, t.Op.Event.ID)}
	switch {
	case x.op.Does == schema.Create && there:
		if x.op.Resource.IDField() != nil && !x.claim(record.ID) {
			return true, x.giveUp(t)
		}
		found.Code = "adopted"
	case x.op.Does == schema.Invite && there: // nobody is invited who was there before
		found.Code = "applied"
	case x.op.Does == schema.Delete && !there:
		found.Code = "gone"
	case x.op.Does == schema.Update && there && x.has(record, t.Op):
		found.Code = "applied"
	case x.op.Differs != "" && x.moved(record, t.Op):
		return true, x.giveUp(t) // what the attempt has added cannot be told from what others have
	case !x.twice:
		x.records, x.twice = nil, true
		if err := x.wait(ctx, x.Settle); err != nil {
			return false, err
		}
		return x.look(ctx, t)
	default:
		return false, x.resolved(t, "not applied")
	}
	t.Doubt = false
	return true, x.finish(t, found)
}

// list lists the records, or looks up that of the task where no list tells of all. unlisted
// says why the service refuses to.
func (x *listing) list(ctx context.Context, t *Task) (unlisted, err error) {
	return x.read(ctx, func() (err error) {
		if x.op.Resource.Lookup != "" {
			x.records, err = api.LookUp(ctx, x.Client, x.op.Resource, t.Op.Event.Name, t.Op.Event.Slug != "")
			return err
		}
		x.records, err = api.Records(ctx, x.Client, x.op.Resource, x.event)
		return err
	})
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

// made returns the id of a record that was made with its event, empty where no list tells it.
func (x *listing) made(ctx context.Context, t *Task) (id string, err error) {
	x.op, x.event = schema.OperationNamed(t.Op.Operation), t.Op.Event.Parent
	if x.records == nil && x.unlisted == nil {
		x.unlisted, err = x.list(ctx, t)
	}
	if err != nil || x.unlisted != nil {
		return "", err
	}
	switch found := x.records.Find(x.op.Resource, "", t.Op.Event.Name); {
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) > 1 || x.twice:
		return "", nil
	}
	x.records, x.twice = nil, true // listed too early
	if err := x.wait(ctx, x.Whole()); err != nil {
		return "", err
	}
	return x.made(ctx, t)
}

// has reports whether a record has what an op asks for, as far as lists tell.
func (x *listing) has(record api.Record, op *plan.Op) bool {
	if f, ok := x.op.Resource.ByPath(x.op.Differs); ok {
		return f.Compare(op.Agreed[f.Path].Live, record.Values[f.Read()]) == schema.Alike
	}
	var asked map[string]json.RawMessage
	if json.Unmarshal(op.Body, &asked) != nil {
		return false
	}
	for _, f := range x.op.Resource.Columns() {
		if means := x.op.Means[f.Path]; means != "" && strings.Trim(string(record.Values[f.Read()]), `"`) != means {
			return false
		}
		value, says := asked[x.op.Member(f)]
		if says && !f.Manner && !x.op.Resource.Names(f) && f.Compare(value, record.Values[f.Read()]) != schema.Alike {
			return false
		}
	}
	return true
}

// moved reports whether the list that an op changes is another one than when that was planned.
func (x *listing) moved(record api.Record, op *plan.Op) bool {
	var was plan.Before
	f, _ := x.op.Resource.ByPath(x.op.Differs)
	return json.Unmarshal(op.Before, &was) != nil || f.Compare(was.Fields[f.Path], record.Values[f.Read()]) != schema.Alike
}
