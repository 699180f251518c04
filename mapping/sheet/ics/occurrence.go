package ics

import (
	"cmp"
	"fmt"
)

// occasion is when an event takes place once, and for how long, where that is another time
// than the event's own.
type occasion struct {
	start  *dateTime
	length *duration
}

// place says when an event takes place. Master is the series that it is of, else the event itself.
func (o *Occurrence) place(e, master *event, at occasion) error {
	c := e.clocks
	z := c.zone(at.start.tzid)
	if z.broken && !at.start.utc && !at.start.day {
		return z.err
	}
	o.Zone, o.Start = cmp.Or(z.name, c.zone("").name), c.written(at.start)
	from := e
	if e.end == nil && e.length == nil {
		from = master
	}
	switch {
	case from == master && at.length != nil:
		o.End = c.after(at.start, at.length)
	case from.length != nil:
		o.End = c.after(at.start, from.length)
	case from.end != nil && from.start == nil:
		o.End = c.written(from.end)
	case from.end != nil:
		// The lengths of all occurrences are alike, by the clock that the start is written by.
		end, err := c.in(from.end, from.start)
		if err != nil {
			return fmt.Errorf("DTEND: %w", err)
		}
		o.End = c.written(at.start.at(at.start.wall.Add(end.Sub(from.start.wall))))
	case at.start.day:
		o.End = c.after(at.start, &duration{days: 1}) // a day ends with itself
	}
	// An end that is the start says as much as none (RFC 5545, 3.6.1).
	switch {
	case o.End != o.Start:
	case at.start.day:
		o.End = c.after(at.start, &duration{days: 1})
	default:
		o.End = ""
	}
	return nil
}

// takes returns how long a period is; nil for a date that is none.
func (c *clocks) takes(d *date) (*duration, error) {
	if d.end == nil {
		return d.length, nil
	}
	end, err := c.in(d.end, d.start)
	if err != nil {
		return nil, err
	}
	if z := c.zone(d.start.tzid); !d.start.utc && !d.start.day && z.err == nil {
		return &duration{clock: z.instant(end).Sub(z.instant(d.start.wall))}, nil
	}
	return &duration{clock: end.Sub(d.start.wall)}, nil
}
