package ics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// original names the occurrence of a series that an event with a RECURRENCE-ID changes; with
// no stamp it names the event of a UID.
type original struct{ uid, stamp string }

func (o original) key() string {
	if o.uid == "" || o.stamp == "" {
		return ""
	}
	return o.uid + "_" + o.stamp
}

// versions are the events that count: of several with one UID, and one RECURRENCE-ID, the
// newest. Where nothing says which of two that differ is newer, they may be two events of a
// program that gives no UID of their own to its events: the last counts, and the other says
// that it was passed over.
type versions struct {
	masters map[original]*event       // those that change no other; without a stamp
	changed map[original]*event       // those that change an occurrence of another
	onward  map[string][]onwardChange // of a UID: those that change all that follow too, in order
	tied    map[original][]*event     // those that are neither older nor newer than the one that counts
	loose   []stray                   // changed occurrences of which it is not known whose they are
	older   Tally                     // the others
}

// stray is a changed occurrence that belongs to no series of the text.
type stray struct {
	*event

	of original
}

// counting finds the events that count. Of a series with a change that cannot be placed no
// occurrence is sure, and without its series no change is.
func counting(events []*event) *versions {
	v := &versions{
		masters: map[original]*event{}, changed: map[original]*event{}, onward: map[string][]onwardChange{}, tied: map[original][]*event{},
	}
	for _, e := range events {
		if e.changes {
			continue
		}
		if e.start == nil {
			e.fail(0, "", fmt.Errorf("the event %.60q has no DTSTART", e.text["SUMMARY"]))
		}
		if e.uid() != "" {
			v.keep(v.masters, original{uid: e.uid()}, e)
		}
	}
	for _, e := range events {
		if e.changes {
			v.change(e)
		}
	}
	for of, e := range v.changed {
		if master := v.masters[original{uid: of.uid}]; master != nil && master.fault != nil {
			e.fail(0, "", fmt.Errorf("the series in line %d, which the event is of, cannot be read", master.line))
		} else if e.onward {
			v.follow(of, e, master)
		}
	}
	for _, list := range v.onward {
		slices.SortFunc(list, func(a, b onwardChange) int { return cmp.Compare(a.stamp, b.stamp) })
	}
	for of, events := range v.tied {
		counts := v.masters[of]
		if counts == nil {
			counts = v.changed[of]
		}
		for _, e := range events {
			e.passedOver = true
			e.fail(0, "give each event a UID of its own, or the newer one a higher SEQUENCE",
				fmt.Errorf("the event in line %d has the same UID, and nothing says which of the two is newer", counts.line))
			if e.changes {
				v.loose = append(v.loose, stray{event: e})
			}
		}
	}
	return v
}

func (v *versions) change(e *event) {
	of := original{uid: e.uid()}
	master := v.masters[of]
	if at, err := e.original(master); err != nil {
		e.fail(0, "", err)
	} else if at != nil {
		of.stamp = at.stamp()
	}
	if of.key() != "" {
		v.keep(v.changed, of, e)
		return
	}
	v.loose = append(v.loose, stray{e, of})
	if master == nil {
		return
	}
	master.fail(0, "", fmt.Errorf("a change of the series, in line %d, cannot be read", e.line))
	e.fail(0, "", fmt.Errorf("the series in line %d, which the event is of, cannot be read", master.line))
}

// follow notes an event that changes an occurrence of a series and all that follow. Where it cannot be read, no
// occurrence of the series is sure.
func (v *versions) follow(of original, e, master *event) {
	switch {
	case master == nil:
		e.fail(0, "", errors.New("the series that the event changes from there on (RANGE=THISANDFUTURE) is not in the file"))
		return
	case e.recurs():
		e.fail(0, hintEndSeries, errors.New("RANGE=THISANDFUTURE with a rule of its own is not understood"))
	case e.start != nil && e.start.day != master.start.day:
		e.fail(0, hintEndSeries, errors.New("RANGE=THISANDFUTURE between whole days and times is not understood"))
	}
	if e.fault != nil {
		master.fail(0, "", fmt.Errorf("a change of the series, in line %d, cannot be read", e.line))
		return
	}
	at, _ := e.original(master) // it was found before
	e.start = cmp.Or(e.start, at)
	v.onward[of.uid] = append(v.onward[of.uid], onwardChange{e, of.stamp, e.start.wall.Sub(at.wall)})
}

// onwardChange is an event that changes an occurrence of a series and all that follow.
type onwardChange struct {
	*event

	stamp string        // of that occurrence
	by    time.Duration // by which it was moved
}

const hintEndSeries = "end the series there, and begin another one"

// following returns the change that reaches as far as an occurrence, nil where it is as its series says.
func (v *versions) following(of original) (last *onwardChange) {
	for i := range v.onward[of.uid] {
		if v.onward[of.uid][i].stamp <= of.stamp {
			last = &v.onward[of.uid][i]
		}
	}
	return last
}

// keep keeps the version of an event that counts so far.
func (v *versions) keep(kept map[original]*event, of original, e *event) {
	before := kept[of]
	switch {
	case before == nil:
	case before.newer(&e.version):
		v.older.add(e.line)
		return
	case e.newer(&before.version):
		v.older.add(before.line)
		for _, tied := range v.tied[of] {
			v.older.add(tied.line)
		}
		delete(v.tied, of)
	case e.content.Sum64() == before.content.Sum64():
		v.older.add(before.line)
	default:
		v.tied[of] = append(v.tied[of], before)
	}
	kept[of] = e
}

// counts reports whether an event that changes no other is the version of it that counts.
func (v *versions) counts(e *event) bool {
	return e.uid() == "" || v.masters[original{uid: e.uid()}] == e
}

// original brings a RECURRENCE-ID to the clock of its series, by which the series names
// its occurrences; nil where that is not known.
func (e *event) original(master *event) (*dateTime, error) {
	switch {
	case e.replaces == nil, master != nil && master.start == nil:
		return nil, nil
	case master == nil:
		return e.replaces, nil
	}
	wall, err := master.clocks.within(e.replaces, master.start)
	return master.start.at(wall), err
}
