package send

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/quota"
	"eventbatch/mapping/failure"
)

// errHalted ends a serial group without an error of its own: its lane or its run was
// stopped, and its rows stay pending.
var errHalted = errors.New("halted")

// link is the way to the service of one calendar, as far as its answers have told: whether the key is accepted, whether
// anything can be reached, and for how long the service asks to wait.
type link struct {
	*run
	Lane

	mu        sync.Mutex
	proven    bool      // the key was accepted
	refused   error     // why the key was not
	throttled error     // for how long the service asks to wait, where that is too long
	silent    time.Time // since when nothing could be sent; zero while something can
	why       error     // why the last request could not be sent, while nothing can
}

func (l *link) halted(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ctx.Err() != nil || l.refused != nil || l.throttled != nil
}

// answered notes that the service answered, and whether it accepted the lane's key.
func (l *link) answered(accepted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proven = l.proven || accepted
	l.silent, l.why = time.Time{}, nil
}

// refuse stops the lane, whose key is not accepted. Its rows stay pending.
func (l *link) refuse(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil {
		l.refused = err
	}
	return errHalted
}

// throttle stops the lane: the service asks for a wait that is longer than this process
// waits. Its rows stay pending.
func (l *link) throttle(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.throttled = err
	return errHalted
}

func (l *link) throttling() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.throttled
}

func (l *link) refusal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// forbidden finds out what a 403 is about, for the service answers so both to a key that
// may do nothing and to an event that is not the key's. Once the key has been accepted it
// is about the event (nil); before that the key is tried with a request of no event.
func (l *link) forbidden(ctx context.Context, err error) error {
	l.mu.Lock()
	proven := l.proven
	l.mu.Unlock()
	if proven {
		return nil
	}
	probe := l.Live.Accepted(ctx)
	switch api.ClassOf(probe) {
	case api.Done:
		l.answered(true)
		return nil
	case api.Forbidden:
		return l.refuse(err)
	case api.KeyRefused:
		return l.refuse(probe)
	}
	if _, ok := errors.AsType[*quota.ThrottledError](probe); ok {
		return l.throttle(probe)
	}
	if ctx.Err() != nil {
		return errHalted // it was not answered: which of the two it is, the next process finds out
	}
	return nil
}

// unreachable notes that a request could not be sent, and stops the run when
// that has gone on for longer than its patience.
func (l *link) unreachable(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.silent.IsZero() {
		l.silent = now
	}
	l.why = err
	patience := l.Patience
	if !l.proven {
		patience /= 12 // nothing has ever answered: more likely a wrong address than a short outage
	}
	if now.Sub(l.silent) < patience {
		return nil
	}
	err = &UnreachableError{Err: err}
	l.stop(err)
	return err
}

// silence returns why the service cannot be reached, nil where it can.
func (l *link) silence() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// requestContext returns the context that a write is made under. It ends with the lane
// or run until leave is called, as the first byte is about to leave. From then on only
// an interruption ends it: a lane or run that stops by itself waits for what is leaving
// and takes it by its answer, where a request broken off in the act would be in doubt.
// leave fails where the lane or run has been stopped: one that stops in this very
// moment is either seen there, or sees that the request leaves.
func (l *link) requestContext(ctx context.Context) (request context.Context, leave func() error, end func()) {
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
func (l *link) read(ctx context.Context, call func() error) (reason, err error) {
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
func (l *link) classify(ctx context.Context, answer error) (api.Class, error) {
	class := api.ClassOf(answer)
	switch class {
	case api.Done, api.Refused:
		l.answered(true)
	case api.NotDone:
		if _, unsent := errors.AsType[*api.NotSentError](answer); unsent {
			return class, l.unreachable(answer)
		}
		l.answered(false) // a 429: the gate has throttled the owner
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
func (l *link) stopped(ctx context.Context, answer error) error {
	if throttled, ok := errors.AsType[*quota.ThrottledError](answer); ok {
		return l.throttle(throttled)
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

// pause waits before another attempt, and tells the observer.
func (l *link) pause(ctx context.Context, wait time.Duration, reason error) error {
	if wait > 0 && l.Observer != nil {
		l.Observer.Waiting(time.Now().Add(wait), !failure.Is[*api.NotSentError](reason))
	}
	return l.wait(ctx, wait)
}

func (l *link) wait(ctx context.Context, d time.Duration) error {
	_ = api.Pause(ctx, d) // that the context has ended is seen next
	if l.halted(ctx) {
		return errHalted
	}
	return nil
}

// waitOut waits until the service cannot be at work any more on the request that was lost, and
// reports whether there was anything to wait for. It never waits longer than such a request can
// take: the clock that said when it left may have been ahead.
func (l *link) waitOut(ctx context.Context, t *Task) (waited bool, err error) {
	wait := l.Left(t.Tried, time.Now())
	return wait > 0, l.wait(ctx, wait)
}
