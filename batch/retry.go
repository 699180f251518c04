package batch

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// RetryConfig is a run whose failed rows are to be tried again.
type RetryConfig struct {
	Run       *journal.Run
	Workspace journal.Store
	Service   *service.Service
	Allow     []schema.Effect // leave beyond that of the run
}

// NothingToRetryError says that no row of a run has failed.
type NothingToRetryError struct{ Run string }

func (e *NothingToRetryError) Error() string {
	return fmt.Sprintf("no row of run %s has failed that would not fail again", e.Run)
}

// Retries reports whether some row of a run has failed that [Retry] tries again.
func Retries(state *journal.State) bool {
	return slices.ContainsFunc(state.Ops, func(o journal.OpState) bool { return retried(&o) })
}

// Retry plans the failed rows of a run, and those that waited for them, as a new run, from the plan alone: the
// input is not read again. Rows whose key another run has dealt with since are
// left out.
func Retry(ctx context.Context, config RetryConfig) (*Planned, error) {
	header := config.Run.Header()
	header.Command, header.Parent, header.Identity, header.TakesOver = "retry", header.Run, "retry:"+header.Run, ""
	header.Allow, header.Anew = slices.Concat(header.Allow, config.Allow), plan.Anew{}
	planning := &planning{
		workspace: config.Workspace, service: config.Service, guards: &Guards{}, header: header,
		fits: func(*plan.Header) bool { return true }, // no row is compared with what is live
	}
	return planning.draft(ctx, func(writing *drafting) (*Planned, error) { return retry(ctx, &config, writing) })
}

func retry(ctx context.Context, config *RetryConfig, writing *drafting) (*Planned, error) {
	parent := config.Run.ID()
	state, err := config.Run.State()
	if err != nil {
		return nil, err
	}
	if open := state.Tally().Open(); open > 0 {
		return nil, failure.New(failure.Refused, fmt.Errorf("run %s has %d rows that are not settled", parent, open),
			"finish it first: eventbatch apply "+parent)
	}
	again := retrying{drafting: writing, run: parent, state: state, ops: map[int]*plan.Op{}}
	err = again.each(config.Run, func(row *plan.Op) error {
		n := again.draft.Len()
		for op := range row.All() {
			op.Part = n - again.draft.Len()
			again.plan(op, n)
			if n++; op.Of().Keyed() && op.Action.Sends() {
				op.Estimate()
			}
		}
		if err := again.count(ctx, row); err != nil {
			return err
		}
		again.planned.add(row)
		return again.draft.Add(row)
	})
	if err == nil && again.draft.Len() == 0 {
		err = &NothingToRetryError{Run: parent}
	}
	if err != nil {
		return nil, err
	}
	return again.seal(ctx, nil, nothing)
}

// retrying is the planning of what a run has not done.
type retrying struct {
	*drafting

	run   string
	state *journal.State
	ops   map[int]*plan.Op // of the run, that were not done, by their numbers there
}

// each hands on the failed ops of a run and those that waited for them, whole, row by row.
func (r *retrying) each(run *journal.Run, do func(row *plan.Op) error) error {
	for first, err := range plan.Rows(run.Lines()) {
		if err != nil {
			return err
		}
		var row []*plan.Op
		for op := range first.All() {
			status := r.state.Ops[op.N].Status
			if op.Action.Sends() && status != journal.Done {
				r.ops[op.N] = op
			}
			if retried(&r.state.Ops[op.N]) || status == journal.Blocked {
				row = append(row, op)
			}
		}
		if len(row) == 0 {
			continue
		}
		needed := row
		if row[0] != first { // whose cells are the row's
			needed = append(slices.Clone(row), first)
		}
		for _, op := range needed {
			if err := run.Load(op); err != nil {
				return err
			}
		}
		row[0].Cells, row[0].Parts = first.Cells, row[1:]
		if err := do(row[0]); err != nil {
			return err
		}
	}
	return nil
}

// retried reports whether an op has failed and is worth another try. One whose event was there already is not: a plan of
// its file compares the two.
func retried(o *journal.OpState) bool {
	return o.Status == journal.Failed && (o.Why == nil || o.Why.Code != string(schema.CodeKeyExists))
}

// plan makes an op of the run that of the new one, at its place n.
func (r *retrying) plan(op *plan.Op, n int) {
	word := "failed"
	if r.state.Ops[op.N].Status == journal.Blocked {
		word = "was blocked"
	}
	op.N, op.Reason = n, "it "+word+" in run "+r.run
	r.state.Place(op)
	switch {
	case len(op.After) == 0:
	case !r.follow(op):
		return
	}
	r.reconsider(op)
}

// follow finds out what becomes of the ops that one waits for, and reports whether all that it needs
// can still be there.
func (r *retrying) follow(op *plan.Op) bool {
	var after []int
	made := map[int]string{}
	for _, n := range op.After {
		again := r.state.Ops[n].Status
		if again == journal.Done {
			continue
		}
		above := r.ops[n]
		if above.Action.Sends() && (again == journal.Failed || again == journal.Blocked) {
			after = append(after, above.N)
			continue
		}
		known := plan.Recollection(r.memory, &above.Event)
		if known.EventID == "" || known.Cancelled || known.Gone {
			op.Action, op.Reason, after = plan.Blocked, "no run has made "+above.Event.Name+", which it waits for", nil
			break
		}
		made[n] = known.EventID
	}
	op.Place(func(n int) string { return made[n] })
	for name, n := range op.Names {
		if r.state.Ops[n].Status == journal.Done {
			op.Action, op.Reason, after = plan.Blocked, "no list has told the id of "+strconv.Quote(name)+": import the file again", nil
		} else if above := r.ops[n]; above != nil {
			op.Names[name] = above.N
		}
	}
	if op.After = after; after == nil {
		op.Free()
	}
	return op.Action != plan.Blocked
}

// reconsider takes an op out of the plan that another run has dealt with since.
func (r *retrying) reconsider(op *plan.Op) {
	if op.Event.Key == "" {
		return // of an event that nobody has made yet
	}
	known := plan.Recollection(r.memory, &op.Event)
	op.Known = known
	switch {
	case known.Run == "" || known.Run == r.run:
	case known.Owed:
		op.Action, op.Reason = plan.Blocked, known.Unsettled("this key")
	case dealt(op.Action, known):
		op.Action, op.Reason = plan.Unchanged, "run "+known.Run+" has dealt with the row since"
	}
}

// dealt reports whether another run has done what the action asks for, or
// something else with success. One that failed has not.
func dealt(action plan.Action, known plan.Known) bool {
	switch action {
	case plan.Create:
		return (known.EventID != "" || known.Made || plan.Values(known.Hash) != "") && !known.Cancelled
	case plan.Cancel:
		return known.Cancelled
	}
	return plan.Values(known.Hash) != "" || known.Cancelled
}
