package quota

import "time"

// clock is the wall clock, the one that processes share, watched for steps
// with the monotonic one.
type clock struct {
	read   func(time.Time) int64 // Unix nanoseconds
	window time.Duration
	at     time.Time // when it was last looked at …
	shown  int64     // … and what it showed
}

// show reads the clock.
func (c *clock) show() int64 { return c.read(time.Now()) }

// now reads the clock, and tells by how much it stepped since the last time:
// it was set, or, going forward, the machine slept, which looks the same here.
func (c *clock) now() (now int64, step time.Duration) {
	var t time.Time
	for range 4 {
		t = time.Now()
		now, step = c.read(t), 0
		if c.at.IsZero() {
			break
		}
		passed := t.Sub(c.at)
		step = time.Duration(now-c.shown) - passed
		// A disciplined clock runs up to 0.05 % off, which is not a step.
		if step.Abs() <= c.window/100+passed/1000 {
			step = 0
			break
		}
		// time.Now reads two clocks, and may be held up in between: again.
	}
	c.at, c.shown = t, now
	return now, step
}
