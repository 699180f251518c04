package ics

import "fmt"

// original names the occurrence of a series that an event with a RECURRENCE-ID changes.
type original struct{ uid, stamp string }

func (o original) key() string {
	if o.uid == "" || o.stamp == "" {
		return ""
	}
	return o.uid + "_" + o.stamp
}

// versions are the events that count: of several with one UID, and one RECURRENCE-ID, the
// newest, and of those that do not differ in age the last.
type versions struct {
	masters map[original]*event // those that change no other; without a stamp
	changed map[original]*event // those that change an occurrence of another
	loose   []loose             // those of which it is not known whose they are
	older   Tally               // the others
}

// loose is a changed occurrence that belongs to no series of the text.
type loose struct {
	*event

	of original
}

// counting finds the events that count. Of a series with a change that cannot be placed no
// occurrence is sure, and without its series no change is.
func counting(events []*event) *versions {
	v := &versions{masters: map[original]*event{}, changed: map[original]*event{}}
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
	v.loose = append(v.loose, loose{e, of})
	if master == nil {
		return
	}
	master.fail(0, "", fmt.Errorf("a change of the series, in line %d, cannot be read", e.line))
	e.fail(0, "", fmt.Errorf("the series in line %d, which the event is of, cannot be read", master.line))
}

// keep keeps one of two versions of an event, and counts the other.
func (v *versions) keep(kept map[original]*event, of original, e *event) {
	if before := kept[of]; before != nil {
		if before.newer(e) {
			v.older.add(e.line)
			return
		}
		v.older.add(before.line)
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
