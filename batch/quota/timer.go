package quota

import (
	"fmt"
	"runtime/debug"
	"time"
)

// alarm has dispatch run after d at the latest.
func (s *Scheduler) alarm(d time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(d, func() { s.wake(s.dispatch) })
		return
	}
	s.timer.Reset(d)
}

// enterSoon has the ledgers enter what was left for later, should no Take come
// first. Until then other processes see a request under way that was answered.
func (s *Scheduler) enterSoon() {
	soon := min(2*time.Millisecond, s.cfg.Window/50)
	switch {
	case s.due:
	case s.entry == nil:
		s.due, s.entry = true, time.AfterFunc(soon, func() { s.wake(s.enter) })
	default:
		s.due = true
		s.entry.Reset(soon)
	}
}

func (s *Scheduler) enter() {
	s.due = false
	if s.closed {
		return
	}
	for _, o := range s.listed {
		// What cannot be written stays out until its lease ends; the next Take says why.
		_ = o.ledger.settle()
	}
}

// wake does what a timer is for, in its goroutine: a panic there would end the
// process with no word of ours, so it is kept for those who take slots.
func (s *Scheduler) wake(work func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if value := recover(); value != nil {
			s.defect = &defect{value, debug.Stack()}
			for len(s.waiting) > 0 {
				s.waiting[0].answer(nil, s.defect)
			}
		}
	}()
	work()
}

// defect is a panic of another goroutine, to be raised again.
type defect struct {
	value any
	stack []byte
}

func (d *defect) Error() string { return fmt.Sprintf("%v\n\n%s", d.value, d.stack) }
