package send

import (
	"context"
	"errors"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
)

// carry makes attempts until the outcome of each of the tasks, whose rows share one
// request, is certain, by the first table of the package comment. An error means that the lane or the run
// cannot go on; what has to be remembered is in the journal then.
func (e *execution) carry(ctx context.Context, tasks []*Task) error {
	for _, t := range tasks {
		t.lost = t.lost || t.Doubt
		if !t.Doubt {
			t.began = time.Now()
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
		if e.Followed && slept(tried) > e.Leaves() {
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
