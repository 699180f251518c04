package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// ErrGone is the error of [Config.Listed] where the event is gone.
var ErrGone = errors.New("the event is gone") // it is not shown any more

// SeveralError is the error of [Config.Listed] where there are several records of that name.
type SeveralError struct{ IDs []string }

func (e *SeveralError) Error() string { return strings.Join(e.IDs, ", ") }

func several(err error) *SeveralError {
	found, _ := errors.AsType[*SeveralError](err)
	return found
}

// Listed is a record as the service lists it.
type Listed struct {
	ID     string
	Values map[string]json.RawMessage // by the service's names
}

// called returns what requests call the record: the name that the service has of it, or else its id.
func (l *Listed) called(r *schema.Resource) (name string) {
	_ = json.Unmarshal(l.Values[r.Named], &name) // what has none goes by its id
	return cmp.Or(name, l.ID)
}

// named reports whether the record has the name that the row says, in any letter case.
func (l *Listed) named(d *schema.Draft) bool {
	r := d.Resource
	if d.Naming().Path == r.Or {
		return r.OtherName(l.Values) == r.Likeness(d)
	}
	return r.Alike != nil || r.NameIn(l.Values) == strings.ToLower(d.Value(r.Named))
}

// has reports whether the record has what the row says, as far as lists tell and updates
// can bring it.
func (l *Listed) has(d *schema.Draft) bool {
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		named := f == d.Naming() && (d.Resource.Names(f) || l.named(d))
		if f.Local || f.Manner || s.Untouched || !f.On.Has(schema.OnUpdate) || named || f.Each != nil {
			continue
		}
		if value, told := l.Values[f.Read()]; !told || f.Compare(s.JSON(), value) != schema.Alike {
			return false
		}
	}
	return true
}

// find looks for the record where what runs know of it does not do. It reports whether the row goes further.
func (r *row) find() (further bool) {
	switch of := r.d.Resource; {
	case of.Keyed():
		return r.findBySlug() && !r.barred() && !(r.op.Event.ID != "" && r.secondID(r.op.Event.ID))
	case of.Cell != nil:
		return true
	default:
		return r.findByList()
	}
}

// findBySlug looks for the event that an earlier workspace made for the row's key, where nothing
// else says which event that is.
func (r *row) findBySlug() (further bool) {
	op, d := r.op, r.d
	// An UPDATE or CANCEL row whose key is its slug is looked up by that slug when it is sent.
	bySlug := op.Event.KeyIsSlug() && (d.Action == schema.Update || d.Action == schema.Cancel)
	// A key whose event was cancelled may have been made anew elsewhere.
	made := r.known.EventID != "" && (!r.known.Cancelled || d.Action == schema.Cancel)
	if op.Event.ID != "" || made || bySlug || r.p.config.Find == nil {
		return true
	}
	ids, err := r.p.config.Find(op.Event)
	switch {
	case err != nil:
		r.hold(err.Error())
		return false
	case len(ids) > 1:
		r.refuse(schema.FieldKey, schema.CodeKeyConflict,
			fmt.Sprintf("%d events were made for this row's key: %s", len(ids), strings.Join(ids, ", ")),
			"name the right one in event_id, and cancel the others")
		return false
	}
	var elsewhere Known
	if len(ids) == 1 {
		if elsewhere, _ = r.p.config.Memory.Event(ids[0]); !elsewhere.Cancelled && !elsewhere.Gone {
			op.Event.ID = ids[0]
		}
	}
	if op.Event.ID != "" || !r.known.Cancelled {
		r.known, r.found = elsewhere, len(ids) == 1
	}
	return true
}

