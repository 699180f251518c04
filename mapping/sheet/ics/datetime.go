package ics

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	ical "github.com/arran4/golang-ical"
)

// dateTime is a DATE or a DATE-TIME (RFC 5545, sections 3.3.4 and 3.3.5): a day, a
// wall time or an instant. Wall holds the numbers as they are written, as if they
// were of UTC.
type dateTime struct {
	wall time.Time
	day  bool // a date alone
	utc  bool
	tzid string // empty for a day, an instant and a floating time
}

func dateTimeOf(p *ical.BaseProperty) (*dateTime, error) {
	return parseDateTime(p.Value, parameter(p, "TZID"))
}

// errEmpty is why a property without a value cannot be read.
var errEmpty = errors.New("it is empty")

// parseDateTime reads 20270108, 20270108T180000 and 20270108T180000Z.
func parseDateTime(text, tzid string) (*dateTime, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errEmpty
	}
	t := &dateTime{tzid: tzid}
	digits, utc := strings.CutSuffix(text, "Z")
	t.utc = utc
	layout := "20060102T150405"
	if len(digits) == len("20060102") {
		layout, t.day = "20060102", true
	}
	wall, err := time.Parse(layout, digits)
	if err != nil || len(digits) != len(layout) || t.day && utc {
		return nil, fmt.Errorf("%.40q is neither a date nor a time", text)
	}
	t.wall = wall
	if t.utc || t.day {
		t.tzid = ""
	}
	return t, nil
}

// floats reports whether the time is of no clock in particular.
func (t *dateTime) floats() bool { return !t.utc && !t.day && t.tzid == "" }

// at returns another time of the same kind by the same clock.
func (t *dateTime) at(wall time.Time) *dateTime {
	return &dateTime{wall: wall, day: t.day, utc: t.utc, tzid: t.tzid}
}

// String writes an instant with its Z, everything else as a wall time; a date is
// the midnight that it begins with.
func (t *dateTime) String() string {
	if t.utc {
		return t.wall.Format("2006-01-02T15:04:05Z")
	}
	return t.wall.Format("2006-01-02T15:04:05")
}

// stamp names an occurrence for good by the start that its rule gave it.
func (t *dateTime) stamp() string {
	switch {
	case t.day:
		return t.wall.Format("20060102")
	case t.utc:
		return t.wall.Format("20060102T150405Z")
	}
	return t.wall.Format("20060102T150405")
}

// date is one of an RDATE or EXDATE. As a period (RFC 5545, section 3.3.9) it also says
// how long the occurrence takes that begins there.
type date struct {
	start  *dateTime
	end    *dateTime // nil where the date has no end
	length *duration // likewise
}

// appendDates reads the list of an RDATE or EXDATE.
func appendDates(dates []*date, p *ical.BaseProperty) ([]*date, error) {
	tzid := parameter(p, "TZID")
	for text := range strings.SplitSeq(p.Value, ",") {
		start, until, period := strings.Cut(text, "/")
		t, err := parseDateTime(start, tzid)
		if err != nil {
			return nil, err
		}
		d := &date{start: t}
		switch until = strings.TrimSpace(until); {
		case !period:
		case strings.HasPrefix(until, "P"), strings.HasPrefix(until, "+"):
			d.length, err = parseDuration(until)
		default:
			d.end, err = parseDateTime(until, tzid)
		}
		if err != nil {
			return nil, err
		}
		dates = append(dates, d)
	}
	return dates, nil
}

// duration is a DURATION (RFC 5545, section 3.3.6): days are of the calendar, the
// rest is of the clock.
type duration struct {
	days  int
	clock time.Duration
}

func durationOf(p *ical.BaseProperty) (*duration, error) { return parseDuration(p.Value) }

// parseDuration reads P1W, P1DT2H, PT90M.
func parseDuration(text string) (*duration, error) {
	d := new(duration)
	bad := fmt.Errorf("%.40q is not a length of time", text)
	rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(text), "+"), "P")
	if !ok || rest == "" {
		return nil, bad
	}
	days, clock, timed := strings.Cut(rest, "T")
	if timed && clock == "" {
		return nil, bad
	}
	for _, half := range [...]struct{ part, units string }{{days, "WD"}, {clock, "HMS"}} {
		for part, units := half.part, half.units; part != ""; {
			n := 0
			for n < len(part) && part[n] >= '0' && part[n] <= '9' {
				n++
			}
			count, err := strconv.Atoi(part[:n])
			if err != nil || count > 1_000_000 || n == len(part) {
				return nil, bad
			}
			at := strings.IndexByte(units, part[n])
			if at < 0 {
				return nil, bad
			}
			switch part[n] {
			case 'W':
				d.days += 7 * count
			case 'D':
				d.days += count
			case 'H':
				d.clock += time.Duration(count) * time.Hour
			case 'M':
				d.clock += time.Duration(count) * time.Minute
			case 'S':
				d.clock += time.Duration(count) * time.Second
			}
			part, units = part[n+1:], units[at+1:]
		}
	}
	return d, nil
}
