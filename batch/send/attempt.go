package send

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/quota"
)

// maxTries bounds how often one process tries a row whose attempts keep ending
// without a certain outcome.
const maxTries = 8

// write is a request that changes something, with what follows from its answers.
type write struct {
	kind plan.Action
	// careful writes are on disk as intents before they leave: sent a second
	// time unawares, they would do harm.
	careful bool
	// look finds out what became of an attempt in doubt. settled means that the
	// row has come to its end. Nil where sending again does no harm.
	look func(context.Context, *Task) (settled bool, err error)
	// prepare makes ready what the call needs. It comes after look, which may
	// make it needless. Nil where there is nothing to make ready.
	prepare func(context.Context) (settled bool, err error)

	call func(ctx context.Context, before func(context.Context) error) error
	// refused ends the row that the service refused.
	refused func(ctx context.Context, reason error) error
	done    func() journal.Record
}

// carry makes attempts until the outcome of one is certain: the table of
// outcomes. An error means that the lane or the run cannot go on; what has to
// be remembered is in the journal then.
func (l *lane) carry(ctx context.Context, t *Task, w write) error {
	t.lost, t.began = t.Doubt, time.Now()
	if t.Doubt {
		t.began = l.Planned // when an earlier process first tried is not known
	}
	for try, lost := 0, 0; ; try++ {
		if t.Doubt && w.look != nil {
			settled, err := w.look(ctx, t)
			if settled || err != nil {
				return err
			}
		}
		if w.prepare != nil {
			settled, err := w.prepare(ctx)
			if settled || err != nil {
				return err
			}
		}
		v, reason, err := l.attempt(ctx, t, w)
		if err != nil {
			return err
		}
		switch v {
		case done:
			return l.settle(t, w.done())
		case refused:
			return w.refused(ctx, reason)
		case unknown:
			if err := l.doubt(t, reason); err != nil {
				return err
			}
			if lost++; lost >= maxTries {
				return l.giveUp(t)
			}
		}
		if err := l.pause(ctx, try, reason); err != nil {
			return err
		}
	}
}

// attempt makes one request, with its intent in the journal before it leaves.
func (l *lane) attempt(ctx context.Context, t *Task, w write) (v verdict, reason, err error) {
	way := l.passage(ctx)
	defer way.close()
	intended := false
	answer := w.call(way.ctx, func(bounded context.Context) error {
		intended = true
		intent := journal.Record{
			Type: journal.Intent, Op: t.Op.N, Operation: "events/" + string(w.kind), EventID: t.EventID,
			Key: journal.KeyHash(t.Op.Event.Calendar, t.Op.Event.Key), Hash: t.Op.Hash,
		}
		write := l.Journal.Commit
		if !w.careful {
			write = func(_ context.Context, r journal.Record) error { return l.Journal.Append(r) }
		}
		if err := write(bounded, intent); err != nil {
			return &JournalError{Err: err}
		}
		return way.leave(ctx)
	})
	t.Tried = time.Now()
	v, err = l.judge(ctx, answer)
	if !intended {
		return v, answer, err
	}
	switch v {
	case again, refusedKey, halted:
		if undone := l.note(t, journal.Record{Type: journal.No}); undone != nil {
			return 0, nil, undone
		}
	case wrongPlace:
		if doubted := l.doubt(t, answer); doubted != nil {
			return 0, nil, doubted
		}
	}
	return v, answer, err
}

// read makes a request that changes nothing, and tries again while it fails in
// a way that may pass. reason is why it was refused, or could not be made.
func (l *lane) read(ctx context.Context, call func() error) (reason, err error) {
	for try, lost := 0, 0; ; try++ {
		answer := call()
		v, err := l.judge(ctx, answer)
		if v == unknown {
			lost++
		}
		switch {
		case err != nil:
			return nil, err
		case v == done:
			return nil, nil
		case v == refused, lost >= maxTries:
			return answer, nil
		}
		if err := l.pause(ctx, try, answer); err != nil {
			return nil, err
		}
	}
}

