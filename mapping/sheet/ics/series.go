package ics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/teambition/rrule-go"

	"eventbatch/mapping/schema"
)

// series makes the occurrences of a calendar's events (RFC 5545, section 3.8.5).
type series struct {
	config Config

	all     []Occurrence
	endless Tally
	until   time.Time // when the last of them was cut
}

func (s *series) unroll(ctx context.Context, events []*event, v *versions) error {
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.changes || !v.counts(e) && !e.passedOver {
			continue
		}
		if err := s.unrollOne(e, v); err != nil {
			return err
		}
	}
	// What is left was moved out of a series which the text does not hold, or not so far.
	strays := v.loose
	for of, e := range v.changed {
		strays = append(strays, stray{e, of})
	}
	slices.SortFunc(strays, func(a, b stray) int { return cmp.Compare(a.line, b.line) })
	for _, e := range strays {
		if err := s.add(e.event, e.event, occasion{start: cmp.Or(e.start, e.replaces)}, e.of.key()); err != nil {
			return err
		}
	}
	return nil
}

// unrollOne adds the occurrences of an event, each as it is or as it was changed, which
// takes the change from the versions.
func (s *series) unrollOne(e *event, v *versions) error {
	var occasions []occasion
	if e.fault == nil {
		occasions, e.fault = s.occasions(e)
	}
	if e.fault != nil {
		key := e.uid()
		if e.recurs() || e.passedOver {
			key = ""
		}
		return s.add(e, e, occasion{}, key)
	}
	for _, o := range occasions {
		stands, key := e, e.uid()
		if e.recurs() && key != "" {
			of := original{key, o.start.stamp()}
			key = of.key()
			if other := v.changed[of]; other != nil {
				delete(v.changed, of)
				stands, o.start = other, cmp.Or(other.start, o.start)
			} else if change := v.following(of); change != nil {
				stands, o.start = change.event, change.start.at(o.start.wall.Add(change.by))
			}
		}
		if err := s.add(stands, e, o, key); err != nil {
			return err
		}
	}
	return nil
}

// add makes one occurrence of an event; master is the series that it is of, else itself.
func (s *series) add(e, master *event, at occasion, key string) error {
	if most := s.config.Rows; most > 0 && len(s.all) == most {
		return &Error{Line: master.line, Code: schema.CodeTooManyRows, Err: fmt.Errorf("more than %d rows", most)}
	}
	o := Occurrence{Line: e.line, Key: key, text: e.text}
	if e.fault == nil {
		if err := o.place(e, master, at); err != nil {
			e.fail(0, "", err)
		}
	}
	if o.Err = e.fault; o.Err != nil {
		o.Start, o.End, o.Zone = "", "", ""
	}
	s.all = append(s.all, o)
	return nil
}

// occasions lists when an event takes place, in order: once, or as often as it recurs.
// A rule speaks of wall times, so it is unrolled by the numbers of the wall
// clock; whether each of them is real is found out by whoever reads the cell.
func (s *series) occasions(e *event) ([]occasion, *Error) {
	if !e.recurs() {
		return []occasion{{start: e.start}}, nil
	}
	times, endless, err := s.expand(e, e.rules)
	if err != nil {
		return nil, err
	}
	left, _, err := s.expand(e, e.exceptions)
	if err != nil {
		return nil, err
	}
	added, lengths, err := e.dates(e.added)
	if err != nil {
		return nil, err
	}
	more, _, err := e.dates(e.left)
	if err != nil {
		return nil, err
	}
	gone := map[time.Time]bool{}
	for _, at := range slices.Concat(left, more) {
		gone[at] = true
	}
	times = slices.Concat(times, added, []time.Time{e.start.wall})
	slices.SortFunc(times, time.Time.Compare)
	var occasions []occasion
	for _, at := range slices.CompactFunc(times, time.Time.Equal) {
		if gone[at] {
			continue
		}
		if len(occasions) == s.config.Occurrences {
			return nil, s.tooMany(e)
		}
		occasions = append(occasions, occasion{e.start.at(at), lengths[at]})
	}
	if endless {
		s.endless.add(e.line)
	}
	return occasions, nil
}

func (s *series) tooMany(e *event) *Error {
	return e.refuse(fmt.Errorf("the event %.60q takes place more than %d times", e.text["SUMMARY"], s.config.Occurrences))
}

// dates brings a list of dates to the event's own clock, with the lengths that some have.
func (e *event) dates(list []*date) (times []time.Time, lengths map[time.Time]*duration, _ *Error) {
	lengths = map[time.Time]*duration{}
	for _, d := range list {
		at, err := e.clocks.within(d.start, e.start)
		if err != nil {
			return nil, nil, e.refuse(err)
		}
		times = append(times, at)
		if lengths[at], err = e.clocks.takes(d); err != nil {
			return nil, nil, e.refuse(err)
		}
	}
	return times, lengths, nil
}

// longest is as far as a rule with an end is followed: one that fits no day
// before its end would be searched for ever.
const longest = 100 * 366 * 24 * time.Hour

// expand lists what rules give for an event; endless reports whether one of them has no
// end of its own.
func (s *series) expand(e *event, rules []*rule) (times []time.Time, endless bool, _ *Error) {
	for _, r := range rules {
		option := r.option
		option.Dtstart = e.start.wall
		if option.Freq > rrule.HOURLY {
			return nil, false, r.refuse(errors.New("an event every minute is not read"))
		}
		if e.start.day {
			if option.Freq > rrule.DAILY {
				return nil, false, r.refuse(errors.New("an event of whole days cannot take place every hour"))
			}
			option.Byhour, option.Byminute, option.Bysecond = nil, nil, nil // RFC 5545, section 3.3.10
		}
		switch {
		case r.until != nil:
			until, err := e.lastOf(r.until)
			if err != nil {
				return nil, false, r.refuse(err)
			}
			option.Until = until
		case option.Count == 0:
			endless = true
			if option.Until = s.config.Horizon; option.Until.IsZero() {
				option.Until = e.start.wall.AddDate(2, 0, 0)
			}
			s.until = option.Until
		}
		if far := e.start.wall.Add(longest); option.Until.IsZero() || option.Until.After(far) {
			option.Until = far
		}
		more, err := expand(option, s.config.Occurrences)
		if errors.Is(err, errTooMany) {
			return nil, false, s.tooMany(e)
		}
		if err != nil {
			return nil, false, r.refuse(err)
		}
		times = append(times, more...)
	}
	return times, endless, nil
}

func (e *event) refuse(err error) *Error {
	return &Error{Line: e.line, Code: schema.CodeBadEvent, Err: err}
}

func (r *rule) refuse(err error) *Error {
	return &Error{Line: r.line, Code: schema.CodeBadEvent, Err: fmt.Errorf("RRULE: %.80q: %w", r.text, err)}
}

// lastOf brings the UNTIL of a rule to the event's own clock. One that names a day
// alone means the whole of it.
func (e *event) lastOf(until *dateTime) (time.Time, error) {
	switch {
	case until.day:
		return until.wall.Add(day - time.Second), nil
	case until.utc && e.start.day:
		if midnight, ok := e.clocks.midnight(until); ok {
			return midnight, nil
		}
	case until.utc:
		return e.clocks.in(until, e.start)
	}
	return until.wall, nil
}
