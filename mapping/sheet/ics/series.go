package ics

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

// series makes the occurrences of a calendar's events (RFC 5545, section 3.8.5).
type series struct {
	config Config
	clocks clocks

	endless Tally
	until   time.Time // when the last of them was cut
}

// replacement names the occurrence that an event with a RECURRENCE-ID stands for.
type replacement struct{ uid, stamp string }

func (s *series) unroll(ctx context.Context, events []*event) ([]Occurrence, error) {
	instead := map[replacement]*event{}
	masters := map[string]*event{}
	for _, e := range events {
		if e.replaces == nil && masters[e.uid()] == nil {
			masters[e.uid()] = e
		}
	}
	var again []loose
	for _, e := range events {
		if e.replaces == nil {
			continue
		}
		r := replacement{e.uid(), s.original(masters[e.uid()], e.replaces).stamp()}
		if r.uid == "" || instead[r] != nil {
			again = append(again, loose{e, r.stamp}) // an occurrence of its own, so that it is not lost
			continue
		}
		instead[r] = e
	}
	var all []Occurrence
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.replaces != nil {
			continue
		}
		if e.start == nil {
			return nil, e.refuse(errors.New("the event has no DTSTART"))
		}
		starts, err := s.starts(e)
		if err != nil {
			return nil, e.refuse(err)
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
				return nil, stands.refuse(err)
			}
			all = append(all, o)
		}
		if err := s.fits(len(all), e); err != nil {
			return nil, err
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
	*event

	stamp string
}

// strays adds the occurrences that were moved out of a series which the text
// does not hold, or not so far, and those that another has replaced already.
func (s *series) strays(all []Occurrence, strays []loose) ([]Occurrence, error) {
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
		o, err := s.occurrence(e.event, e.event, key, start)
		if err != nil {
			return nil, e.refuse(err)
		}
		all = append(all, o)
		if err := s.fits(len(all), e.event); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fits refuses the event with which there are more occurrences than are wanted.
func (s *series) fits(n int, e *event) error {
	if most := s.config.Rows; most > 0 && n > most {
		return &Error{Line: e.line, Code: schema.CodeTooManyRows, Err: fmt.Errorf("more than %d rows", most)}
	}
	return nil
}

// original brings a RECURRENCE-ID to the clock of its series, by which the
// series names its occurrences.
func (s *series) original(master *event, id *dateTime) *dateTime {
	if master == nil || master.start == nil {
		return id
	}
	wall, ok := s.clocks.within(id, master.start)
	if !ok {
		return id
	}
	return master.start.at(wall)
}

// starts lists when an event begins, in order: once, or as often as it recurs.
// A rule speaks of wall times, so it is unrolled by the numbers of the wall
// clock; whether each of them is real is found out by whoever reads the cell.
func (s *series) starts(e *event) ([]*dateTime, error) {
	if !e.recurs() {
		return []*dateTime{e.start}, nil
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
		times []*dateTime
		to    func(time.Time)
	}{{e.added, set.RDate}, {e.left, set.ExDate}} {
		for _, t := range list.times {
			wall, ok := s.clocks.within(t, e.start)
			if !ok {
				return nil, fmt.Errorf("the zone %q is not known", cmp.Or(t.tzid, e.start.tzid))
			}
			list.to(wall)
		}
	}
	var starts []*dateTime
	for next := set.Iterator(); ; {
		wall, ok := next()
		if !ok {
			break
		}
		if len(starts) == s.config.Occurrences {
			return nil, fmt.Errorf("it takes place more than %d times", s.config.Occurrences)
		}
		starts = append(starts, e.start.at(wall))
	}
	if endless {
		s.endless.add(e.line)
	}
	return starts, nil
}

// longest is as far as a rule with an end is followed: one that fits no day
// before its end would be searched for ever.
const longest = 100 * 366 * 24 * time.Hour

// rule reads one RRULE; open tells that it has no end of its own.
func (s *series) rule(e *event, text string) (_ *rrule.RRule, open bool, err error) {
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
		if option.Until, err = s.lastOf(e, text, option.Until); err != nil {
			return nil, false, err
		}
	case option.Count == 0:
		open = true
		if option.Until = s.config.Horizon; option.Until.IsZero() {
			option.Until = e.start.wall.AddDate(2, 0, 0)
		}
		s.until = option.Until
	}
	if far := e.start.wall.Add(longest); option.Until.IsZero() || option.Until.After(far) {
		option.Until = far
	}
	rule, err := rrule.NewRRule(*option)
	return rule, open, err
}

// lastOf brings the UNTIL of a rule to the event's own clock. One that names a day
// alone means the whole of it.
func (s *series) lastOf(e *event, rule string, until time.Time) (time.Time, error) {
	for part := range strings.SplitSeq(rule, ";") {
		name, value, _ := strings.Cut(part, "=")
		if !strings.EqualFold(name, "UNTIL") {
			continue
		}
		t, err := parseDateTime(value, e.start.tzid)
		if err != nil {
			return until, err
		}
		if t.day {
			return t.wall.Add(24*time.Hour - time.Second), nil
		}
		wall, ok := s.clocks.in(t, e.start)
		if !ok {
			return until, fmt.Errorf("the zone %q is not known", e.start.tzid)
		}
		return wall, nil
	}
	return until, nil
}
