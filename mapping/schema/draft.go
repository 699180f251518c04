package schema

import (
	"slices"
	"time"
)

// Action is what a row asks for, as the user writes it in the action column.
type Action uint8

// The actions of a row. Upsert is the default.
const (
	Upsert Action = iota
	Create
	Update
	Cancel
	Skip
)

// String gives the word of the action column.
func (a Action) String() string { return ActionNames[a] }

// State is what a row does to one field.
type State uint8

// Leave is the absence of a setting: a Draft lists only fields that are cleared or set.
const (
	Leave State = iota
	Clear       // send null
	Set         // send the value; an empty text is a value too
)

// Setting is one field of a draft that is cleared or set, with the cell that said so.
type Setting struct {
	Field ID
	State State
	// Column is the zero-based column of the cell that gave the value, or -1
	// when a mapping constant, a default or a flag did.
	Column int
	// Text is the value in canonical form: text as it is, "true" or "false",
	// the file's own digits of a number, an ISO 8601 date-time with offset,
	// compact JSON of an object or array.
	Text string
	// Instant is the value of a Timestamp field in Unix milliseconds.
	Instant int64
}

// IDs is a set of fields, one bit each.
type IDs uint64

var _ [64 - fieldCount]struct{} // each has its bit

// IDsOf makes a set.
func IDsOf(ids ...ID) (set IDs) {
	for _, id := range ids {
		set |= 1 << id
	}
	return set
}

// Draft is what one row asks for. A worker reuses one Draft for many rows, so
// whoever keeps it past the row clones it.
type Draft struct {
	Place    Place // of the row; Column is -1
	Action   Action
	Calendar string // calendar id, empty for the profile's only calendar
	Key      string // what names the row for good, empty if nothing does
	Settings []Setting

	present IDs
}

// Reset empties the draft for the next row and keeps its memory.
func (d *Draft) Reset(place Place) {
	d.Place, d.Action, d.Calendar, d.Key = place, Upsert, "", ""
	d.Settings, d.present = d.Settings[:0], 0
}

// Put records a setting. The caller has made sure that the field has none yet.
func (d *Draft) Put(s Setting) {
	d.Settings = append(d.Settings, s)
	d.present |= 1 << s.Field
}

// Next gives room for a setting that is filled where it stays. It is none of the
// draft's before Take, and is given out again if Take is not called.
func (d *Draft) Next() *Setting {
	n := len(d.Settings)
	if n == cap(d.Settings) {
		d.Settings = slices.Grow(d.Settings, 1)
	}
	s := &d.Settings[:n+1][n]
	*s = Setting{}
	return s
}

// Take records the setting that Next gave room for, as Put would.
func (d *Draft) Take() {
	n := len(d.Settings)
	d.Settings = d.Settings[:n+1]
	d.present |= 1 << d.Settings[n].Field
}

// Has reports whether the draft clears or sets the field.
func (d *Draft) Has(id ID) bool { return d.present>>id&1 != 0 }

// HasAny reports whether the draft clears or sets one of the fields.
func (d *Draft) HasAny(ids IDs) bool { return d.present&ids != 0 }

// Get returns the field's setting, or nil where the row leaves the field alone.
func (d *Draft) Get(id ID) *Setting {
	if !d.Has(id) {
		return nil
	}
	for i := range d.Settings {
		if d.Settings[i].Field == id {
			return &d.Settings[i]
		}
	}
	return nil
}

// Text returns the field's text where the row sets it, else "".
func (d *Draft) Text(id ID) string {
	if s := d.Get(id); s != nil && s.State == Set {
		return s.Text
	}
	return ""
}

// Time returns the instant of a Timestamp field where the row sets it.
func (d *Draft) Time(id ID) (time.Time, bool) {
	if s := d.Get(id); s != nil && s.State == Set {
		return time.UnixMilli(s.Instant).UTC(), true
	}
	return time.Time{}, false
}

// Clone returns a copy that survives the worker's next row.
func (d *Draft) Clone() *Draft {
	c := *d
	c.Settings = append([]Setting(nil), d.Settings...)
	return &c
}
