// Package ics reads events out of iCalendar text (RFC 5545).
//
// A reader takes the text apart into content lines and makes an event of each VEVENT and a
// definition of each VTIMEZONE. Of several versions of an event the newest counts. A series
// lists when each event takes place: it unrolls the rules by the numbers of the wall clock,
// leaves the exceptions out, and puts in the place of an occurrence the event that changes it.
// Clocks, one set for each calendar of the text, say what a TZID stands for: a zone that others
// know, else one that the calendar defines itself.
//
// A text that is no whole calendar is refused. Whatever else is wrong costs the event that it
// is wrong with: the first mistake is kept as the event's fault, and its occurrence has an
// error instead of times. An event of which that makes others unsure, such as a change that
// cannot be placed in its series, takes them along.
package ics

import (
	"context"
)

// Read takes the events out of a text and unrolls those that recur. The text is
// the whole of a file, as UTF-8 without a byte-order mark: what changes an
// occurrence may stand behind it. An event that cannot be read says so itself; the
// error is an [*Error] of a text that is no whole calendar or too large, or ctx's own.
func Read(ctx context.Context, text string, c Config) (*Calendar, error) {
	if c.Occurrences <= 0 {
		c.Occurrences = 5_000
	}
	var r reader
	if err := r.read(ctx, text); err != nil {
		return nil, err
	}
	var ends Tally
	for _, e := range r.events {
		if !e.oneEnd() {
			ends.add(e.line)
		}
	}
	v := counting(r.events)
	s := series{config: c}
	if err := s.unroll(ctx, r.events, v); err != nil {
		return nil, err
	}
	return &Calendar{
		Occurrences: s.all, LeftOut: r.leftOut, Older: v.older, Strays: r.strays, Ends: ends, Endless: s.endless, Until: s.until,
	}, nil
}
