package quota

import "time"

// clock is the wall clock, watched for steps with the monotonic one.
type clock struct {
	read   func(time.Time) int64 // Unix nanoseconds
	window time.Duration
	at     time.Time // when it was last read …
	shown  int64     // … and what it showed
}

// now reads the clock, and tells by how much it stepped since the last reading:
// it was set, or, going forward, the machine slept, which looks the same here.
func (c *clock) now() (now int64, step time.Duration) {
	t := time.Now()
	now = c.read(t)
	if !c.at.IsZero() {
		passed := t.Sub(c.at)
		step = time.Duration(now-c.shown) - passed
		// A disciplined clock runs up to 0.05 % off, which is not a step.
		if step.Abs() <= c.window/100+passed/1000 {
			step = 0
		}
	}
	c.at, c.shown = t, now
	return now, step
}
