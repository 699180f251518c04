package sandbox

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// BadDay has the service be on a bad day whatever can go wrong: lists lag and shift, guests come in
// the background, a person edits, and answers are lost, broken, late and others'. All of it follows
// from the seed, as far as requests come in the same order. What is set besides the seed stays so.
func (c *Config) BadDay(seed uint64) {
	source := rand.New(rand.NewPCG(seed, 0xbad))
	seconds := func(most int) time.Duration {
		return time.Second + time.Duration(source.IntN(1000*(most-1)))*time.Millisecond
	}
	c.Seed = seed
	c.ListLag = cmp.Or(c.ListLag, seconds(8))
	c.Background = cmp.Or(c.Background, seconds(4))
	c.EditRate = cmp.Or(c.EditRate, 0.02+0.08*source.Float64())
	c.CountedPages = true
	for _, kind := range FaultKinds() {
		f := Fault{Kind: kind, Rate: 0.02 * source.Float64()}
		switch kind {
		case Slow:
			f.Delay = time.Duration(1+source.IntN(1000)) * time.Millisecond
		case Throttle, ThrottleBare: // a minute each
			f.Rate /= 10
		}
		c.Faults = append(c.Faults, f)
	}
}
