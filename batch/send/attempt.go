package send

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
)

// carry makes attempts until the outcome of each of the tasks, whose rows share one
// request, is certain, by the first table of the package comment. An error means that the lane or the run
// cannot go on; what has to be remembered is in the journal then.
func (e *execution) carry(ctx context.Context, tasks []*Task) error {
	for _, t := range tasks {
		t.lost, t.began = t.lost || t.Doubt, time.Now()
		if t.Doubt {
			t.began = e.Planned // when an earlier process first tried is not known
		}
	}
	attempts := api.Attempts{Retry: api.Sending}
	for {
		var err error
		if tasks, err = e.look(ctx, tasks); len(tasks) == 0 || err != nil || e.Looks {
			return err
		}
		settled, err := e.prepare(ctx, tasks)
		if settled || err != nil {
			return err
		}
		class, reason, err := e.attempt(ctx, tasks)
		if err != nil {
			return err
		}
		switch class {
		case api.Done:
			return each(tasks, func(t *Task) error { return e.finish(t, e.done(t)) })
		case api.Refused:
			return e.refused(ctx, tasks, reason)
		case api.InDoubt:
			if err := each(tasks, func(t *Task) error { return e.doubt(t, reason) }); err != nil {
				return err
			}
			if err := e.doubtRivals(ctx); err != nil {
				return err
			}
		}
		wait, again := attempts.Failed(reason)
		if !again {
			return each(tasks, e.giveUp)
		}
		if err := e.pause(ctx, wait, reason); err != nil {
			return err
		}
	}
}

// each calls do for every task, and stops at the first error.
func each(tasks []*Task, do func(*Task) error) error {
	for _, t := range tasks {
		if err := do(t); err != nil {
			return err
		}
	}
	return nil
}

// look finds out what became of the tasks in doubt, and returns those that have not
// come to their end.
func (e *execution) look(ctx context.Context, tasks []*Task) (left []*Task, err error) {
	for _, t := range tasks {
		settled := false
		switch {
		case t.Doubt && e.lookUp != nil:
			settled, err = e.lookUp(ctx, t)
		case t.Doubt && e.Looks:
			_, err = e.waitOut(ctx, t) // what is sent next is not overtaken by it
		}
		if err != nil {
			return nil, err
		}
		if !settled {
			left = append(left, t)
		}
	}
	return left, nil
}

// intent returns the record of a request that carries the tasks.
func (e *execution) intent(tasks []*Task) journal.Record {
	if t := tasks[0]; len(tasks) == 1 && len(t.with) == 0 {
		return journal.Record{Type: journal.Intent, Op: t.Op.N, Operation: e.op.Name, EventID: t.EventID, Key: t.key(), Hash: t.Op.Hash}
	}
	intent := journal.Record{Type: journal.Intent, Operation: e.op.Name}
	for _, t := range carried(tasks) {
		intent.Ops = append(intent.Ops, t.Op.N)
	}
	return intent
}

// carried returns the tasks with those whose records their request makes too.
func carried(tasks []*Task) []*Task {
	all := slices.Clone(tasks)
	for _, t := range tasks {
		all = append(all, t.with...)
	}
	return all
}

// attempt makes one request, with its intent in the journal before it leaves.
func (e *execution) attempt(ctx context.Context, tasks []*Task) (class api.Class, reason, err error) {
	request, leave, end := e.requestContext(ctx)
	defer end()
	intended, tried := false, time.Now()
	answer := e.call(request, tasks, func(bounded context.Context) error {
		intended, tried = true, time.Now()
		if err := e.Journal.Commit(bounded, e.intent(tasks)); err != nil {
			return &JournalError{Err: err}
		}
		if e.Followed && slept(tried) > e.Flight {
			// Whoever has taken over meanwhile has looked for what left, and found nothing.
			return &api.NotSentError{Err: errors.New("this process was stopped for a while")}
		}
		return leave()
	})
	for _, t := range tasks {
		t.Tried = tried
	}
	class, err = e.classify(ctx, answer)
	if !intended {
		return class, answer, err
	}
	switch class {
	case api.NotDone, api.KeyRefused, api.Stopped:
		undone := each(carried(tasks), func(t *Task) error { return e.note(t, journal.Record{Type: journal.No}) })
		if undone != nil {
			return 0, nil, undone
		}
	case api.WrongAddress:
		if doubted := each(tasks, func(t *Task) error { return e.doubt(t, answer) }); doubted != nil {
			return 0, nil, doubted
		}
	}
	return class, answer, err
}

// slept returns how much time has gone by, that of a machine that stood still included.
func slept(since time.Time) time.Duration {
	return max(time.Since(since), time.Now().Round(0).Sub(since.Round(0)))
}

