package send

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// passage is the way out of one request. It holds one of the lane's places on
// the wire while the request may be under way, so that no more than Concurrency
// are. A careful write either takes its place first, or goes ahead: see
// [pacing].
type passage struct {
	place
	// ctx is what the request is made under. It ends with the run while nothing
	// has left. From then on only an interruption ends it: a lane or run that stops
	// by itself waits for what is leaving and takes it by its answer, where a
	// request broken off in the act would be in doubt.
	ctx context.Context

	cancel  context.CancelCauseFunc
	unwatch func() bool
	leaving atomic.Bool
}

// place is one of the lane's on the wire.
type place struct {
	lane  *lane
	held  bool
	since time.Time
}

// crowded is how long who went ahead waits for a place: an instant of the time
// that a request is given.
const crowded = 100 * time.Millisecond

// errCrowded says that who went ahead found no place.
var errCrowded = errors.New("too many requests are under way")

func (l *lane) passage(ctx context.Context) *passage {
	p := &passage{place: place{lane: l}}
	p.ctx, p.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	p.unwatch = context.AfterFunc(ctx, func() {
		if !p.leaving.Load() || l.interrupted() {
			p.cancel(context.Cause(ctx))
		}
	})
	return p
}

// begin takes the passage's place, unless it is one that goes ahead.
func (p *passage) begin(ctx context.Context, careful bool) error {
	if careful && p.lane.pacing.ahead() > 0 {
		return nil
	}
	return p.enter(ctx)
}

// out takes the request to where its first byte may leave.
func (p *passage) out(ctx context.Context) error {
	if !p.held {
		bounded, cancel := context.WithTimeout(ctx, crowded)
		err := p.enter(bounded)
		cancel()
		if err != nil && ctx.Err() == nil {
			return errCrowded
		}
	}
	p.leaving.Store(true)
	if p.lane.halted(ctx) {
		return errHalted
	}
	return nil
}

// close gives the place back. A second close does nothing.
func (p *passage) close() {
	p.unwatch()
	p.cancel(nil)
	p.leave()
}

// request makes a request that changes nothing, in a place on the wire. Its
// error is errHalted.
func (l *lane) request(ctx context.Context, call func()) error {
	p := place{lane: l}
	if err := p.enter(ctx); err != nil {
		return err
	}
	defer p.leave()
	call()
	return nil
}

// enter waits for a place. Its error is errHalted.
func (p *place) enter(ctx context.Context) error {
	select {
	case p.lane.wire <- struct{}{}:
		p.held, p.since = true, time.Now()
		return nil
	case <-ctx.Done():
		return errHalted
	}
}

func (p *place) leave() {
	if p.held {
		p.held = false
		p.lane.pacing.answer.Store(int64(time.Since(p.since)))
		<-p.lane.wire
	}
}
