package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
)

// look finds out what became of the rows in doubt of a run, by looking alone: nothing is
// sent. An update that may have arrived, and may be sent again without harm, is not looked at,
// but waited for.
func look(ctx context.Context, workspace journal.Store, service *service.Service, run *journal.Run) error {
	before, err := run.State()
	if err != nil || before.Tally()[journal.Sent]+before.Tally()[journal.InDoubt] == 0 {
		return err
	}
	return hold(ctx, workspace, service, run, func(h *attached) error {
		for op, err := range run.Sends() {
			if err != nil {
				return err
			}
			if h.state.Op(op.N).Status != journal.Pending {
				h.refs[op.Event.Calendar] = append(h.refs[op.Event.Calendar], send.NewRef(op, false))
			}
		}
		ops, err := run.Reader()
		if err != nil {
			return err
		}
		defer ops.Close() // nothing was written
		sending := h.sending(ctx, ApplyConfig{Run: run, Service: service, Concurrency: 10}, ops, map[string]error{})
		sending.Looks = true
		err = send.Run(ctx, sending)
		end := journal.Record{Type: journal.End, Code: cmp.Or(before.Ended, "interrupted")}
		return errors.Join(err, h.journal.Commit(context.WithoutCancel(ctx), end))
	})
}

// hold takes up a run of which nothing is sent, and gives it up once do has returned: the keys of this process do not matter.
func hold(
	ctx context.Context, workspace journal.Store, service *service.Service, run *journal.Run, do func(*attached) error,
) (err error) {
	target := run.Header().Target
	h, err := attach(ctx, workspace, target.BaseURL, func(h *attached) error { return h.join(run, target, service.Version()) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	return do(h)
}

// begin does what comes before any row of a run is sent: the run that it undoes is ended, so that a row which that has not
// sent is never sent. It may not have been gone on with since the undo was planned. Where a run is handed out in shares it
// comes before that.
func begin(ctx context.Context, config *ApplyConfig) error {
	header := config.Run.Header()
	if header.Command != "undo" {
		return nil
	}
	run, err := config.Workspace.Find(header.Parent)
	if err != nil {
		return err
	}
	state, err := run.State()
	if err != nil || state.Undone {
		return err
	}
	if state.At.After(header.Created) {
		return failure.New(failure.Stale, fmt.Errorf("run %s was gone on with after the plan to undo it was made", header.Parent),
			"undo it again: eventbatch undo "+header.Parent)
	}
	return stop(ctx, config.Workspace, config.Service, run, undone)
}

// Why the rows of a run are not sent any more.
var (
	undone    = journal.Record{Code: journal.Undone, Error: "the run was undone before the row was sent"}
	replanned = journal.Record{Code: journal.Replanned, Error: "a later run of its source has planned the row anew"}
	dealtWith = journal.Record{Code: journal.Replanned, Error: "a later run has dealt with rows of this one"}
)

// stop records that no row of a run is sent any more. A create or a cancellation that looking
// has not resolved stays in doubt, for a person.
func stop(ctx context.Context, workspace journal.Store, service *service.Service, run *journal.Run, why journal.Record) error {
	return hold(ctx, workspace, service, run, func(h *attached) error {
		for op, err := range run.Sends() {
			if err != nil {
				return err
			}
			s := h.state.Op(op.N)
			if s.Status != journal.Pending && !(inDoubt(s) && op.Action == plan.Update) {
				continue
			}
			if err := h.journal.Append(journal.Record{Type: journal.Skip, Op: op.N, Code: why.Code, Error: why.Error}); err != nil {
				return err
			}
		}
		return h.journal.Commit(context.WithoutCancel(ctx), journal.Record{Type: journal.End, Code: why.Code})
	})
}

// giveUp ends a run that another one has overtaken, where something of it is in doubt: no run could plan these rows,
// and it is not gone on with.
func giveUp(ctx context.Context, config *ApplyConfig) error {
	state, err := config.Run.State()
	if err != nil || state.Tally()[journal.Sent]+state.Tally()[journal.InDoubt] == 0 {
		return err
	}
	return config.resolve(ctx, dealtWith)
}

// resolve looks at what is in doubt, and ends the run.
func (c *ApplyConfig) resolve(ctx context.Context, why journal.Record) error {
	if err := look(ctx, c.Workspace, c.Service, c.Run); err != nil {
		return err
	}
	return stop(ctx, c.Workspace, c.Service, c.Run, why)
}

// resolveUndone ends what is still open of a run that was undone: it is looked at, and not sent.
func resolveUndone(ctx context.Context, config *ApplyConfig) (*Applied, error) {
	before := config.Service.Requests()
	if err := config.resolve(ctx, undone); err != nil {
		return nil, err
	}
	state, err := config.Run.State()
	return &Applied{State: state, Requests: since(before, config.Service.Requests()), Refused: map[string]error{}}, err
}
