package batch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/quota"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
)

// ApplyConfig is a run with the rules it is sent by.
type ApplyConfig struct {
	Run         *journal.Run
	Workspace   journal.Store
	Service     *service.Service
	Observer    send.Observer
	Concurrency int
	MaxErrors   int           // rows that may fail; 0 means any number
	Failed      int           // of them those that have, in other shares of the run
	MaxDuration time.Duration // 0 means any
	// Fresh is how long what the plan was compared with is taken for what is live: see [Fresh].
	Fresh time.Duration
	// Planning is what planning the run took in this process, which is counted
	// with the run's requests.
	Planning journal.Made
	// Refused names the calendars that planning found to have no key that is
	// accepted.
	Refused map[string]error
}

// Applied is what became of a run.
type Applied struct {
	State    *journal.State
	Requests journal.Made // of this process, those of planning too
	// Refused names the calendars that could not be sent, each with the reason:
	// their rows are blocked.
	Refused map[string]error
}

// ErrTimeUp is the cause of a stop at --max-duration.
var ErrTimeUp = errors.New("the time that the run may take is up")

// Apply sends what is open of a run. It returns what became of the run together
// with why it could not be carried out whole: a failed row is an outcome, not an
// error. Applied is nil where the run could not even be taken up.
func Apply(ctx context.Context, config ApplyConfig) (*Applied, error) {
	before := config.Service.Requests()
	if state, err := config.Run.State(); err != nil {
		return nil, err
	} else if state.Undone {
		return resolveUndone(ctx, &config)
	}
	if err := begin(ctx, &config); err != nil {
		return nil, err
	}
	target, refused := config.Service.Target(ctx, slices.Sorted(maps.Keys(config.Run.Header().Target.Calendars)))
	for calendar := range refused {
		if service.Unanswered(refused[calendar]) {
			return nil, refused[calendar] // whose calendar the key is could not be asked
		}
		// Not a stale target: the key cannot be read for now. Its lane is left out.
		target.Calendars[calendar] = config.Run.Header().Target.Calendars[calendar]
	}
	maps.Copy(refused, config.Refused)
	if err := rebind(ctx, config, target); err != nil {
		return nil, err
	}
	attached, err := attach(ctx, config.Workspace, config.Service.BaseURL(), func(h *attached) error { return h.take(config, target) })
	if overtaken, ok := errors.AsType[*overtakenError](err); ok {
		return nil, errors.Join(overtaken, giveUp(ctx, &config))
	}
	if err != nil {
		return nil, err
	}
	j := attached.journal
	// A panic on the way leaves no run locked. After the close below it does nothing.
	defer func() { _ = attached.close() }()
	applied := &Applied{Refused: refused}
	sendErr := carryOut(ctx, config, attached, applied)
	attached.state = nil // it is large, and read anew below
	applied.Requests = since(before, config.Service.Requests())
	applied.Requests.Add(config.Planning)
	end := journal.Record{Type: journal.End, Code: reason(sendErr), Requests: applied.Requests}
	// The end is written even when ctx is what stopped the run.
	endErr := j.Commit(context.WithoutCancel(ctx), end)
	if err := errors.Join(endErr, j.Close()); err != nil {
		// Whatever else stopped the run, what had left may not be on record.
		if !failure.Is[*send.JournalError](sendErr) {
			sendErr = errors.Join(sendErr, &send.JournalError{Err: err})
		}
	}
	applied.State, err = config.Run.State()
	return applied, errors.Join(sendErr, err)
}

// rebind lets another key than the plan's go on with a calendar if the service
// says that it is for the same one: a key that was mended or replaced leaves no
// run behind. Any other key makes the target stale.
func rebind(ctx context.Context, config ApplyConfig, target plan.Target) error {
	want := config.Run.Header().Target
	if target.BaseURL != want.BaseURL {
		return nil
	}
	for calendar, print := range want.Calendars {
		if have := target.Calendars[calendar]; have == "" || have == print {
			continue
		}
		serves, err := config.Service.Serves(ctx, calendar)
		if err != nil {
			return err
		}
		if serves {
			target.Calendars[calendar] = print
		}
	}
	return nil
}

// carryOut sends the open ops.
func carryOut(ctx context.Context, config ApplyConfig, h *attached, applied *Applied) error {
	if config.MaxDuration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, config.MaxDuration, ErrTimeUp)
		defer cancel()
	}
	ops, err := config.Run.Reader()
	if err != nil {
		return err
	}
	defer ops.Close() // nothing was written
	sending := h.sending(ctx, config, ops, applied.Refused)
	sending.Covers, sending.Observer, sending.Followed = &uploader{service: config.Service}, config.Observer, !h.since.IsZero()
	err = send.Run(ctx, sending)
	refusal, isRefused := errors.AsType[*send.CredentialError](err)
	if isRefused {
		maps.Copy(applied.Refused, refusal.Calendars)
	}
	throttled, isThrottled := errors.AsType[*quota.ThrottledError](err)
	switch refused := (&send.CredentialError{Calendars: applied.Refused}); {
	case len(applied.Refused) == 0:
		return err
	case isThrottled:
		return errors.Join(throttled, refused)
	case isRefused, err == nil:
		return refused
	}
	return err
}

// reason returns the word under which the journal remembers why a process ended.
func reason(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, ErrTimeUp):
		return "time-up"
	case failure.Is[*send.TooManyErrorsError](err):
		return "too-many-errors"
	case failure.Is[*quota.ThrottledError](err):
		return "parked"
	case failure.Is[*send.CredentialError](err):
		return "credentials"
	case failure.Is[*send.UnreachableError](err):
		return "unreachable"
	case failure.Is[*api.WrongAddressError](err):
		return "wrong-address"
	}
	return "error"
}

func since(before, now journal.Made) journal.Made {
	return journal.Made{
		Sent: now.Sent - before.Sent, Reads: now.Reads - before.Reads, Throttled: now.Throttled - before.Throttled,
	}
}
