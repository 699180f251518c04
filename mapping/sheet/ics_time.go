package sheet

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"eventbatch/mapping/schema"
)

// icsTime is a date, a wall time or an instant. Wall holds the numbers as they
// are written, as if they were of UTC.
type icsTime struct {
	wall time.Time
	day  bool // a date alone
	utc  bool
	tzid string
}

func parseICSTime(p *ics.BaseProperty) (*icsTime, error) {
	return readICSTime(p.Value, parameter(p, "TZID"))
}

func readICSTime(text, tzid string) (*icsTime, error) {
	t := &icsTime{tzid: tzid}
	digits, utc := strings.CutSuffix(strings.TrimSpace(text), "Z")
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

// appendICSTimes reads the list of an RDATE or EXDATE. Of a period, its start counts.
func appendICSTimes(times []*icsTime, p *ics.BaseProperty) ([]*icsTime, error) {
	tzid := parameter(p, "TZID")
	for text := range strings.SplitSeq(p.Value, ",") {
		start, _, _ := strings.Cut(text, "/")
		t, err := readICSTime(start, tzid)
		if err != nil {
			return nil, err
		}
		times = append(times, t)
	}
	return times, nil
}

// cell writes the time as a cell: an instant with its Z, everything else as a
// wall time; a date is the midnight that it begins with.
func (t *icsTime) cell() string {
	if t.utc {
		return t.wall.Format("2006-01-02T15:04:05Z")
	}
	return t.wall.Format("2006-01-02T15:04:05")
}

// stamp names an occurrence for good by the start that its rule gave it.
func (t *icsTime) stamp() string {
	switch {
	case t.day:
		return t.wall.Format("20060102")
	case t.utc:
		return t.wall.Format("20060102T150405Z")
	}
	return t.wall.Format("20060102T150405")
}

// in gives the wall time of the clock that another time is written by; false
// where a zone is not known.
func (c *icsCalendar) in(t, other *icsTime) (time.Time, bool) {
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
func (c *icsCalendar) within(t, start *icsTime) (time.Time, bool) {
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
func (c *icsCalendar) local(t *icsTime) time.Time {
	if !t.utc {
		return t.wall
	}
	wall, _ := c.in(t, &icsTime{}) // UTC is known
	return wall
}

func (c *icsCalendar) location(t *icsTime) (*time.Location, bool) {
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
// the file's own definition says, or the end of a path such as
// /example.org/20260101/Europe/Berlin. One that stays unknown is given as it is:
// the row's problem names it.
func (c *icsCalendar) zoneName(tzid string) string {
	tzid = strings.TrimSpace(tzid)
	for _, name := range []string{tzid, c.zones[tzid], windowsZones[tzid], windowsZones[c.zones[tzid]]} {
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

// icsLength is a DURATION: days are of the calendar, the rest is of the clock.
type icsLength struct {
	days  int
	clock time.Duration
}

// parseICSLength reads P1W, P1DT2H, PT90M.
func parseICSLength(text string) (icsLength, error) {
	var l icsLength
	bad := fmt.Errorf("%.40q is not a length of time", text)
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "+"), "P")
	if !ok || rest == "" {
		return l, bad
	}
	date, clock, timed := strings.Cut(rest, "T")
	if timed && clock == "" {
		return l, bad
	}
	for part, units := range map[string]string{date: "WD", clock: "HMS"} {
		for part != "" {
			n := 0
			for n < len(part) && part[n] >= '0' && part[n] <= '9' {
				n++
			}
			count, err := strconv.Atoi(part[:n])
			if err != nil || count > 1_000_000 || n == len(part) {
				return l, bad
			}
			at := strings.IndexByte(units, part[n])
			if at < 0 {
				return l, bad
			}
			switch part[n] {
			case 'W':
				l.days += 7 * count
			case 'D':
				l.days += count
			case 'H':
				l.clock += time.Duration(count) * time.Hour
			case 'M':
				l.clock += time.Duration(count) * time.Minute
			case 'S':
				l.clock += time.Duration(count) * time.Second
			}
			part, units = part[n+1:], units[at+1:]
		}
	}
	return l, nil
}
