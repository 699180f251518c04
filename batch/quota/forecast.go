package quota

import (
	"math"
	"slices"
	"time"
)

// LaneForecast is a lane in numbers.
type LaneForecast struct {
	Owners   []Owner
	Requests int
}

// Forecast tells when the last of the requests leaves, were they to start now
// and nobody else to send: bursts as long as the owners have slots, each burst
// repeatable one window later. Usage says what is out already, and what limit
// holds; an owner that it does not list has all of its limit. Pace 0 is none.
// Times that answers take are not counted.
func Forecast(lanes []LaneForecast, now time.Time, window time.Duration, pace float64, usage []Usage) time.Time {
	f := forecast{again: (window + safety(window)).Seconds(), named: map[ownerName]*supply{}}
	if pace > 0 {
		f.gap = 1 / pace
	}
	for _, u := range usage {
		f.supply(u.Owner, u.Limit).draw(u, now)
	}
	for _, l := range lanes {
		if l.Requests > 0 {
			d := demand{left: l.Requests}
			for _, o := range l.Owners {
				d.owners = append(d.owners, f.supply(o, o.Limit))
			}
			f.lanes = append(f.lanes, &d)
		}
	}
	for at := 0.0; len(f.lanes) > 0 && f.end < never; at = f.next(at) {
		f.burst(at)
	}
	return now.Add(time.Duration(min(f.end, never) * float64(time.Second)))
}

// never is ten years: whatever takes longer will not be waited for.
const never = 10 * 365 * 24 * 3600.0

// forecast counts in seconds from now.
type forecast struct {
	again  float64 // after which a slot serves again
	gap    float64 // between two requests
	named  map[ownerName]*supply
	owners []*supply // the same
	lanes  []*demand // with requests left
	free   float64   // when the pace lets the next request go
	end    float64   // when the last one so far left
}

// demand is a lane.
type demand struct {
	left   int
	owners []*supply
}

// supply is an owner: slots free, and slots to come.
type supply struct {
	free      int
	throttled float64
	coming    []batch // in order of time
}

// batch is slots that come free at much the same time.
type batch struct {
	at    float64 // their mean
	since float64 // the first
	n     int
}

func (f *forecast) supply(o Owner, limit int) *supply {
	name := ownerName{o.Kind, o.ID}
	if f.named[name] == nil {
		f.named[name] = &supply{free: max(1, limit)}
		f.owners = append(f.owners, f.named[name])
	}
	return f.named[name]
}

// draw takes what is out already: all of it until the last comes free, since
// usage does not say more.
func (s *supply) draw(u Usage, now time.Time) {
	if out := min(s.free, u.Limit-u.Left); out > 0 && u.AllFree.After(now) {
		s.free -= out
		s.coming = append(s.coming, batch{at: u.AllFree.Sub(now).Seconds(), n: out})
	}
	s.throttled = max(0, u.ThrottledUntil.Sub(now).Seconds())
}

// burst sends all that can leave at a time.
func (f *forecast) burst(at float64) {
	for _, s := range f.owners {
		for len(s.coming) > 0 && s.coming[0].at <= at {
			s.free += s.coming[0].n
			s.coming = s.coming[1:]
		}
	}
	for {
		l, n := f.choose(at)
		if l == nil {
			break
		}
		f.free = max(f.free, at)
		f.end = max(f.end, f.free+float64(n-1)*f.gap)
		for _, s := range l.owners {
			s.use(n, f.free+f.again, f.again/200)
		}
		f.free += float64(n) * f.gap
		l.left -= n
	}
	f.lanes = slices.DeleteFunc(f.lanes, func(l *demand) bool { return l.left == 0 })
}

// choose takes the longest lane that can send, and how many it sends before
// another is the longest: at least a twentieth, which keeps equals alternating
// and the steps few.
func (f *forecast) choose(at float64) (longest *demand, n int) {
	second := 0
	for _, l := range f.lanes {
		switch {
		case l.left == 0 || l.slots(at) == 0:
		case longest == nil || l.left > longest.left:
			if longest != nil {
				second = longest.left
			}
			longest = l
		default:
			second = max(second, l.left)
		}
	}
	if longest == nil {
		return nil, 0
	}
	n = max(longest.left-second, 1+longest.left/20)
	return longest, min(n, longest.left, longest.slots(at))
}

// slots is how many requests the lane can send at a time.
func (l *demand) slots(at float64) int {
	n := math.MaxInt
	for _, s := range l.owners {
		if s.throttled > at {
			return 0
		}
		n = min(n, s.free)
	}
	return n
}

// use takes n slots that come free at a time. What comes free within half a
// percent of a window is one batch, or many lanes would cut each other's into
// single slots.
func (s *supply) use(n int, again, within float64) {
	s.free -= n
	i := len(s.coming)
	for i > 0 && s.coming[i-1].at > again { // the pace goes forward, so hardly ever
		i--
	}
	if i > 0 && again-s.coming[i-1].since <= within {
		b := &s.coming[i-1]
		b.at = (b.at*float64(b.n) + again*float64(n)) / float64(b.n+n)
		b.n += n
		return
	}
	s.coming = slices.Insert(s.coming, i, batch{again, again, n})
}

// next is when something comes free.
func (f *forecast) next(at float64) float64 {
	next := math.Inf(1)
	for _, s := range f.owners {
		if s.throttled > at {
			next = min(next, s.throttled)
		}
		if len(s.coming) > 0 {
			next = min(next, s.coming[0].at)
		}
	}
	return next
}
