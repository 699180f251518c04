package sheet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"eventbatch/mapping/schema"
)

// icsOccurrence is one event as it takes place once.
type icsOccurrence struct {
	event *icsEvent
	key   string
	start *icsTime
	end   string // as a cell
	zone  string
}

// icsSeries makes the occurrences of a calendar's events.
type icsSeries struct {
	calendar *icsCalendar
	horizon  time.Time // until when a series without an end is read; zero: two years from its start
	most     int       // occurrences of one event
	limits   Limits

	cut, firstCut int    // series without an end: how many, the first one's line
	until         string // when they were cut
}

// replacement names the occurrence that an event with a RECURRENCE-ID stands for.
type replacement struct{ uid, stamp string }

func (s *icsSeries) unroll(ctx context.Context) ([]icsOccurrence, error) {
	instead := map[replacement]*icsEvent{}
	masters := map[string]*icsEvent{}
	for _, e := range s.calendar.events {
		if e.replaces == nil && masters[e.uid()] == nil {
			masters[e.uid()] = e
		}
	}
	var again []loose
	for _, e := range s.calendar.events {
		if e.replaces == nil {
			continue
		}
		r := replacement{e.uid(), s.original(masters[e.uid()], e.replaces).stamp()}
		if r.uid == "" || instead[r] != nil {
			again = append(again, loose{e, r.stamp}) // a row of its own, so that it is not lost
			continue
		}
		instead[r] = e
	}
	var all []icsOccurrence
	for _, e := range s.calendar.events {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.replaces != nil {
			continue
		}
		if e.start == nil {
			return nil, s.refuse(e, "", errors.New("the event has no DTSTART"))
		}
		starts, err := s.starts(e)
		if err != nil {
			return nil, s.refuse(e, "", err)
		}
		for _, start := range starts {
			stands, key := e, e.uid()
			if e.recurs() && key != "" {
				key += "_" + start.stamp()
			}
			if other := instead[replacement{e.uid(), start.stamp()}]; other != nil && e.recurs() {
				delete(instead, replacement{e.uid(), start.stamp()})
				if stands = other; other.start != nil {
					start = other.start
				}
			}
			o, err := s.occurrence(stands, e, key, start)
			if err != nil {
				return nil, s.refuse(stands, "", err)
			}
			all = append(all, o)
		}
		if s.limits.Rows > 0 && len(all) > s.limits.Rows {
			return nil, refuse(schema.CodeTooManyRows, schema.Place{File: s.calendar.file, Line: e.line, Column: -1}, "", "more than %d rows", s.limits.Rows)
		}
	}
	for r, e := range instead {
		again = append(again, loose{e, r.stamp})
	}
	return s.strays(all, again)
}

// loose is an event with a RECURRENCE-ID that stands for no occurrence of a series,
// and the stamp of the one that it names.
type loose struct {
	*icsEvent

	stamp string
}

// strays adds the occurrences that were moved out of a series which the file
// does not hold, or not so far, and those that another has replaced already.
func (s *icsSeries) strays(all []icsOccurrence, strays []loose) ([]icsOccurrence, error) {
	slices.SortFunc(strays, func(a, b loose) int { return cmp.Compare(a.line, b.line) })
	for _, e := range strays {
		start := e.start
		if start == nil {
			start = e.replaces
		}
		key := e.uid()
		if key != "" {
			key += "_" + e.stamp
		}
		o, err := s.occurrence(e.icsEvent, e.icsEvent, key, start)
		if err != nil {
			return nil, s.refuse(e.icsEvent, "", err)
		}
		all = append(all, o)
	}
	return all, nil
}

func (s *icsSeries) refuse(e *icsEvent, hint string, err error) error {
	return s.calendar.refuse(e.line, hint, "the event %.60q: %w", e.text["SUMMARY"], err)
}

func (e *icsEvent) uid() string  { return e.text["UID"] }
func (e *icsEvent) recurs() bool { return len(e.rules) > 0 || len(e.added) > 0 }

// original brings a RECURRENCE-ID to the clock of its series, by which the
// series names its occurrences.
func (s *icsSeries) original(master *icsEvent, id *icsTime) *icsTime {
	if master == nil || master.start == nil {
		return id
	}
	wall, ok := s.calendar.within(id, master.start)
	if !ok {
		return id
	}
	return &icsTime{wall: wall, day: master.start.day, utc: master.start.utc, tzid: master.start.tzid}
}

