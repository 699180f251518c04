package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// lookup is the looking for the record of a row where the service has it.
type lookup struct{ *row }

// find looks for the record where what runs know of it does not do. It reports whether the row goes further.
func (l lookup) find() (further bool) {
	switch of := l.d.Resource; {
	case of.Keyed():
		return l.findBySlug() && !l.barred() && !(l.op.Event.ID != "" && identity(l).secondID(l.op.Event.ID))
	case of.Cell != nil:
		return true
	default:
		return l.findByList()
	}
}

// findBySlug looks for the event that an earlier workspace made for the row's key, where nothing
// else says which event that is.
func (l lookup) findBySlug() (further bool) {
	op, d := l.op, l.d
	// An UPDATE or CANCEL row whose key is its slug is looked up by that slug when it is sent.
	bySlug := op.Event.KeyIsSlug() && (d.Action == schema.Update || d.Action == schema.Cancel)
	// A key whose event was cancelled may have been made anew elsewhere.
	made := l.known.EventID != "" && (!l.known.Cancelled || d.Action == schema.Cancel)
	if op.Event.ID != "" || made || bySlug || l.config.Find == nil {
		l.found = op.Event.ID == "" && made && !l.known.sent() // a create met it, which agreed with it on nothing
		return true
	}
	ids, err := l.config.Find(op.Event)
	switch {
	case err != nil:
		l.hold(err.Error())
		return false
	case len(ids) > 1:
		l.refuse(schema.FieldKey, schema.CodeKeyConflict,
			fmt.Sprintf("%d events were made for this row's key: %s", len(ids), strings.Join(ids, ", ")),
			"name the right one in event_id, and cancel the others")
		return false
	}
	var elsewhere Known
	if len(ids) == 1 {
		if elsewhere, _ = l.config.Memory.Event(ids[0]); !elsewhere.Cancelled && !elsewhere.Gone {
			op.Event.ID = ids[0]
		}
	}
	if op.Event.ID != "" || !l.known.Cancelled {
		l.known, l.found = elsewhere, len(ids) == 1
	}
	return true
}

// barred keeps back a row that what is remembered of its event does not let pass. It reports
// whether it did.
func (l lookup) barred() bool {
	op, d, known := l.op, l.d, &l.known
	switch {
	case known.Owed: // of an event that was found
		l.hold(known.Unsettled("this key"))
	case known.Cancelled && op.Event.ID != "" && op.Event.ID == known.EventID && d.Action != schema.Cancel:
		op.skip("run " + known.Run + " cancelled event " + op.Event.ID)
	case op.Event.ID != "" && known.EventID != "" && op.Event.ID != known.EventID:
		l.refuse(catalog.FieldEventID, schema.CodeKeyConflict,
			fmt.Sprintf("key %q belongs to event %s, but the row names %s", d.Key, known.EventID, op.Event.ID),
			"correct the event_id, or give the row a key of its own")
	default:
		if op.Event.ID == "" && !known.Cancelled {
			op.Event.ID = known.EventID
		}
		return false
	}
	return true
}

// findByList looks into the service's lists for the record, where its id, or what it has at present, has to be known.
func (l lookup) findByList() (further bool) {
	op, d, known := l.op, l.d, &l.known
	of := d.Resource
	l.there = known.there() && !known.Gone
	asks := of.IDField() != nil && known.EventID == "" || of.Lookup != "" || differs(d, op.Event.Parent == "")
	if asks && !l.sentSo() || l.config.compares() || l.anew() {
		l.there = false
	}
	if !l.there && len(op.After) == 0 && l.config.Listed != nil {
		switch further, moved := l.list(); {
		case moved: // what is known of the record there counts
			l.known = Recollection(l.config.Memory, &op.Event)
			return !identity(l).secondKey() && l.findByList()
		case !further:
			return false
		}
		if l.there = l.live != nil; l.there && known.EventID != l.live.ID && l.others() {
			return false
		}
	}
	id := known.EventID
	if l.live != nil {
		if id = l.live.ID; of.Lookup != "" && d.Name() == "" { // the row gives an id, by which nothing can be looked up
			_ = json.Unmarshal(l.live.Values[of.Or], &op.Event.Name)
			op.Event.Slug = of.OtherName(l.live.Values)
		}
	}
	return of.Or == "" || !l.there || !identity(l).secondID(id)
}

// list asks for the record that the service lists for the row. moved reports whether the record's event is on another calendar, which
// is the row's from then on: the record has to be asked for there.
func (l lookup) list() (further, moved bool) {
	of, event := l.d.Resource, l.op.Event
	if l.known.there() && event.ID == "" && of.IDField() != nil {
		event.ID = l.known.EventID // whatever its name is now
	}
	live, err := l.config.Listed(of, &event)
	if live == nil && err == nil && event.ID != l.op.Event.ID {
		live, err = l.config.Listed(of, &l.op.Event)
	}
	switch l.live = live; {
	case errors.Is(err, ErrGone) && l.movedAway(l.op.Event.Parent):
		return true, true
	case errors.Is(err, ErrGone):
		l.refuseAt(of.Parent, schema.CodeKeyMissing, fmt.Sprintf("event %s is gone, or not for this key to see", l.op.Event.Parent),
			"name another event, or set the action to SKIP")
	case several(err) != nil:
		l.refuseAt(l.d.Naming().Path, schema.CodeKeyConflict,
			fmt.Sprintf("the service has several %s of this name: %s", strings.ToLower(of.Title()), several(err)),
			"say which of them is meant in the column "+of.ID)
	case err != nil:
		l.hold(err.Error())
	}
	return err == nil, false
}

// others refuses a row that the service has a record like, which a run has made for another.
func (l lookup) others() bool {
	of := l.d.Resource
	known, _ := l.config.Memory.Event(l.live.ID)
	if of.Alike == nil || l.op.Event.Slug == "" || l.op.Event.ID != "" || known.Run == "" {
		return false
	}
	l.refuseAt(of.Alike[0], schema.CodeKeyExists,
		fmt.Sprintf("run %s has made %s of the same %s for another key", known.Run, of.Some(), strings.Join(of.Alike, " and ")),
		"change a word, or say in the column "+of.ID+" which one the row is about")
	return true
}

// anew reports whether a row may have other answers than its record was made with, or other values of what
// cannot be changed: only the record itself tells.
func (l lookup) anew() bool {
	had, certain := l.known.made()
	return (l.d.Resource.Answering() != nil || l.remade() != nil) && l.d.Action != schema.Delete && certain && had != l.made
}