// verdict is what an answer means for its row.
type verdict int

const (
	done       verdict = iota // it was carried out
	again                     // it certainly was not, and may be tried again
	unknown                   // it may have been carried out
	refused                   // the service said no, for good
	refusedKey                // the key is no good: the lane cannot go on
	wrongPlace                // what answered is not the service: the run cannot go on
	halted                    // nothing was sent: the run has been stopped
)

// judge tells what an answer means. With an error the lane or the run cannot go on.
func (l *lane) judge(ctx context.Context, answer error) (verdict, error) {
	if answer == nil {
		l.heard(true)
		return done, nil
	}
	if _, ok := errors.AsType[*api.NotSentError](answer); ok {
		return again, l.unreachable(answer)
	}
	if _, ok := errors.AsType[*api.RateLimitedError](answer); ok {
		l.heard(false)
		return again, nil // the gate has parked the owner
	}
	if parked, ok := errors.AsType[*quota.ParkedError](answer); ok {
		return halted, l.park(parked)
	}
	if _, ok := errors.AsType[*api.UnknownOutcomeError](answer); ok {
		l.heard(false)
		return unknown, nil
	}
	if _, ok := errors.AsType[*api.RejectedError](answer); ok {
		l.heard(true)
		return refused, nil
	}
	if _, ok := errors.AsType[*api.UnauthorizedError](answer); ok {
		return refusedKey, l.refuse(answer)
	}
	if _, ok := errors.AsType[*api.ForbiddenError](answer); ok {
		if err := l.forbidden(ctx, answer); err != nil {
			return refusedKey, err
		}
		return refused, nil
	}
	if _, ok := errors.AsType[*api.WrongAddressError](answer); ok {
		l.stop(answer)
		return wrongPlace, answer
	}
	if ctx.Err() != nil || errors.Is(answer, errHalted) {
		return halted, errHalted
	}
	if unwritten, ok := errors.AsType[*JournalError](answer); ok {
		return halted, l.broken(unwritten.Err)
	}
	l.stop(answer) // a fault of this machine, as when the quota's ledger cannot be written
	return halted, answer
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
	return l.note(t, journal.Record{Type: journal.Doubt, Error: reason.Error(), Status: status(reason)})
}

// fail records the service's refusal with its reasons, field by field.
func (l *lane) fail(t *Task, code string, reason error) error {
	record := journal.Record{Type: journal.Fail, Code: code, Error: reason.Error(), Status: status(reason), EventID: t.EventID}
	if rejected, ok := errors.AsType[*api.RejectedError](reason); ok {
		for _, p := range rejected.Problems {
			record.Fields = append(record.Fields, journal.FieldError{Path: p.Path, Reason: p.Reason})
		}
		if rejected.Message != "" {
			record.Error = rejected.Message
		}
	}
	return l.settle(t, record)
}

// pause waits before another try: longer each time, not at all after a 429,
// which the quota waits out.
func (l *lane) pause(ctx context.Context, try int, reason error) error {
	if _, ok := errors.AsType[*api.RateLimitedError](reason); ok {
		return l.wait(ctx, 0)
	}
	wait := min(250*time.Millisecond<<min(try, 10), 30*time.Second)
	wait = wait/2 + rand.N(wait/2+1)
	if l.Observer != nil {
		_, unsent := errors.AsType[*api.NotSentError](reason)
		l.Observer.Waiting(time.Now().Add(wait), !unsent)
	}
	return l.wait(ctx, wait)
}

func (l *lane) wait(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if l.halted(ctx) {
		return errHalted
	}
	return nil
}

func status(err error) int {
	if e, ok := errors.AsType[*api.RejectedError](err); ok {
		return e.Status
	}
	if e, ok := errors.AsType[*api.UnknownOutcomeError](err); ok {
		return e.Status
	}
	if e, ok := errors.AsType[*api.WrongAddressError](err); ok {
		return e.Status
	}
	if _, ok := errors.AsType[*api.ForbiddenError](err); ok {
		return 403
	}
	return 0
}
