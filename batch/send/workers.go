package send

import (
	"context"
	"sync/atomic"

	"github.com/sourcegraph/conc"
)

// workers carry out the jobs of a lane. There is one, and more as long as there is something for
// each to do.
type workers struct {
	conc.WaitGroup

	lane  *lane
	ctx   context.Context
	stop  context.CancelCauseFunc // with why the lane cannot go on
	count atomic.Int64
}

// grow has another worker begin, where the lane and the run may have one more.
func (w *workers) grow() {
	if w.count.Add(1) <= int64(min(w.lane.Concurrency, len(w.lane.Tasks))) && w.lane.crew.TryAcquire(1) {
		w.begin(func() { w.lane.crew.Release(1) })
	} else {
		w.count.Add(-1)
	}
}

func (w *workers) begin(end func()) {
	w.Go(func() {
		defer end()
		err := errDefect
		defer func() {
			if err != nil {
				w.stop(err)
			}
		}()
		err = w.work()
	})
}

// work carries out jobs until none is left. It returns why it cannot go on.
func (w *workers) work() error {
	for {
		next, more := w.lane.queue.take(w.ctx)
		if !more {
			return nil
		}
		w.grow()
		if err := w.lane.queue.do(w.ctx, next); err != nil {
			return err
		}
	}
}