// starts lists when an event begins, in order: once, or as often as it recurs.
// A rule speaks of wall times, so it is unrolled by the numbers of the wall
// clock; whether each of them is real is found out where the row is read.
func (s *icsSeries) starts(e *icsEvent) ([]*icsTime, error) {
	if !e.recurs() {
		return []*icsTime{e.start}, nil
	}
	var set rrule.Set
	set.DTStart(e.start.wall)
	set.RDate(e.start.wall)
	endless := false
	for _, text := range e.rules {
		rule, open, err := s.rule(e, text)
		if err != nil {
			return nil, fmt.Errorf("RRULE %.80q: %w", text, err)
		}
		endless = endless || open
		set.RRule(rule)
	}
	for _, list := range []struct {
		times []*icsTime
		to    func(time.Time)
	}{{e.added, set.RDate}, {e.left, set.ExDate}} {
		for _, t := range list.times {
			wall, ok := s.calendar.within(t, e.start)
			if !ok {
				return nil, fmt.Errorf("the zone %q is not known", cmp.Or(t.tzid, e.start.tzid))
			}
			list.to(wall)
		}
	}
	var starts []*icsTime
	for next := set.Iterator(); ; {
		wall, ok := next()
		if !ok {
			break
		}
		if len(starts) == s.most {
			return nil, fmt.Errorf("it takes place more than %d times", s.most)
		}
		starts = append(starts, &icsTime{wall: wall, day: e.start.day, utc: e.start.utc, tzid: e.start.tzid})
	}
	if endless {
		if s.cut++; s.cut == 1 {
			s.firstCut = e.line
		}
	}
	return starts, nil
}

// longest is as far as a rule with an end is followed: one that fits no day
// before its end would be searched for ever.
const longest = 100 * 366 * 24 * time.Hour

// rule reads one RRULE; open tells that it has no end of its own.
func (s *icsSeries) rule(e *icsEvent, text string) (_ *rrule.RRule, open bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read: %v", r)
		}
	}()
	for part := range strings.SplitSeq(text, ";") {
		if name, _, _ := strings.Cut(part, "="); strings.EqualFold(name, "DTSTART") {
			return nil, false, errors.New("it holds a DTSTART")
		}
	}
	option, err := rrule.StrToROption(text)
	if err != nil {
		return nil, false, err
	}
	if option.Freq == rrule.MINUTELY || option.Freq == rrule.SECONDLY {
		return nil, false, errors.New("an event every minute is not read")
	}
	option.Dtstart = e.start.wall
	switch {
	case !option.Until.IsZero():
		if option.Until, err = s.end(e, text, option.Until); err != nil {
			return nil, false, err
		}
	case option.Count == 0:
		open = true
		if option.Until = s.horizon; s.horizon.IsZero() {
			option.Until = e.start.wall.AddDate(2, 0, 0)
		}
		s.until = option.Until.Format(time.DateOnly)
	}
	if far := e.start.wall.Add(longest); option.Until.IsZero() || option.Until.After(far) {
		option.Until = far
	}
	rule, err := rrule.NewRRule(*option)
	return rule, open, err
}

// end brings an UNTIL to the event's own clock. One that names a day alone means
// the whole of it.
func (s *icsSeries) end(e *icsEvent, rule string, until time.Time) (time.Time, error) {
	for part := range strings.SplitSeq(rule, ";") {
		name, value, _ := strings.Cut(part, "=")
		if !strings.EqualFold(name, "UNTIL") {
			continue
		}
		t, err := readICSTime(value, e.start.tzid)
		if err != nil {
			return until, err
		}
		if t.day {
			return t.wall.Add(24*time.Hour - time.Second), nil
		}
		wall, ok := s.calendar.in(t, e.start)
		if !ok {
			return until, fmt.Errorf("the zone %q is not known", e.start.tzid)
		}
		return wall, nil
	}
	return until, nil
}

// occurrence makes the row of an event that begins at start. Where the event is
// one of a series, master is what the series is made of.
func (s *icsSeries) occurrence(e, master *icsEvent, key string, start *icsTime) (icsOccurrence, error) {
	o := icsOccurrence{event: e, key: key, start: start}
	switch {
	case start.tzid != "":
		o.zone = s.calendar.zoneName(start.tzid)
	default:
		o.zone = s.calendar.zone
	}
	from := e
	if e.end == nil && e.duration == "" {
		from = master
	}
	var err error
	o.end, err = s.endCell(from, start)
	return o, err
}

// endCell gives the end of an event that begins at start, as a cell; empty where
// the event does not say.
func (s *icsSeries) endCell(e *icsEvent, start *icsTime) (string, error) {
	switch {
	case e.duration != "":
		length, err := parseICSLength(e.duration)
		if err != nil {
			return "", fmt.Errorf("DURATION: %w", err)
		}
		return s.after(start, length), nil
	case e.end == nil && start.day:
		return s.after(start, icsLength{days: 1}), nil
	case e.end == nil:
		return "", nil
	case e.start == nil:
		return e.end.cell(), nil
	}
	// The lengths of all occurrences are alike, by the clock that the start is
	// written by.
	end, ok := s.calendar.in(e.end, e.start)
	if !ok {
		return "", fmt.Errorf("DTEND: the zone %q is not known", cmp.Or(e.end.tzid, e.start.tzid))
	}
	return (&icsTime{wall: start.wall.Add(end.Sub(e.start.wall)), utc: start.utc}).cell(), nil
}

// after adds a length to a time: days by the calendar, the rest by the clock,
// which a change of the clock in between does not stop.
func (s *icsSeries) after(start *icsTime, length icsLength) string {
	wall := start.wall.AddDate(0, 0, length.days)
	if location, ok := s.calendar.location(start); ok && start.tzid != "" && length.clock != 0 {
		from := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, location)
		return from.Add(length.clock).Format(time.RFC3339)
	}
	return (&icsTime{wall: wall.Add(length.clock), utc: start.utc}).cell()
}
