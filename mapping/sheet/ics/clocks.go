package ics

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/value"
)

// clocks are the time zones that a calendar speaks of.
type clocks struct {
	own     string                 // TZID of the calendar itself (X-WR-TIMEZONE), by which floating times are read; empty for none
	defined map[string]*definition // by TZID, folded
	found   map[string]*zone       // by TZID, as they were looked up
}

// zone is what a TZID stands for. Name is what a row says: the IANA name, nothing for a
// zone that only the calendar defines, or the TZID itself where nobody knows it.
type zone struct {
	name   string
	offset func(time.Time) time.Duration // from UTC at an instant; nil where the zone is not known
	err    error                         // why it is not
	broken bool                          // for its definition cannot be read
}

// zone returns what a TZID stands for, the empty one for the calendar's own.
func (c *clocks) zone(tzid string) *zone {
	if tzid == "" {
		tzid = c.own
	}
	z := c.found[tzid]
	if z == nil {
		z = c.find(tzid)
		c.found[tzid] = z
	}
	return z
}

// find looks a TZID up: as a name that others know, then in the calendar's own definitions.
func (c *clocks) find(tzid string) *zone {
	if tzid == "" {
		return &zone{err: errors.New("there is no time zone")}
	}
	d := c.defined[datetime.FoldZone(tzid)]
	name := zoneName(tzid)
	if d != nil && (name == "" || datetime.FixedOffset(tzid)) { // GMT+1 may well have a summer time here
		name = zoneName(d.place)
	}
	if location, err := value.LoadZone(name); err == nil {
		return &zone{name: name, offset: func(at time.Time) time.Duration {
			_, seconds := at.In(location).Zone()
			return time.Duration(seconds) * time.Second
		}}
	}
	if d == nil {
		return &zone{name: tzid, err: fmt.Errorf("the time zone %.60q is not known", tzid)}
	}
	offset, err := d.offsets()
	if err != nil {
		return &zone{name: tzid, err: fmt.Errorf("the time zone %.60q cannot be read: %w", tzid, err), broken: true}
	}
	return &zone{offset: offset}
}

// instant returns when it is that time by the clocks of the zone: the first of two where
// the clock is set back, and by the offset before where it is put forward over the time
// (RFC 5545, section 3.3.5).
func (z *zone) instant(wall time.Time) time.Time {
	before, after := z.offset(wall.Add(-day)), z.offset(wall.Add(day))
	first, second := wall.Add(-before), wall.Add(-after)
	if z.offset(first) != before && z.offset(second) == after {
		return second
	}
	return first
}

// wall returns what the clocks of the zone show.
func (z *zone) wall(at time.Time) time.Time { return at.Add(z.offset(at)) }

// instantOf returns when a time is that names no whole day.
func (c *clocks) instantOf(t *dateTime) (time.Time, error) {
	if t.utc {
		return t.wall, nil
	}
	z := c.zone(t.tzid)
	if z.err != nil {
		return time.Time{}, z.err
	}
	return z.instant(t.wall), nil
}

// in returns the wall time of the clock that another time is written by.
func (c *clocks) in(t, other *dateTime) (time.Time, error) {
	switch {
	case t.day || other.day, t.utc && other.utc, !t.utc && !other.utc && t.tzid == other.tzid:
		return t.wall, nil
	case t.floats(), other.floats() && c.zone("").err != nil:
		return t.wall, nil // a floating time is of whatever clock it is read by
	}
	at, err := c.instantOf(t)
	if err != nil || other.utc {
		return at, err
	}
	z := c.zone(other.tzid)
	if z.err != nil {
		return time.Time{}, z.err
	}
	return z.wall(at), nil
}

// within returns the wall time that a series which begins at start has for a time that
// names one of its occurrences: a day alone names it whatever the hour, and of whole
// days the hour says nothing.
func (c *clocks) within(t, start *dateTime) (time.Time, error) {
	switch {
	case t.day && !start.day:
		return t.wall.Add(start.wall.Sub(start.wall.Truncate(day))), nil
	case start.day && t.utc:
		if midnight, ok := c.midnight(t); ok {
			return midnight, nil
		}
		wall, err := c.in(t, &dateTime{}) // as the calendar's own clock shows it, where it has one
		return wall.Truncate(day), err
	case start.day:
		return t.wall.Truncate(day), nil
	}
	return c.in(t, start)
}

const day = 24 * time.Hour

// midnight returns the day that begins at an instant, by the calendar's own clock or that of a
// zone that the calendar defines. Programs that keep whole days as times name them so.
func (c *clocks) midnight(t *dateTime) (time.Time, bool) {
	for _, tzid := range append([]string{""}, slices.Sorted(maps.Keys(c.defined))...) {
		if z := c.zone(tzid); z.err == nil {
			if wall := z.wall(t.wall); wall.Equal(wall.Truncate(day)) {
				return wall, true
			}
		}
	}
	return time.Time{}, false
}

// written returns a time as a row has it: as [dateTime.String] writes it, with its offset
// where no name tells a reader of the row what zone it is of.
func (c *clocks) written(t *dateTime) string {
	if t.utc || t.day {
		return t.String()
	}
	z := c.zone(t.tzid)
	if z.name != "" || z.err != nil {
		return t.String()
	}
	return z.written(z.instant(t.wall))
}

// written returns an instant with the zone's offset.
func (z *zone) written(at time.Time) string {
	return at.In(time.FixedZone("", int(z.offset(at)/time.Second))).Format(time.RFC3339)
}

// zoneName returns the IANA name of a TZID: itself, what Windows calls it, or the end of
// a path such as /example.org/20260101/Europe/Berlin. It is empty for an unknown one.
func zoneName(tzid string) string {
	rest := strings.Trim(strings.TrimSpace(tzid), `"`)
	if name := knownZone(rest); name != "" {
		return name
	}
	for rest = strings.TrimLeft(rest, "/"); strings.Contains(rest, "/"); {
		if name := knownZone(rest); name != "" {
			return name
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return ""
}

func knownZone(name string) string {
	if zone, fault := datetime.LoadZone(name); fault == nil {
		return zone.Name
	}
	if zone := datetime.WindowsZone(name); zone != "" {
		return zone
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "gmt", "z", "tzone://microsoft/utc":
		return "UTC"
	}
	return ""
}

// after adds a length to a time: days by the calendar, the rest by the clock,
// which a change of the clock in between does not stop.
func (c *clocks) after(start *dateTime, length *duration) string {
	wall := start.wall.AddDate(0, 0, length.days)
	if z := c.zone(start.tzid); length.clock != 0 && !start.utc && !start.day && z.err == nil {
		return z.written(z.instant(wall).Add(length.clock))
	}
	return c.written(start.at(wall.Add(length.clock)))
}
