package quota

import (
	"fmt"
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
