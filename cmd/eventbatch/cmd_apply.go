package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/printable"
	"eventbatch/mapping/failure"
)

type applyCommand struct {
	*env

	send       sendFlags
	adopt      []string
	notCreated []string
	checksum   string
	decisions  string // a file
}

func newApplyCommand(a *env) *cobra.Command {
	c := &applyCommand{env: a}
	cmd := newRunCommand(a, "apply", c.run)
	f := cmd.Flags()
	f.StringArrayVar(&c.adopt, "adopt", nil, "take an event for that of a row in doubt: `ROW=EVENT_ID` (repeatable)")
	f.StringArrayVar(&c.notCreated, "not-created", nil, "send a `ROW` in doubt again, since it made no event (repeatable)")
	f.StringVar(&c.checksum, "checksum", "", "refuse any other plan than the one of this `CHECKSUM`, as plan has printed it")
	registerDecisions(f, &c.decisions)
	c.send.register(f)
	c.send.registerDetach(f)
	f.DurationVar(&c.send.fresh, "fresh", live.Fresh, "ask again what is live, before a row is sent, where a plan that was compared "+
		"with it is older than `TIME`: an event that has changed since is a conflict")
	return cmd
}

// verdicts returns what a person has found out about rows in doubt.
func (c *applyCommand) verdicts() ([]batch.Verdict, error) {
	var verdicts []batch.Verdict
	for _, text := range c.adopt {
		row, id, ok := strings.Cut(text, "=")
		if !ok || row == "" || id == "" {
			return nil, usagef("--adopt: %q is not a row with its event", text).
				hinted("write the row, = and the event's id, such as --adopt 14=evt-9aQ2")
		}
		verdicts = append(verdicts, batch.Verdict{Row: row, EventID: id})
	}
	for _, row := range c.notCreated {
		verdicts = append(verdicts, batch.Verdict{Row: row})
	}
	return verdicts, nil
}

func (c *applyCommand) run(ctx context.Context, id string) error {
	if c.decisions != "" && (c.checksum != "" || len(c.adopt) > 0 || len(c.notCreated) > 0) {
		return usagef("--decisions makes another plan: --checksum, --adopt and --not-created are about this one").
			hinted("leave one of the two out")
	}
	verdicts, err := c.verdicts()
	if err != nil {
		return err
	}
	_, run, err := findRun(c.env, id)
	if err != nil {
		return err
	}
	if err := isPlan(run, c.checksum); err != nil {
		return err
	}
	s, err := newSession(c.env, &c.send, true)
	if err != nil {
		return err
	}
	defer s.close()
	if c.decisions != "" {
		return c.decided(ctx, s, run)
	}
	return s.resend(ctx, &c.send, false, func() (*batch.Planned, error) {
		if want, have := run.Header().Target.BaseURL, s.conn.BaseURL(); want != have {
			return nil, &journal.StaleTargetError{Run: run.ID(), Want: want, Have: have}
		}
		if err := c.resolve(ctx, s.conn, run, verdicts); err != nil {
			return nil, err
		}
		return batch.Describe(run)
	})
}

// decided plans the input of a run anew, by what was decided of its conflicts, and sends that.
func (c *applyCommand) decided(ctx context.Context, s *session, run *journal.Run) error {
	request, err := anew(run)
	if err != nil {
		return s.failed(ctx, err)
	}
	request.plan.decisions, request.ask = c.decisions, c.send.mustAsk()
	planned, err := s.plan(ctx, *request)
	if err != nil {
		return s.failed(ctx, err)
	}
	return s.confirmAndSend(ctx, planned, &c.send)
}

// isPlan refuses a run whose plan has another checksum than was given.
func isPlan(run *journal.Run, want string) error {
	if want == "" {
		return nil
	}
	have, err := run.Checksum()
	if err == nil && !strings.EqualFold(have, strings.TrimSpace(want)) {
		err = failure.New(
			failure.Stale, fmt.Errorf("nothing was sent: the checksum of run %s is %s, not %s", run.ID(), have, want),
			"apply the run whose plan was looked at, or look at this one",
		)
	}
	return err
}

// resolve records verdicts on rows in doubt and says so.
func (c *applyCommand) resolve(ctx context.Context, conn *connection, run *journal.Run, verdicts []batch.Verdict) error {
	if len(verdicts) == 0 {
		return nil
	}
	workspace, err := c.openWorkspace()
	if err != nil {
		return err
	}
	err = batch.Resolve(
		ctx, batch.ResolveConfig{Run: run, Workspace: workspace, Service: conn.Service, Verdicts: verdicts},
	)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		if v.EventID == "" {
			c.say("row %s made no event: it is sent again\n", printable.Clean(v.Row))
		} else {
			c.say("row %s made event %s\n", printable.Clean(v.Row), printable.Clean(v.EventID))
		}
	}
	return nil
}

func newRetryCommand(a *env) *cobra.Command {
	var send sendFlags
	cmd := newRunCommand(a, "retry", func(ctx context.Context, id string) error { return retry(ctx, a, &send, id) })
	send.register(cmd.Flags())
	send.registerDetach(cmd.Flags())
	return cmd
}

func retry(ctx context.Context, a *env, send *sendFlags, id string) error {
	workspace, run, err := findRun(a, id)
	if err != nil {
		return err
	}
	s, err := newSession(a, send, true)
	if err != nil {
		return err
	}
	defer s.close()
	return s.resend(ctx, send, false, func() (*batch.Planned, error) {
		return batch.Retry(ctx, batch.RetryConfig{Run: run, Workspace: workspace, Service: s.conn.Service, Allow: s.conn.leave})
	})
}

// findRun returns a run, and the store that it lies in.
func findRun(a *env, id string) (store journal.Store, run *journal.Run, err error) {
	if store, err = a.openWorkspace(); err == nil {
		run, err = store.Find(id)
	}
	return store, run, err
}
