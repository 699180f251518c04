package datetime

import (
	"slices"
	"sync/atomic"
	"time"
)

// Zone turns wall times into instants. Any number of goroutines may use one.
type Zone struct {
	Name     string
	Location *time.Location
	spans    atomic.Pointer[[]span] // found so far, the latest first
}

// span is a time of one offset, as wall time, shortened on both sides so far
// that no other offset's wall times reach into it.
type span struct {
	from, to int64
	offset   int
}

// No zone has ever been further from UTC than this, and none has changed its
// offset by more.
const reach = 26 * 3600

// maxSpans bounds the memory of a zone: events of many years do not need more.
const maxSpans = 16

// Offsets returns the offsets, in seconds east of UTC, under which a wall time is
// real: one nearly always, none in the gap of a clock change, two where the
// clock is set back. The first is the earlier instant. In a gap, first and
// second are the offsets before and after the change.
func (z *Zone) Offsets(wall int64) (first, second, n int) {
	if spans := z.spans.Load(); spans != nil {
		for i := range *spans {
			if s := &(*spans)[i]; s.from <= wall && wall < s.to {
				return s.offset, s.offset, 1
			}
		}
	}
	return z.search(wall)
}

// Called reports whether letters such as AEST are what the zone is called at a time, in Unix milliseconds. Those by which no
// clock goes, such as ET and MEZ, are the names of summer and winter alike.
func (z *Zone) Called(letters string, milli int64) bool {
	at := time.UnixMilli(milli)
	name, offset := at.In(z.Location).Zone()
	zones := Abbreviated(letters)
	if place, ok := ZoneOf(letters); ok {
		zones = []string{place}
	}
	alike := name == letters
	for _, other := range zones {
		zone, fault := LoadZone(other)
		if fault != nil || zone.goesBy(letters, at) {
			return name == letters
		}
		same, far := at.In(zone.Location).Zone()
		alike = alike || same == name && far == offset
	}
	return alike
}

// goesBy reports whether the clocks of the zone go by letters in summer or winter of a year.
func (z *Zone) goesBy(letters string, year time.Time) bool {
	return slices.ContainsFunc([]time.Month{time.January, time.July}, func(month time.Month) bool {
		name, _ := time.Date(year.Year(), month, 1, 0, 0, 0, 0, z.Location).Zone()
		return name == letters
	})
}

// search goes through every stretch of constant offset that could hold the wall time.
func (z *Zone) search(wall int64) (first, second, n int) {
	before, after, last, known := 0, 0, 0, false
	for at := wall - reach; at <= wall+reach; {
		offset, from, to := z.stretch(at)
		instant := wall - int64(offset)
		if from <= instant && instant < to {
			if n == 0 {
				first = offset
			}
			if n == 0 || offset != first {
				second = offset
				n = min(n+1, 2)
			}
			z.remember(span{from + int64(offset) + reach, to + int64(offset) - reach, offset}, wall)
		} else if instant >= to {
			before = offset
		} else if !known {
			after, known = offset, true
		}
		last = offset
		at = to
	}
	if n == 0 {
		if !known {
			after = last
		}
		return before, after, 0
	}
	return first, second, n
}

// stretch returns the offset at an instant, and a time from <= at < to in which it
// stays the same. Where it goes on before from or behind to, that is a stretch of its own.
//
// After the changes that the time zone database lists, ZoneBounds goes by a rule for
// each year, in UTC. It takes each year for one of 365 days, so that it ends the
// last stretch of a leap year before its last day; and the rule's first stretch may
// begin before the last change listed, which overrides it until then.
func (z *Zone) stretch(at int64) (offset int, from, to int64) {
	const forever = int64(1) << 40
	t := time.Unix(at, 0).In(z.Location)
	_, offset = t.Zone()
	from, to = -forever, forever
	start, end := t.ZoneBounds()
	if !end.IsZero() {
		to = end.Unix()
	}
	if to <= at {
		to = time.Date(t.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	}
	if start.IsZero() {
		return offset, from, to
	}
	for from = start.Unix(); ; {
		_, end := time.Unix(from, 0).In(z.Location).ZoneBounds()
		if end.IsZero() || end.Unix() <= from || end.Unix() > at {
			return offset, from, to
		}
		from = end.Unix()
	}
}

// remember keeps a span for the next times. What another goroutine keeps meanwhile may
// be lost, and is then searched once more.
func (z *Zone) remember(s span, wall int64) {
	if wall < s.from || wall >= s.to {
		return
	}
	spans := []span{s}
	if known := z.spans.Load(); known != nil {
		spans = append(spans, (*known)[:min(len(*known), maxSpans-1)]...)
	}
	z.spans.Store(&spans)
}