// barred keeps back a row that what is remembered of its event does not let pass. It reports
// whether it did.
func (r *row) barred() bool {
	op, d, known := r.op, r.d, &r.known
	switch {
	case known.Owed: // of an event that was found
		r.hold("run " + known.Run + " has not settled this key: finish it first")
	case known.Cancelled && op.Event.ID != "" && op.Event.ID == known.EventID && d.Action != schema.Cancel:
		op.Action, op.Reason = Skip, "run "+known.Run+" cancelled event "+op.Event.ID
	case op.Event.ID != "" && known.EventID != "" && op.Event.ID != known.EventID:
		r.refuse(schema.FieldEventID, schema.CodeKeyConflict,
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
func (r *row) findByList() (further bool) {
	op, d, known := r.op, r.d, &r.known
	of := d.Resource
	r.there = known.there() && !known.Gone
	asks := of.IDField() != nil && known.EventID == "" || of.Lookup != "" || differs(d, op.Event.Parent == "")
	if asks && !r.sentSo() || r.p.compares() || r.anew() {
		r.there = false
	}
	if !r.there && len(op.After) == 0 && r.p.config.Listed != nil {
		if !r.list() {
			return false
		}
		if r.there = r.live != nil; r.there && known.EventID != r.live.ID && r.others() {
			return false
		}
	}
	id := known.EventID
	if r.live != nil {
		if id = r.live.ID; of.Lookup != "" && d.Name() == "" { // the row gives an id, by which nothing can be looked up
			_ = json.Unmarshal(r.live.Values[of.Or], &op.Event.Name)
			op.Event.Slug = of.OtherName(r.live.Values)
		}
	}
	return of.Or == "" || !r.there || !r.secondID(id)
}

// list asks for the record that the service lists for the row.
func (r *row) list() (further bool) {
	of, event := r.d.Resource, r.op.Event
	if r.known.there() && event.ID == "" && of.IDField() != nil {
		event.ID = r.known.EventID // whatever its name is now
	}
	live, err := r.p.config.Listed(of, &event)
	if live == nil && err == nil && event.ID != r.op.Event.ID {
		live, err = r.p.config.Listed(of, &r.op.Event)
	}
	switch r.live = live; {
	case errors.Is(err, ErrGone):
		r.refuseAt(of.Parent, schema.CodeKeyMissing, fmt.Sprintf("event %s is gone, or not for this key to see", r.op.Event.Parent),
			"name another event, or set the action to SKIP")
	case several(err) != nil:
		r.refuseAt(r.d.Naming().Path, schema.CodeKeyConflict,
			fmt.Sprintf("the service has several %s of this name: %s", strings.ToLower(of.Title()), several(err)),
			"say which of them is meant in the column "+of.ID)
	case err != nil:
		r.hold(err.Error())
	}
	return err == nil
}

// others refuses a row that the service has a record like, which a run has made for another.
func (r *row) others() bool {
	of := r.d.Resource
	known, _ := r.p.config.Memory.Event(r.live.ID)
	if of.Alike == nil || r.op.Event.Slug == "" || r.op.Event.ID != "" || known.Run == "" {
		return false
	}
	r.refuseAt(of.Alike[0], schema.CodeKeyExists,
		fmt.Sprintf("run %s has made %s of the same %s for another key", known.Run, of.Some(), strings.Join(of.Alike, " and ")),
		"change a word, or say in the column "+of.ID+" which one the row is about")
	return true
}

// sentSo reports whether nothing is to be done for a record that a run has sent as the row is.
func (r *row) sentSo() bool {
	return r.d.Action != schema.Delete && r.p.config.Options.Compare != "none" && r.known.sent() &&
		Values(r.known.Hash) == Values(r.op.Hash)
}

// anew reports whether a row may have other answers than its record was made with, or other values of what
// cannot be changed: only the record itself tells.
func (r *row) anew() bool {
	had, certain := r.known.made()
	return (r.d.Resource.Answering() != nil || r.remade() != nil) && r.d.Action != schema.Delete && certain && had != r.made
}

// remade returns the field by which a row would change what its record was made with, and cannot
// be changed; nil where it does not.
func (r *row) remade() *schema.Field {
	if had, certain := r.known.made(); certain && had != r.made && r.made != "" {
		for i := range r.d.Settings {
			if f := r.d.Settings[i].Field.Field(); f.Fixed {
				return f
			}
		}
	}
	return nil
}
