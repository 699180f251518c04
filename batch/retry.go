package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// RetryConfig is a run whose failed rows are to be tried again.
type RetryConfig struct {
	Run       journal.Run
	Workspace journal.Store
	Service   *Service
	Allow     []schema.Effect // leave beyond that of the run
}

// NothingToRetryError says that no row of a run has failed.
type NothingToRetryError struct{ Run string }

func (e *NothingToRetryError) Error() string {
	return fmt.Sprintf("no row of run %s has failed", e.Run)
}

// Retry plans the failed rows of a run as a new run, from the plan alone: the
// input is not read again. Rows whose key another run has dealt with since are
// left out.
func Retry(ctx context.Context, config RetryConfig) (*Planned, error) {
	unlock, err := config.Workspace.Lock(ctx)
	if err != nil {
		return nil, err
	}
	planned, err := retryLocked(ctx, config)
	return planned, errors.Join(err, unlock())
}

func retryLocked(ctx context.Context, config RetryConfig) (*Planned, error) {
	parent := config.Run.Header()
	identity := "retry:" + parent.Run
	if run, err := config.Workspace.Unfinished(identity); err != nil || run != nil {
		if err != nil {
			return nil, err
		}
		return Describe(run)
	}
	state, err := config.Run.State()
	if err != nil {
		return nil, err
	}
	if open := state.Tally().Open(); open > 0 {
		return nil, failure.New(failure.Refused, fmt.Errorf("run %s has %d rows that are not settled", parent.Run, open),
			"finish it first: eventbatch apply "+parent.Run)
	}
	memory, err := config.Workspace.Memory(config.Service.BaseURL())
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	draft, err := config.Workspace.Draft(time.Time{})
	if err != nil {
		return nil, err
	}
	planned, people := newPlanned(), &reach{service: config.Service, past: newPast(config.Workspace)}
	err = each(config.Run, state, func(op *plan.Op) error {
		op.N = draft.Len()
		op.Reason = "it failed in run " + parent.Run
		reconsider(op, parent.Run, memory)
		if op.Resource == "" && op.Action.Sends() {
			op.Estimate()
		}
		if err := people.count(ctx, op); err != nil {
			return err
		}
		planned.add(op)
		return draft.Add(op)
	})
	if err == nil {
		err = memory.Err()
	}
	if err == nil && draft.Len() == 0 {
		err = &NothingToRetryError{Run: parent.Run}
	}
	if err != nil {
		return nil, errors.Join(err, draft.Discard())
	}
	header := parent
	header.Allow = append(slices.Clone(parent.Allow), config.Allow...)
	header.Command, header.Parent, header.Identity, header.TakesOver = "retry", parent.Run, identity, ""
	run, err := draft.Seal(header, nil)
	return planned.of(run), err
}

// each hands on the failed ops of a run, whole.
func each(run journal.Run, state *journal.State, do func(*plan.Op) error) error {
	for op, err := range run.Sends() {
		if err != nil {
			return err
		}
		if state.Ops[op.N].Status != journal.Failed {
			continue
		}
		if err := run.Load(op); err != nil {
			return err
		}
		if err := do(op); err != nil {
			return err
		}
	}
	return nil
}

// reconsider takes an op out of the plan that another run has dealt with since.
func reconsider(op *plan.Op, parent string, memory plan.Memory) {
	known := plan.Recollection(memory, &op.Event)
	op.Known = known
	switch {
	case known.Run == "" || known.Run == parent:
	case known.Owed:
		op.Action, op.Reason = plan.Blocked, "run "+known.Run+" has not settled this key: finish it first"
	case dealt(op.Action, known):
		op.Action, op.Reason = plan.Unchanged, "run "+known.Run+" has dealt with the row since"
	}
}

// dealt reports whether another run has done what the action asks for, or
// something else with success. One that failed has not.
func dealt(action plan.Action, known plan.Known) bool {
	switch action {
	case plan.Create:
		return (known.EventID != "" || plan.Values(known.Hash) != "") && !known.Cancelled
	case plan.Cancel:
		return known.Cancelled
	}
	return plan.Values(known.Hash) != "" || known.Cancelled
}
