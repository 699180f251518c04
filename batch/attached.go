package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/send"
	"eventbatch/mapping/failure"
)

// attached is a run that this process has taken up.
type attached struct {
	journal journal.Journal
	state   *journal.State
	memory  *journal.Memory // of the workspace when the run was taken up
	// since is when that was, where another machine may have had the run before: what its clock
	// said tells nothing of what may be under way still.
	since time.Time
	refs  map[string][]send.Ref // the ops that send, by calendar
}

// attach has take take a run up, while the workspace lets no other one be taken up.
func attach(
	ctx context.Context, workspace journal.Store, baseURL string, take func(*attached) error,
) (h *attached, err error) {
	unlock, err := workspace.Lock(ctx, journal.Runs)
	if err != nil {
		return nil, err
	}
	memory, err := workspace.Memory(baseURL)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	h = &attached{memory: memory, refs: map[string][]send.Ref{}}
	err = take(h)
	if err = errors.Join(err, unlock()); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// close gives the run up.
func (h *attached) close() (err error) {
	if h.journal != nil {
		err = h.journal.Close()
	}
	return errors.Join(err, h.memory.Close())
}

// join attaches this process to the run.
func (h *attached) join(run *journal.Run, target plan.Target, by string) (err error) {
	h.journal, h.state, err = run.Attach(journal.Attachment{Target: target, By: by, Turn: h.memory.Turn()})
	return err
}

// overtakenError says that another run has dealt with a row that this one was to send.
type overtakenError struct{ error }

// Unwrap returns what people are told.
func (e *overtakenError) Unwrap() error { return e.error }

// take attaches this process to the run once its plan has been found to fit still.
func (h *attached) take(config ApplyConfig, target plan.Target) error {
	state, err := config.Run.State()
	if err != nil {
		return err
	}
	var dealt []int // by another run, after this one had lost what became of it
	for op, err := range h.memory.Ahead(config.Run.Sends()) {
		if err != nil {
			return err
		}
		place(state, op)
		calendar := op.Event.Calendar
		h.refs[calendar] = append(h.refs[calendar], send.NewRef(op, false))
		state.Place(op)
		if !state.Op(op.N).Status.Open() {
			continue
		}
		switch by := h.memory.OvertakenBy(config.Run, op); {
		case by == "":
		case state.Op(op.N).Lost():
			dealt = append(dealt, op.N)
		default:
			hint := "plan the file again"
			if header := config.Run.Header(); header.Reverts != "" {
				hint = "plan what is left of it: eventbatch undo " + header.Parent
			}
			return &overtakenError{failure.New(failure.Stale, fmt.Errorf(
				"run %s no longer fits: run %s has dealt with row %d (key %q) since", config.Run.ID(), by, op.Row.Number, op.Event.Key,
			), hint)}
		}
	}
	if err := h.memory.Err(); err != nil {
		return err
	}
	if err := h.join(config.Run, target, config.Service.Version()); err != nil {
		return err
	}
	if config.Run.Files().Journal == "" {
		h.since = time.Now()
	}
	if err := h.agree(config.Run); err != nil {
		return err
	}
	for _, n := range dealt {
		if err := h.journal.Append(journal.Record{Type: journal.Skip, Op: n, Code: "dealt-with"}); err != nil {
			return err
		}
		h.state.Op(n).Status = journal.Skipped
	}
	return nil
}

// agree records what ops agree to that send nothing.
func (h *attached) agree(run *journal.Run) error {
	if run.Header().Agreed == 0 {
		return nil
	}
	for op, err := range run.Lines() {
		if err != nil {
			return err
		}
		if op.Agrees == "" || op.Action.Sends() || h.state.Op(op.N).Status != journal.Pending {
			continue
		}
		if err := h.journal.Append(journal.Agreement(op)); err != nil {
			return err
		}
	}
	return nil
}

// sending returns how the open ops of a run are sent, or looked at, with a lane for each calendar.
func (h *attached) sending(ctx context.Context, config ApplyConfig, ops journal.OpReader, refused map[string]error) send.Config {
	lanes, known := lay(ctx, config, h, refused)
	header, now := config.Run.Header(), newFresh(config)
	return send.Config{
		Lanes: lanes, Journal: h.journal, Task: h.task(ops), Done: h.done, Known: known, Changed: now.changed, Where: now.Where,
		Follow: func(ctx context.Context, event *plan.Event) (send.Teller, error) {
			calendar, err := now.Where(ctx, event)
			if err != nil {
				return nil, err
			}
			return live.Of(ctx, config.Service, calendar)
		},
		Unheard: func(calendar string) bool { return h.memory.Unheard(calendar, header.Run) },
		Planned: header.Created, Asked: header.Asked, Concurrency: config.Concurrency, MaxErrors: config.MaxErrors, Failed: config.Failed,
		Lag: config.Service.Lag(), Patience: 2 * time.Minute,
	}
}

// task returns what reads the run's tasks when their turn comes.
func (h *attached) task(ops journal.OpReader) func(int) (*send.Task, error) {
	return func(n int) (*send.Task, error) {
		op, err := ops.Op(n)
		if err = cmp.Or(err, h.memory.Err()); err != nil {
			return nil, err
		}
		place(h.state, op)
		was := h.state.Op(n)
		tried := was.At()
		if !h.since.IsZero() {
			tried = h.since
		}
		var heard time.Time
		if len(op.After) > 0 {
			heard = h.memory.Heard(h.state.Run)
		} else if op.Known.Run != "" {
			heard = h.memory.Heard(op.Known.Run)
		}
		return &send.Task{Op: op, Doubt: inDoubt(was), Tried: tried, Heard: heard, EventID: was.EventID}, nil
	}
}

// place puts the ids of what an op waits for in their places, but for those that only an answer says:
// it may turn out to have been that to another request.
func place(state *journal.State, op *plan.Op) {
	op.Place(func(n int) string {
		if made := state.Op(n); made != nil && made.Status == journal.Done && !answered(made) {
			return made.EventID
		}
		return ""
	})
}

// done reports whether an earlier process has done the op.
func (h *attached) done(n int) bool { return h.state.Op(n).Status == journal.Done }

// answered reports whether an op has made its record as far as an answer says, and no look-up.
func answered(s *journal.OpState) bool {
	return s.Status == journal.Done && s.Kind() == plan.Create && s.Why == nil && s.EventID != ""
}

func inDoubt(s *journal.OpState) bool { return s.Status == journal.Sent || s.Status == journal.InDoubt }

// lay puts each open op into the lane of its calendar. known tells how well events were known: those that were there
// when the plan was made, and those of other rows and runs since.
func lay(
	ctx context.Context, config ApplyConfig, h *attached, refused map[string]error,
) (lanes []send.Lane, known func(calendar, id string) send.Acquaintance) {
	tasks, made, certain := h.sort(config.Run.Header().Known)
	known = func(_, id string) send.Acquaintance {
		switch sure, said := certain[id]; {
		case sure:
			return send.Another
		case said:
			return send.Stranger
		}
		switch met, made := h.memory.Met(id); {
		case made:
			return send.Another
		case met:
			return send.Met
		}
		return send.Stranger
	}
	for _, calendar := range slices.Sorted(maps.Keys(tasks)) {
		if refused[calendar] != nil {
			continue
		}
		l, err := config.Service.Line(ctx, calendar)
		if err != nil {
			refused[calendar] = err
			continue
		}
		lanes = append(lanes, send.Lane{
			Calendar: calendar, Client: config.Service.Sender(l, calendar), Live: live.Teller{Asker: l.Client},
			Tasks: tasks[calendar], Made: made[calendar], Backlog: &l.Backlog, Shared: l.Shared,
		})
		delete(made, calendar)
	}
	for calendar, answers := range made { // which the lanes of other calendars may turn out to be wrong
		lanes = append(lanes, send.Lane{Calendar: calendar, Made: answers, Backlog: new(atomic.Int64)})
	}
	return lanes, known
}

// sort returns by calendar the ops that are open, and those whose event an answer names, by its id. certain
// has the ids of all events that are known: true for those that are certainly not of an open op, and false for
// what only an answer says: that is the lanes' to say.
func (h *attached) sort(planned map[string][]string) (
	tasks map[string][]send.Ref, made map[string]map[string]send.Ref, certain map[string]bool,
) {
	tasks, made, certain = map[string][]send.Ref{}, map[string]map[string]send.Ref{}, map[string]bool{}
	for _, ids := range planned {
		for _, id := range ids {
			certain[id] = true
		}
	}
	for calendar, refs := range h.refs {
		open := refs[:0]
		for _, ref := range refs {
			was := h.state.Op(ref.N)
			if was.Status.Open() {
				ref.Doubt = inDoubt(was)
				open = append(open, ref)
				continue
			}
			switch {
			case answered(was):
				if made[calendar] == nil {
					made[calendar] = map[string]send.Ref{}
				}
				made[calendar][was.EventID] = ref
				if !certain[was.EventID] {
					certain[was.EventID] = false
				}
			default:
				certain[was.EventID] = true
			}
		}
		if len(open) > 0 {
			tasks[calendar] = open
		}
	}
	h.refs = nil
	return tasks, made, certain
}
