package check

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Claims holds the keys, ids and slugs that the rows of a batch, all of one sheet, use and
// that no other row may. Batches are collected side by side, so that [Rows], which takes
// one after the other, has little left to do. Texts of the drafts are kept, not the drafts
// themselves. The zero value is empty.
type Claims struct {
	list        []claim
	resource    *schema.Resource
	file, sheet string
	buf         []byte

	unnamed  *remark // the first row that nothing names
	pictured *remark // the first row with the address of a picture
}

// remark is a problem that is told once, of the first row that has it.
type remark struct {
	row     int
	problem schema.Problem
}

// claim is one thing that only one row may have.
type claim struct {
	print  fingerprint
	text   string
	row    int32 // index in the batch
	number uint32
	line   int32
	column int32
	of     kind
}

// kind is what a claim is of.
type kind uint8

// fingerprint is a hash of 96 bits: with ten million of them the odds of any two
// different texts sharing one are below one in 10^14.
type fingerprint struct {
	high uint64
	low  uint32
}

const (
	ofKey kind = iota
	ofEventID
	ofSlug
	ofCreate
	ofRecord // of another resource than events: its name within what it belongs to
	ofOther  // of one that has no such name: what names it then
)

// Reset empties the claims for the next batch.
func (c *Claims) Reset() {
	*c = Claims{list: c.list[:0], buf: c.buf}
}

// Len returns the number of claims.
func (c *Claims) Len() int { return len(c.list) }

// Take takes the claims of the row with an index. A row that asks for nothing
// claims nothing.
//
// A row without key, event id and slug is taken for its calendar, name and start:
// two such rows that agree in all three are one event twice.
func (c *Claims) Take(row int, d *schema.Draft) {
	if d.Action == schema.Skip {
		return
	}
	c.resource, c.file, c.sheet = d.Resource, d.Place.File, d.Place.Sheet
	if c.pictured == nil && d.Has(catalog.FieldCoverURL) {
		if s := d.Get(catalog.FieldCoverURL); s.State == schema.Set && !s.Untouched {
			c.pictured = &remark{row, hostUnchecked(d, s)}
		}
	}
	by := claim{row: int32(row), number: uint32(d.Place.Row), line: int32(d.Place.Line), column: -1}
	if !d.Resource.Keyed() {
		c.takeRecord(d, &by)
		return
	}
	before := len(c.list)
	if d.Key != "" {
		c.begin(ofKey, d.Calendar)
		by.text = d.Key
		c.note(&by, ofKey, d.Key)
	}
	if s := d.Get(catalog.FieldEventID); s != nil && s.State == schema.Set {
		c.begin(ofEventID, "")
		by.text, by.column = s.Text, int32(s.Column)
		c.note(&by, ofEventID, s.Text)
	}
	if s := d.Get(catalog.FieldSlug); s != nil && s.State == schema.Set {
		c.begin(ofSlug, "")
		by.text, by.column = s.Text, int32(s.Column)
		c.note(&by, ofSlug, strings.ToLower(s.Text))
	}
	if len(c.list) > before || d.Action != schema.Upsert && d.Action != schema.Create {
		return
	}
	if c.unnamed == nil {
		c.unnamed = &remark{row, noKey(d)}
	}
	name, start := d.Get(catalog.FieldName), d.Get(catalog.FieldStartAt)
	if name == nil || name.State != schema.Set || name.Text == "" || start == nil {
		return
	}
	c.begin(ofCreate, d.Calendar)
	c.buf = binary.LittleEndian.AppendUint64(c.buf, uint64(start.Instant))
	by.text, by.column = name.Text, int32(name.Column)
	c.note(&by, ofCreate, name.Text)
}

// takeRecord takes the name that a row's record has within what it belongs to.
func (c *Claims) takeRecord(d *schema.Draft, by *claim) {
	f := d.Naming()
	s := d.Get(f.ID)
	if f.ID == schema.FieldKey && d.Key != "" {
		s = &schema.Setting{State: schema.Set, Column: -1, Text: d.Key}
	}
	if s == nil || s.State != schema.Set {
		return
	}
	of := ofRecord
	if f.Path == d.Resource.Or {
		of = ofOther
	}
	c.begin(of, d.Calendar)
	c.buf = append(append(c.buf, d.Resource.Name...), 0) // somebody may be guest and host of an event
	c.buf = append(append(c.buf, d.Value(d.Resource.Parent)...), 0)
	by.text, by.column = s.Text, int32(s.Column)
	c.note(by, of, strings.ToLower(s.Text))
}

// begin starts a fingerprint's text. Keys and names hold within a calendar, event
// ids and slugs everywhere.
func (c *Claims) begin(of kind, calendar string) {
	c.buf = append(append(append(c.buf[:0], byte(of)), calendar...), 0)
}

// The seeds are those of every fingerprint there is.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// note claims what was begun together with a text.
func (c *Claims) note(by *claim, of kind, text string) {
	c.buf = append(c.buf, text...)
	by.of, by.print = of, fingerprint{maphash.Bytes(seeds[0], c.buf), uint32(maphash.Bytes(seeds[1], c.buf))}
	c.list = append(c.list, *by)
}

func hostUnchecked(d *schema.Draft, s *schema.Setting) schema.Problem {
	p := schema.Problem{
		Severity: schema.Warning, Code: schema.CodeImageHostUnchecked, Field: catalog.Path(catalog.FieldCoverURL), Place: d.Place,
		Value:   s.Text,
		Message: "the addresses of pictures cannot be checked, as the profile names no image host",
		Hint:    "set image_cdn_base in the profile",
	}
	p.Place.Column = s.Column
	return p
}

func noKey(d *schema.Draft) schema.Problem {
	return schema.Problem{
		Severity: schema.Warning, Code: schema.CodeNoKey, Field: catalog.Path(schema.FieldKey), Place: d.Place,
		Message: "the row has no key: with another name or start it becomes a second event",
		Hint:    "add a column key with an id of your own for each row; this is said of the first row without one",
	}
}
