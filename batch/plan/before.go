package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Before is the before-image of an update: what it changes as it was, and enough of the rest
// to see that somebody has changed the event since.
type Before struct {
	Fields map[string]json.RawMessage `json:"fields"`          // that it changes, by their paths
	Rest   string                     `json:"rest"`            // hash of all other fields that were told; empty of a record
	Whole  bool                       `json:"whole,omitempty"` // they are those of a read of the event, not of a list
	Start  json.RawMessage            `json:"start,omitempty"` // when it began, by which it is listed again
}

// imageOf returns the before-image of a record whose fields are going to change.
func imageOf(of *schema.Resource, live map[string]json.RawMessage, whole bool, change []*schema.Field) Before {
	b := Before{Fields: map[string]json.RawMessage{}, Whole: whole, Start: live[catalog.Field(catalog.FieldStartAt).Read()]}
	for _, f := range change {
		if value, told := live[f.Read()]; told {
			b.Fields[f.Path] = value
		}
	}
	if of.Keyed() { // any other record may be changed by several requests of one row
		b.Rest = b.rest(of, live)
	}
	return b
}

// rest returns the hash of what a record tells besides the fields of the image. What is no
// field, such as the number of guests, may change at any time.
func (b *Before) rest(of *schema.Resource, live map[string]json.RawMessage) string {
	sum := sha256.New()
	for i := range of.Own {
		f := &of.Own[i]
		_, part := f.Object()
		_, changes := b.Fields[f.Path]
		value, told := live[f.Read()]
		if !told || changes || part || f.Local || f.Manner || f.Deprecated || f.Each != nil || !f.On.Has(schema.OnUpdate) {
			continue
		}
		_, _ = io.WriteString(sum, f.Path+"\x00"+canonical(value)+"\x00") // never fails
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Changed returns the fields of the image that are neither as they were nor as what was sent
// says, which is nil where nothing was. other reports whether any other field has changed.
func (b *Before) Changed(r *schema.Resource, live, sent map[string]json.RawMessage) (fields []Change, other bool) {
	for i := range r.Own {
		f := &r.Own[i]
		was, kept := b.Fields[f.Path]
		now, mine := live[f.Read()], sent[f.Path]
		moved := canonical(was) != canonical(now)
		switch {
		case f.Kind == schema.List:
			moved = value.Compare(f, was, now) != value.Alike
		case f.Wanes && less(now, was):
			moved = false // it was used
		}
		if kept && moved && (mine == nil || value.Compare(f, mine, now) != value.Alike) {
			fields = append(fields, Change{Field: f.Path, Base: was, Live: now, Mine: mine})
		}
	}
	return fields, sent == nil && b.Rest != "" && b.rest(r, live) != b.Rest
}

// canonical writes a value in one form, whatever its blanks and the order of its members.
func canonical(value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	text, _ := json.Marshal(v) // what came as JSON is JSON
	return string(text)
}

// keep stores with an op the before-image of what it changes of a record that lists show.
func keep(op *Op, d *schema.Draft, live *Listed) {
	var fields []*schema.Field
	for _, f := range d.Resource.Columns() {
		if !f.Local && !f.Manner && f.Answers == nil && (op.Action == Cancel || d.Has(f.ID) && d.Sends(d.Get(f.ID))) {
			fields = append(fields, f)
		}
	}
	op.Before, _ = json.Marshal(imageOf(d.Resource, live.Values, false, fields)) // what came as JSON is JSON
}
