package ics

import (
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// clocks are the time zones that a calendar speaks of.
type clocks struct {
	zone  string            // of the calendar (X-WR-TIMEZONE), as an IANA name where it is known
	names map[string]string // what the text's own time zones go by (X-LIC-LOCATION), by TZID
}

// in gives the wall time of the clock that another time is written by; false
// where a zone is not known.
func (c *clocks) in(t, other *dateTime) (time.Time, bool) {
	switch {
	case t.day || other.day, t.utc && other.utc, !t.utc && !other.utc && t.tzid == other.tzid:
		return t.wall, true
	case !t.utc && t.tzid == "", !other.utc && other.tzid == "" && !known(c.zone):
		return t.wall, true // a floating time is of whatever clock it is read by
	}
	from, ok := c.location(t)
	to, ok2 := c.location(other)
	if !ok || !ok2 {
		return time.Time{}, false
	}
	w := t.wall
	shown := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), 0, from).In(to)
	return time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, time.UTC), true
}

// within gives the wall time that a series which begins at start has for a time that
// names one of its occurrences: a day alone names it whatever the hour, and of whole
// days the hour says nothing. It is false where a zone is not known.
func (c *clocks) within(t, start *dateTime) (time.Time, bool) {
	const day = 24 * time.Hour
	switch {
	case t.day && !start.day:
		return t.wall.Add(start.wall.Sub(start.wall.Truncate(day))), true
	case start.day && !t.day:
		return c.local(t).Truncate(day), true
	}
	return c.in(t, start)
}

// local gives the wall time of the calendar's own clock, where both are known.
func (c *clocks) local(t *dateTime) time.Time {
	if !t.utc {
		return t.wall
	}
	wall, _ := c.in(t, &dateTime{}) // UTC is known
	return wall
}

func (c *clocks) location(t *dateTime) (*time.Location, bool) {
	if t.utc {
		return time.UTC, true
	}
	zone := c.zone // by which a floating time is read
	if t.tzid != "" {
		zone = c.zoneName(t.tzid)
	}
	location, err := schema.LoadZone(zone)
	return location, err == nil
}

// zoneName gives the IANA name of a TZID: itself, what Windows calls it, what
// the text's own definition says, or the end of a path such as
// /example.org/20260101/Europe/Berlin. One that stays unknown is given as it is,
// so that whoever checks it can name it.
func (c *clocks) zoneName(tzid string) string {
	tzid = strings.TrimSpace(tzid)
	for _, name := range []string{tzid, c.names[tzid], windowsZones[tzid], windowsZones[c.names[tzid]]} {
		if known(name) {
			return name
		}
	}
	for rest := strings.Trim(tzid, "/"); ; {
		_, after, found := strings.Cut(rest, "/")
		if !found {
			return tzid
		}
		if rest = after; strings.Contains(rest, "/") && known(rest) {
			return rest
		}
	}
}

func known(zone string) bool {
	if zone == "" {
		return false
	}
	_, err := schema.LoadZone(zone)
	return err == nil
}
