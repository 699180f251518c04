package ics

import (
	"cmp"
	"fmt"
	"time"
)

// occurrence makes one of an event that begins at start. Where the event is
// one of a series, master is what the series is made of.
func (s *series) occurrence(e, master *event, key string, start *dateTime) (Occurrence, error) {
	o := Occurrence{Line: e.line, Key: key, Start: start.String(), Zone: s.clocks.zone, text: e.text}
	if start.tzid != "" {
		o.Zone = s.clocks.zoneName(start.tzid)
	}
	from := e
	if e.end == nil && e.duration == "" {
		from = master
	}
	var err error
	o.End, err = s.end(from, start)
	return o, err
}

// end gives the end of an event that begins at start; empty where the event does
// not say. A day ends with itself.
func (s *series) end(e *event, start *dateTime) (string, error) {
	switch {
	case e.duration != "":
		length, err := parseDuration(e.duration)
		if err != nil {
			return "", fmt.Errorf("DURATION: %w", err)
		}
		return s.after(start, length), nil
	case e.end == nil && start.day:
		return s.after(start, duration{days: 1}), nil
	case e.end == nil:
		return "", nil
	case e.start == nil:
		return e.end.String(), nil
	}
	// The lengths of all occurrences are alike, by the clock that the start is
	// written by.
	end, ok := s.clocks.in(e.end, e.start)
	if !ok {
		return "", fmt.Errorf("DTEND: the zone %q is not known", cmp.Or(e.end.tzid, e.start.tzid))
	}
	return start.at(start.wall.Add(end.Sub(e.start.wall))).String(), nil
}

// after adds a length to a time: days by the calendar, the rest by the clock,
// which a change of the clock in between does not stop.
func (s *series) after(start *dateTime, length duration) string {
	wall := start.wall.AddDate(0, 0, length.days)
	if location, ok := s.clocks.location(start); ok && start.tzid != "" && length.clock != 0 {
		from := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, location)
		return from.Add(length.clock).Format(time.RFC3339)
	}
	return start.at(wall.Add(length.clock)).String()
}
