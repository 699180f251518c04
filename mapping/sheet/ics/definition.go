package ics

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	ical "github.com/arran4/golang-ical"
)

// definition is a time zone that a calendar defines by its own rules (VTIMEZONE; RFC 5545,
// section 3.6.5).
type definition struct {
	place string // X-LIC-LOCATION
	parts []*observance
	err   error // what of it cannot be read
}

// observance is a STANDARD or a DAYLIGHT part: from when on the clocks differ from UTC by To.
type observance struct {
	start    *dateTime
	from, to *time.Duration
	rules    []*rule
	dates    []*date
}

func (o *observance) take(name string, p *ical.BaseProperty) error {
	var err error
	switch name {
	case "DTSTART":
		o.start, err = dateTimeOf(p)
	case "TZOFFSETFROM":
		o.from, err = parseOffset(p.Value)
	case "TZOFFSETTO":
		o.to, err = parseOffset(p.Value)
	case "RRULE":
		o.rules, err = appendRule(o.rules, 0, p)
	case "RDATE":
		o.dates, err = appendDates(o.dates, p)
	}
	return err
}

// shift is an instant from which on a zone has another offset.
type shift struct {
	at     time.Time
	offset time.Duration
}

// lastShift bounds the shifts of a zone whose rules go on for ever.
var lastShift = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// mostShifts is more than two a year since clocks are changed.
const mostShifts = 2_000

// offsets returns the zone's offset from UTC by the instant.
func (d *definition) offsets() (func(time.Time) time.Duration, error) {
	if d.err != nil {
		return nil, d.err
	}
	if len(d.parts) == 0 {
		return nil, errors.New("it has neither STANDARD nor DAYLIGHT")
	}
	var shifts []shift
	first := d.parts[0]
	for _, o := range d.parts {
		if o.start == nil || o.from == nil || o.to == nil {
			return nil, errors.New("DTSTART, TZOFFSETFROM or TZOFFSETTO is missing")
		}
		if o.start.wall.Before(first.start.wall) {
			first = o
		}
		starts, err := o.starts()
		if err != nil {
			return nil, err
		}
		for _, wall := range starts {
			shifts = append(shifts, shift{wall.Add(-*o.from), *o.to})
		}
	}
	slices.SortStableFunc(shifts, func(a, b shift) int { return a.at.Compare(b.at) })
	return func(at time.Time) time.Duration {
		i, found := slices.BinarySearchFunc(shifts, at, func(s shift, at time.Time) int { return s.at.Compare(at) })
		switch {
		case found:
			return shifts[i].offset
		case i == 0:
			return *first.from
		}
		return shifts[i-1].offset
	}, nil
}

// starts lists when the observance begins, by the clock before it.
func (o *observance) starts() ([]time.Time, error) {
	starts := []time.Time{o.start.wall}
	for _, d := range o.dates {
		wall := d.start.wall
		if d.start.utc {
			wall = wall.Add(*o.from)
		}
		starts = append(starts, wall)
	}
	for _, r := range o.rules {
		option := r.option
		option.Dtstart, option.Until = o.start.wall, lastShift
		if r.until != nil {
			if option.Until = r.until.wall; r.until.utc {
				option.Until = option.Until.Add(*o.from)
			}
		}
		more, err := expand(option, mostShifts)
		if err != nil {
			return nil, fmt.Errorf("RRULE %.80q: %w", r.text, err)
		}
		starts = append(starts, more...)
	}
	return starts, nil
}

// parseOffset reads +0100, -0500 and +005328.
func parseOffset(text string) (*time.Duration, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "+-")
	n, err := strconv.Atoi(digits)
	if len(digits) == 4 {
		n *= 100
	}
	hours, minutes, seconds := n/10_000, n/100%100, n%100
	if err != nil || len(text) != len(digits)+1 || len(digits) != 4 && len(digits) != 6 || hours > 23 || minutes > 59 || seconds > 59 {
		return nil, fmt.Errorf("%.40q is not an offset from UTC", text)
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second
	if text[0] == '-' {
		offset = -offset
	}
	return &offset, nil
}

// fail notes the first thing of the zone that cannot be read.
func (d *definition) fail(line int, err error) {
	if d.err == nil {
		d.err = fmt.Errorf("line %d: %w", line, err)
	}
}
