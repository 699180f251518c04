package quota

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// LongWait is the longest wait that a service asks for and that holds for all
// processes of the machine. Beyond it something is wrong with the service, with
// what stands before it, or with the key: that holds for the process which was
// asked, and the others wait one window, as long as a service blocks who goes over
// its limit.
func LongWait(window time.Duration) time.Duration { return max(5*time.Minute, 2*window) }

// ThrottledError says that an owner is throttled for longer than its lane waits: the
// service has asked for that, in answer to this process or to another.
type ThrottledError struct {
	Owner Owner
	Until time.Time
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("the service asks to wait until %s: it has throttled %s", e.end(time.Now()), e.Owner.Name)
}

// Hint tells what to do.
func (e *ThrottledError) Hint() string {
	return "nothing is lost: the same command goes on, then or before"
}

// end is when the wait ends, rounded up.
func (e *ThrottledError) end(now time.Time) string {
	form, step := "Mon 15:04", time.Minute
	switch wait := e.Until.Sub(now); {
	case wait < time.Hour:
		form, step = time.TimeOnly, time.Second
	case wait > 6*24*time.Hour:
		form = "2 Jan 2006 15:04"
	}
	return e.Until.Add(step - 1).Truncate(step).Local().Format(form)
}

// Notice is something that the service said of an owner's quota, and that somebody
// has to know: it asks for a long wait, or allows less than the owner's limit.
type Notice struct {
	Owner Owner
	Until time.Time // of a long wait, else zero
	Limit int       // that is lower, else zero
}

// throttle stops every owner of the lane. Which of them the 429 came from is not
// said, and the service blocks the key, which they share.
func (b *booking) throttle(asked time.Duration) {
	s := b.lane.s
	asked = max(asked, s.cfg.Window)
	shared, now := asked, s.now()
	until := now + int64(asked+s.margin)
	if asked > LongWait(s.cfg.Window) {
		shared = s.cfg.Window
		key := b.lane.owners[len(b.lane.owners)-1]
		s.notices = append(s.notices, Notice{Owner: key.Owner, Until: time.Unix(0, until)})
	}
	for _, o := range b.lane.owners {
		o.held = max(o.held, until)
		// Where it cannot be written, this process waits at least.
		_ = o.ledger.pause(shared + s.margin)
	}
}

// throttled is until when the owner is, zero where it is not; other processes count
// as of the last look.
func (o *owner) throttled(now int64) int64 {
	if until := max(o.held, o.ledger.throttled); until > now {
		return until
	}
	return 0
}

// lower takes the service's word for a limit.
func (s *Scheduler) lower(o *owner, limit int) {
	if limit < o.Limit && s.share(limit) < o.limit {
		s.notices = append(s.notices, Notice{Owner: o.Owner, Limit: limit})
	}
	o.lower(s.share(limit))
}

// tell hands on what the service said. It is called without the lock.
func (s *Scheduler) tell(notices []Notice) {
	if s.cfg.Notice == nil {
		return
	}
	for _, n := range notices {
		s.cfg.Notice(n)
	}
}

// giveUp turns away those whose owner is throttled for longer than they wait.
func (s *Scheduler) giveUp(now int64) {
	if s.cfg.Patience == 0 {
		return
	}
	var throttled []*Lane // most often none of a thousand
	for _, l := range s.waiting {
		if l.hopeless(now) != nil {
			throttled = append(throttled, l)
		}
	}
	for _, l := range throttled {
		err := l.hopeless(now)
		for len(l.queue) > 0 {
			l.answer(nil, err)
		}
	}
}

// hopeless returns why no request of the lane leaves within the time that they wait.
func (l *Lane) hopeless(now int64) *ThrottledError {
	for _, o := range slices.Backward(l.owners) { // the key's own first
		if until := o.throttled(now); time.Duration(until-now) > l.s.cfg.Patience+l.s.margin {
			return &ThrottledError{Owner: o.Owner, Until: time.Unix(0, until)}
		}
	}
	return nil
}

// Unpark ends the throttling of all owners whose ledgers are in the folder of the
// Config, and tells how many were throttled. What they have used up stays used up.
func Unpark(cfg Config) (n int, err error) {
	paths, err := filepath.Glob(filepath.Join(cfg.Dir, "*"+suffix))
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		l := newLedger(path, cfg, func() int64 { return time.Now().UnixNano() })
		was, err := l.resume()
		if err != nil {
			return n, err
		}
		if was {
			n++
		}
	}
	return n, nil
}
