package quota

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

const (
	leastAutoPace = 50
	autoPaceRatio = 5
)

// pace is how fast requests may follow each other. Guarded by Scheduler.mu.
type pace struct {
	limiter *rate.Limiter // nil sets no bound
	auto    bool
	allowed float64 // requests a second, by the limits that an automatic pace follows
}

// newPace returns the pace of a [Config].
func newPace(perSecond float64) (p pace) {
	switch {
	case perSecond == AutoPace:
		p.auto = true
		p.set(leastAutoPace)
	case perSecond > 0:
		p.set(perSecond)
	}
	return p
}

func (p *pace) set(perSecond float64) {
	// A hundredth of a second's worth at once, so that a timer that comes
	// late costs no rate.
	p.limiter = rate.NewLimiter(rate.Limit(perSecond), 1+int(math.Ceil(perSecond/100)))
}

// perSecond returns how many requests a second are let go, 0 without a bound.
func (p *pace) perSecond() float64 {
	if p.limiter == nil {
		return 0
	}
	return float64(p.limiter.Limit())
}

// follow raises an automatic pace to what the limits allow, of which this is one more.
func (p *pace) follow(perSecond float64) {
	p.allowed += perSecond
	if pace := autoPaceRatio * p.allowed; p.auto && pace > p.perSecond() {
		p.set(pace)
	}
}

// token takes a token, or tells how long until there is one.
// Not Limiter.Wait: with a deadline near it fails at once, with an error that
// is not the context's; and a slot would be held while it waits.
func (p *pace) token() (token, time.Duration) {
	if p.limiter == nil {
		return token{}, 0
	}
	now := time.Now()
	t := token{p.limiter.ReserveN(now, 1), now}
	wait := t.DelayFrom(now)
	if wait > 0 {
		t.cancel()
	}
	return t, wait
}

// token is one of a pace, to be handed back where no request follows.
type token struct {
	*rate.Reservation
	at time.Time
}

func (t token) cancel() {
	if t.Reservation != nil {
		t.CancelAt(t.at)
	}
}