// requestContext returns the context that a write is made under. It ends with the lane
// or run until leave is called, as the first byte is about to leave. From then on only
// an interruption ends it: a lane or run that stops by itself waits for what is leaving
// and takes it by its answer, where a request broken off in the act would be in doubt.
// leave fails where the lane or run has been stopped: one that stops in this very
// moment is either seen there, or sees that the request leaves.
func (l *lane) requestContext(ctx context.Context) (request context.Context, leave func() error, end func()) {
	request, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var leaving atomic.Bool
	unwatch := context.AfterFunc(ctx, func() {
		if !leaving.Load() || l.interrupted() {
			cancel(context.Cause(ctx))
		}
	})
	leave = func() error {
		leaving.Store(true)
		if l.halted(ctx) {
			return errHalted
		}
		return nil
	}
	return request, leave, func() {
		unwatch()
		cancel(nil)
	}
}

// read makes a request that changes nothing, and tries again while it fails in
// a way that may pass. reason is why it was refused, or could not be made.
func (l *lane) read(ctx context.Context, call func() error) (reason, err error) {
	attempts := api.Attempts{Retry: api.Sending}
	for {
		answer := call()
		class, err := l.classify(ctx, answer)
		if class == api.Done || err != nil {
			return nil, err
		}
		wait, again := attempts.Failed(answer)
		if !again {
			return answer, nil
		}
		if err := l.pause(ctx, wait, answer); err != nil {
			return nil, err
		}
	}
}

// classify returns the class of an answer for its row, after it has told the lane what
// the answer says of the service and the key. A 403 is refused or of the key, by what
// the key may do elsewhere. With an error the lane or the run cannot go on.
func (l *lane) classify(ctx context.Context, answer error) (api.Class, error) {
	class := api.ClassOf(answer)
	switch class {
	case api.Done, api.Refused:
		l.answered(true)
	case api.NotDone:
		if _, unsent := errors.AsType[*api.NotSentError](answer); unsent {
			return class, l.unreachable(answer)
		}
		l.answered(false) // a 429: the gate has parked the owner
	case api.InDoubt:
		l.answered(false)
	case api.KeyRefused:
		return class, l.refuse(answer)
	case api.Forbidden:
		if err := l.forbidden(ctx, answer); err != nil {
			return api.KeyRefused, err
		}
		return api.Refused, nil
	case api.WrongAddress:
		l.stop(answer)
		return class, answer
	case api.Stopped:
		return class, l.stopped(ctx, answer)
	}
	return class, nil
}

// stopped returns what keeps the lane or the run from going on, where a request was
// kept back on this machine.
func (l *lane) stopped(ctx context.Context, answer error) error {
	if parked, ok := errors.AsType[*quota.ParkedError](answer); ok {
		return l.park(parked)
	}
	if ctx.Err() != nil || errors.Is(answer, errHalted) {
		return errHalted
	}
	if unwritten, ok := errors.AsType[*JournalError](answer); ok {
		return l.broken(unwritten.Err)
	}
	l.stop(answer) // as when the quota's ledger cannot be written
	return answer
}

// note records something that does not end the row.
func (l *lane) note(t *Task, record journal.Record) error {
	record.Op = t.Op.N
	if err := l.Journal.Append(record); err != nil {
		return l.broken(err)
	}
	return nil
}

// doubt records that the outcome of an attempt is unknown.
func (l *lane) doubt(t *Task, reason error) error {
	t.Doubt, t.lost = true, true
	return l.note(t, journal.Record{Type: journal.Doubt, Error: reason.Error(), Status: api.StatusOf(reason)})
}

// fail records the service's refusal with its reasons, field by field.
func (l *lane) fail(t *Task, code string, reason error) error {
	record := journal.Record{Type: journal.Fail, Code: code, Error: reason.Error(), Status: api.StatusOf(reason), EventID: t.EventID}
	if rejected, ok := errors.AsType[*api.RejectedError](reason); ok {
		for _, p := range rejected.Problems {
			record.Fields = append(record.Fields, journal.FieldError{Path: p.Path, Reason: p.Reason})
		}
		if rejected.Message != "" {
			record.Error = rejected.Message
		}
	}
	return l.finish(t, record)
}

// pause waits before another attempt, and tells the observer.
func (l *lane) pause(ctx context.Context, wait time.Duration, reason error) error {
	if wait > 0 && l.Observer != nil {
		_, unsent := errors.AsType[*api.NotSentError](reason)
		l.Observer.Waiting(time.Now().Add(wait), !unsent)
	}
	return l.wait(ctx, wait)
}

func (l *lane) wait(ctx context.Context, d time.Duration) error {
	_ = api.Pause(ctx, d) // that the context has ended is seen next
	if l.halted(ctx) {
		return errHalted
	}
	return nil
}
