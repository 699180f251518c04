package schema

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
)

// Operation returns the operation that an action of a row leads to, for a record that
// belongs to an event or to none, the first where there are several; nil where there is none.
func (r *Resource) Operation(does Action, alone bool) *Operation {
	for o := range r.Operations(does, alone) {
		return o
	}
	return nil
}

// Bringing returns the operation of an action that can change the field, nil where none can.
func (r *Resource) Bringing(f *Field, does Action, alone bool) *Operation {
	for o := range r.Operations(does, alone) {
		if o.Brings(f) {
			return o
		}
	}
	return nil
}

// Reaches reports whether an update can bring the field to the value: some only have it become
// what an operation means.
func (r *Resource) Reaches(f *Field, value json.RawMessage) bool {
	meant := false
	for _, o := range r.calls {
		if o.Does != Update {
			continue
		}
		means := o.Means[f.Path]
		if o.Takes(f) || means != "" && string(value) == strconv.Quote(means) {
			return true
		}
		meant = meant || means != ""
	}
	return !meant
}

// Operations yields the operations that an action of a row can lead to, for a record that belongs to an event
// or to none.
func (r *Resource) Operations(does Action, alone bool) iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for _, o := range r.calls {
			fits := o.Does == does && does != Upsert && (r.Parent == "" || alone == (o.Of == nil))
			if fits && !yield(o) {
				return
			}
		}
	}
}

// Takes reports whether rows of the resource can ask for the action.
func (r *Resource) Takes(a Action) bool {
	if a == Upsert || a == Skip {
		return true
	}
	return slices.ContainsFunc(r.calls, func(o *Operation) bool { return o.Does == a && a != Upsert })
}

// Verbs lists the words that the action column of the resource takes.
func (r *Resource) Verbs() []string { return r.verbs }
