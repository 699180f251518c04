package send

import (
	"context"
	"sync/atomic"
)

// passage is the way out of one write: what the write's context ends with.
type passage struct {
	// ctx is what the request is made under. It ends with the lane or run while
	// nothing has left. From then on only an interruption ends it: a lane or run
	// that stops by itself waits for what is leaving and takes it by its answer,
	// where a request broken off in the act would be in doubt.
	ctx context.Context

	lane    *lane
	leaving atomic.Bool
	unwatch func() bool
	cancel  context.CancelCauseFunc
}

func (l *lane) passage(ctx context.Context) *passage {
	p := &passage{lane: l}
	p.ctx, p.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	p.unwatch = context.AfterFunc(ctx, func() {
		if !p.leaving.Load() || l.interrupted() {
			p.cancel(context.Cause(ctx))
		}
	})
	return p
}

// leave lets the first byte go, unless the lane or run has been stopped: one that
// stops in this very moment is either seen here, or sees that the request leaves.
func (p *passage) leave(ctx context.Context) error {
	p.leaving.Store(true)
	if p.lane.halted(ctx) {
		return errHalted
	}
	return nil
}

// close ends the passage. What was made under its context has ended before.
func (p *passage) close() {
	p.unwatch()
	p.cancel(nil)
}
