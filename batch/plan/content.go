package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// A content hash has two parts with a plus sign between them: 32 hex digits for the
// values that an update can bring, and 16 for those that only a create takes, none
// where the event was made without such values. Of an event that may have been made
// with anything, the hash ends before the plus sign. The hash of a row that sets nothing
// that an update can bring begins with it.

func contentHash(hash, made string) string {
	if hash == "" && made == "" {
		return ""
	}
	return Values(hash) + "+" + made
}

// Values returns the part of a content hash that an update can change.
func Values(hash string) string {
	before, _, _ := strings.Cut(hash, "+")
	return before
}

// Made returns the part of a content hash that no update changes, with its plus sign.
func Made(hash string) string { return strings.TrimPrefix(hash, Values(hash)) }

// made returns the hash of what only a create takes, as the event was made with it.
// certain is false where that is not known.
func (k *Known) made() (hash string, certain bool) {
	_, after, certain := strings.Cut(k.Hash, "+")
	return after, certain
}

func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// describe names the content that the row asks for and where it came from. It reports whether the row goes further.
func (r *row) describe(cover *Cover) (further bool) {
	if r.d.Resource.Cell != nil {
		r.op.Hash = shortHash(r.op.Event.Name)
		return true
	}
	r.op.Cover = cover
	err := r.content()
	if err != nil {
		r.unsound(err)
	}
	return err == nil
}

func (r *row) content() error {
	r.op.From = r.d.Columns()
	content, err := schema.AppendContent(r.p.buf[:0], r.d)
	if err != nil {
		return err
	}
	if r.d.Action == schema.Delete {
		content = append(content, "deleted"...) // a row that asks for the same and is no more to go is another
	}
	if string(content) != "{}" {
		if r.op.Cover != nil {
			content = append(content, r.op.Cover.SHA256...)
		}
		sum := sha256.Sum256(content)
		r.op.Hash = hex.EncodeToString(sum[:16])
	}
	r.made = ""
	if content, err = schema.AppendCreateOnly(content[:0], r.d); err != nil {
		return err
	}
	if string(content) != "{}" {
		sum := sha256.Sum256(content)
		r.made = hex.EncodeToString(sum[:8])
	}
	r.p.buf = content
	r.op.Hash = contentHash(r.op.Hash, r.made)
	return nil
}

// leftOut warns, at its cell, of a value that only a create takes, where the row's
// event exists and was not certainly made with that value: the rest of the row is
// sent. had is what the event was made with.
func (r *row) leftOut(had string, certain bool) {
	op, d := r.op, r.d
	if r.made == "" || certain && had == r.made {
		return
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		f := &schema.Fields[s.Field]
		if f.On != schema.OnCreate || f.Manner {
			continue
		}
		place := d.Place
		place.Column = s.Column
		op.Problems = append(op.Problems, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeFieldLeftOut, Field: f.Path, Place: place, Value: s.Text,
			Message: f.Path + " can be set only when an event is created, and this one exists as " + op.Event.ID + ": the cell is left out",
			Hint:    "change it on the event's page",
		})
	}
}

// stays warns, at its cell, of a value that only an added record takes, where the record is there
// with another: as it was read, or else as it was made with other values.
func (r *row) stays() {
	for i := range r.d.Settings {
		s := &r.d.Settings[i]
		f := s.Field.Field()
		if f.On.Has(schema.OnUpdate) || !f.On.Has(schema.OnCreate) || f.Fixed || f.Manner || f.Local || s.Untouched ||
			f.Each != nil || f.Answers != nil && r.live != nil || r.d.Resource.Names(f) || s.State != schema.Set {
			continue
		}
		is := "with another"
		if r.live != nil {
			value, told := r.live.Values[f.Read()]
			if !told || f.Compare(s.JSON(), value) == schema.Alike {
				continue
			}
			is = "as " + shown(value)
		}
		r.op.Problems = append(r.op.Problems, problemAt(r.d, f.Path, schema.CodeFieldLeftOut,
			fmt.Sprintf("%s of %s can be set only when it is added: this one is there %s, and the cell is left out",
				f.Path, r.d.Resource.Some(), is), "leave the cell as it was, or change it on the platform"))
	}
}
