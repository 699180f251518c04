package schema

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

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
	// Untouched means that the cell says what the export of the record said: the value
	// is known, and never sent.
	Untouched bool
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

// Draft is what one row asks for. A worker reuses one Draft for many rows, so
// whoever keeps it past the row clones it.
type Draft struct {
	Resource *Resource
	Place    Place // of the row; Column is -1
	Action   Action
	Calendar string // id, slug or name, empty for the profile's only calendar
	Key      string // what names the row for good, empty if nothing does
	// Baseless means that the row comes from an export, and its baseline cannot be used: what its cells
	// said then is not known.
	Baseless bool
	Base     string // baseline of the export that the row comes from; empty where it has none of its own
	// Moved is one more than the column of a cell that names another calendar than the export of
	// the row did; 0 where none does.
	Moved int
	// Answered are the columns of the answers to questions, in the order in which the field of the
	// answers has them; empty where the row has them in no columns of their own.
	Answered []int
	Settings []Setting // of the resource's own fields, each under its new name

	// at gives one more than the index of a field's setting, by the field's index among
	// the resource's own.
	at [maxColumns]uint8
}

// NewDraft returns an empty draft of a row of the resource.
func NewDraft(r *Resource, place Place) *Draft {
	d := new(Draft)
	d.Reset(r, place)
	return d
}

// Reset empties the draft for the next row and keeps its memory.
func (d *Draft) Reset(r *Resource, place Place) {
	d.Resource, d.Place, d.Action, d.Calendar, d.Key, d.Base = r, place, Upsert, "", "", ""
	d.Moved, d.Answered, d.Baseless = 0, d.Answered[:0], false
	d.Settings, d.at = d.Settings[:0], [maxColumns]uint8{}
}

// Put records a setting. The caller has made sure that the field has none yet.
func (d *Draft) Put(s Setting) {
	d.Settings = append(d.Settings, s)
	d.at[s.Field-d.Resource.first] = uint8(len(d.Settings))
}

// Drop takes the setting of a field out.
func (d *Draft) Drop(id ID) {
	if !d.Has(id) {
		return
	}
	at := int(d.at[id-d.Resource.first]) - 1
	d.Settings = slices.Delete(d.Settings, at, at+1)
	d.at[id-d.Resource.first] = 0
	for i := at; i < len(d.Settings); i++ {
		d.at[d.Settings[i].Field-d.Resource.first] = uint8(i + 1)
	}
}

// Next returns a setting to be filled in place, which Take makes one of the draft's.
// Without Take the next call returns it again.
func (d *Draft) Next() *Setting {
	n := len(d.Settings)
	if n == cap(d.Settings) {
		d.Settings = slices.Grow(d.Settings, 1)
	}
	s := &d.Settings[:n+1][n]
	*s = Setting{}
	return s
}

// Take records the setting that Next returned.
func (d *Draft) Take() {
	n := len(d.Settings)
	d.Settings = d.Settings[:n+1]
	d.at[d.Settings[n].Field-d.Resource.first] = uint8(n + 1)
}

// Has reports whether the draft clears or sets the field.
func (d *Draft) Has(id ID) bool {
	own := id - d.Resource.first // of another resource's field: beyond the fields of this one
	return own < maxColumns && d.at[own] > 0
}

// Get returns the field's setting, or nil where the row leaves the field alone.
func (d *Draft) Get(id ID) *Setting {
	if !d.Has(id) {
		return nil
	}
	return &d.Settings[d.at[id-d.Resource.first]-1]
}

// field returns the field of a setting of the draft.
func (d *Draft) field(s *Setting) *Field { return &d.Resource.Own[s.Field-d.Resource.first] }

// Sends reports whether the setting is sent: it was touched, or a part of the same
// object was.
func (d *Draft) Sends(s *Setting) bool {
	if !s.Untouched {
		return true
	}
	whole := d.field(s).whole
	return whole != nil && slices.ContainsFunc(d.Settings, func(o Setting) bool { return !o.Untouched && d.field(&o).whole == whole })
}

// Untouched reports whether the row says nothing but what the export said that it comes
// from.
func (d *Draft) Untouched() bool {
	any := false
	for i := range d.Settings {
		if s := &d.Settings[i]; !s.Untouched && !d.field(s).Local && !d.Resource.Names(d.field(s)) {
			return false
		}
		any = any || d.Settings[i].Untouched
	}
	return any
}

// Touch has all settings sent that are sent at all, and reports whether some were not.
func (d *Draft) Touch() bool {
	any := false
	for i := range d.Settings {
		any = any || d.Settings[i].Untouched
		d.Settings[i].Untouched = false
	}
	d.Imply()
	return any
}

// Imply has what another field implies not sent.
func (d *Draft) Imply() {
	for i := range d.Settings {
		if s := &d.Settings[i]; d.Implied(d.field(s)) {
			s.Untouched = true
		}
	}
}

// Implied reports whether the row says in another field what this one would.
func (d *Draft) Implied(f *Field) bool { return f.ImpliedBy != "" && d.Value(f.ImpliedBy) != "" }

// Operation returns the operation by which an action brings what the row says, for a record
// that belongs to an event or to none; nil where there is none.
func (d *Draft) Operation(does Action, alone bool) *Operation {
	for o := range d.Resource.Operations(does, alone) {
		if o.Only == nil || does != Update || d.leads(o) {
			return o
		}
	}
	return nil
}

// leads reports whether the row says what the operation brings.
func (d *Draft) leads(o *Operation) bool {
	for path, value := range o.Means {
		if f, ok := d.Resource.ByPath(path); !ok || d.Text(f.ID) != value || d.Get(f.ID).Untouched {
			return false
		}
	}
	return len(o.Means) > 0 || slices.ContainsFunc(d.Settings, func(s Setting) bool { return !s.Untouched && o.Brings(d.field(&s)) })
}

// Naming returns the field by whose value the row names its record; nil of an event, which
// has several.
func (d *Draft) Naming() *Field {
	path := d.Resource.Named
	if d.Value(path) == "" && d.Value(d.Resource.Or) != "" {
		path = d.Resource.Or
	}
	f, _ := d.Resource.ByPath(path)
	return f
}

// Name returns the name that the row gives its record, empty where it says none.
func (d *Draft) Name() string { return cmp.Or(d.Value(d.Resource.Named), d.Value(d.Resource.Or)) }

// Value returns the text of the field of that path where the row sets it, else "".
func (d *Draft) Value(path string) string {
	if path == commonFields[FieldKey].Path {
		return d.Key
	}
	if f, ok := d.Resource.ByPath(path); ok {
		return d.Text(f.ID)
	}
	return ""
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
	c.Settings, c.Answered = append([]Setting(nil), d.Settings...), slices.Clone(d.Answered)
	return &c
}

// Columns gives by path the zero-based column that each field sent came from, -1
// where a constant or a default did. Paths are those that the service uses, and those of
// what is sent as another: cover_file, and the column that says which event it is.
func (d *Draft) Columns() map[string]int {
	columns := make(map[string]int, len(d.Settings))
	for i := range d.Settings {
		s := &d.Settings[i]
		f := d.field(s)
		if f := f.Sent(); !f.Local || f.Uploads != "" || f.Path == d.Resource.Parent {
			columns[f.Path] = s.Column
		}
		if f.Answers != nil {
			for n, column := range d.Answered {
				columns[f.Path+"."+strconv.Itoa(n)] = column
			}
		}
	}
	return columns
}
