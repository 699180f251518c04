package check

import (
	"encoding/binary"
	"hash/maphash"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// Rows checks rows against the rows before them. It remembers sixteen bytes for
// each key, event id and slug, so that a million rows fit beside their reader. The
// zero value is ready; it belongs to one goroutine.
type Rows struct {
	set    set
	seeds  [2]maphash.Seed
	sheets []sheetRows
	buf    []byte

	saidHost bool // the warning has been given
}

// sheetRows is one sheet that rows came from: its row r is ordinal base+r.
type sheetRows struct {
	file, sheet string
	base, last  uint32
	noKey       bool // the warning has been given
}

// What a fingerprint is of.
const (
	ofKey byte = iota
	ofEventID
	ofSlug
	ofCreate
)

// Add checks a draft against those added before, which come in the order of the
// files. Rows that ask for nothing are not added.
//
// A row without key, event id and slug is taken for its calendar, name and start:
// two such rows that agree in all three are one event twice. Each sheet with such
// rows is warned of once, since a row that is renamed or moved later would make a new event.
//
// Where the rules know no address for pictures, the first row with one is warned of.
func (r *Rows) Add(d *schema.Draft, rules *Rules, emit func(schema.Problem)) {
	if d.Action == schema.Skip {
		return
	}
	r.hostUnchecked(d, rules, emit)
	sheet := r.at(d.Place)
	ordinal := sheet.base + uint32(d.Place.Row)
	sheet.last = max(sheet.last, ordinal)

	named := d.Key != ""
	if d.Key != "" {
		r.begin(d, ofKey)
		r.note(d, ofKey, schema.FieldKey, d.Key, ordinal, emit)
	}
	if s := d.Get(schema.FieldEventID); s != nil && s.State == schema.Set {
		named = true
		r.begin(d, ofEventID)
		r.note(d, ofEventID, schema.FieldEventID, s.Text, ordinal, emit)
	}
	if s := d.Get(schema.FieldSlug); s != nil && s.State == schema.Set {
		named = true
		r.begin(d, ofSlug)
		r.note(d, ofSlug, schema.FieldSlug, strings.ToLower(s.Text), ordinal, emit)
	}
	if named || d.Action != schema.Upsert && d.Action != schema.Create {
		return
	}
	if !sheet.noKey {
		sheet.noKey = true
		emit(schema.Problem{
			Severity: schema.Warning, Code: schema.CodeNoKey, Field: schema.FieldKey.Path(), Place: d.Place,
			Message: "nothing names this row for good, so its name and start do",
			Hint:    "add a key column with an id of your own: without it, a row that is renamed or moved makes a second event",
		})
	}
	name, start := d.Text(schema.FieldName), d.Get(schema.FieldStartAt)
	if name == "" || start == nil {
		return
	}
	r.begin(d, ofCreate)
	r.buf = binary.LittleEndian.AppendUint64(r.buf, uint64(start.Instant))
	r.note(d, ofCreate, schema.FieldName, name, ordinal, emit)
}

// hostUnchecked says once that nothing is known of where pictures have to lie.
func (r *Rows) hostUnchecked(d *schema.Draft, rules *Rules, emit func(schema.Problem)) {
	s := d.Get(schema.FieldCoverURL)
	if r.saidHost || rules.ImageBase != "" || s == nil || s.State != schema.Set {
		return
	}
	r.saidHost = true
	p := schema.Problem{
		Severity: schema.Warning, Code: schema.CodeImageHostUnchecked, Field: schema.FieldCoverURL.Path(), Place: d.Place, Value: s.Text,
		Message: "the addresses of pictures cannot be checked, as the profile names no image host", Hint: "set image_cdn_base in the profile",
	}
	p.Place.Column = s.Column
	emit(p)
}

// at finds the sheet that a row belongs to.
func (r *Rows) at(p schema.Place) *sheetRows {
	if n := len(r.sheets); n > 0 && r.sheets[n-1].file == p.File && r.sheets[n-1].sheet == p.Sheet {
		return &r.sheets[n-1]
	}
	for i := range r.sheets {
		if r.sheets[i].file == p.File && r.sheets[i].sheet == p.Sheet {
			return &r.sheets[i]
		}
	}
	if r.sheets == nil {
		r.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	var base uint32
	for _, s := range r.sheets {
		base = max(base, s.last)
	}
	r.sheets = append(r.sheets, sheetRows{file: p.File, sheet: p.Sheet, base: base, last: base})
	return &r.sheets[len(r.sheets)-1]
}

var duplicates = [...]struct {
	code   schema.Code
	is     string
	remedy string
}{
	ofKey:     {schema.CodeDuplicateKey, "the key ", "give each event a key of its own"},
	ofEventID: {schema.CodeDuplicateEventID, "the event ", "bring what the event shall become into one row"},
	ofSlug:    {schema.CodeDuplicateSlug, "the slug ", "give each event a slug of its own"},
	ofCreate:  {schema.CodeDuplicateCreate, "an event of this name and start", "take one of the two out, or give each a key"},
}

// begin starts a fingerprint's text. Keys and names hold within a calendar, event
// ids and slugs everywhere.
func (r *Rows) begin(d *schema.Draft, of byte) {
	r.buf = append(r.buf[:0], of)
	if of == ofKey || of == ofCreate {
		r.buf = append(r.buf, d.Calendar...)
		r.buf = append(r.buf, 0)
	}
}

// note remembers what was begun together with a text, and reports where it was met before.
func (r *Rows) note(d *schema.Draft, of byte, id schema.ID, text string, ordinal uint32, emit func(schema.Problem)) {
	r.buf = append(r.buf, text...)
	mark := fingerprint{maphash.Bytes(r.seeds[0], r.buf), uint32(maphash.Bytes(r.seeds[1], r.buf))}
	before, twice := r.set.add(mark, ordinal)
	if !twice || before == ordinal {
		return
	}
	dup := &duplicates[of]
	p := schema.Problem{Code: dup.code, Field: id.Path(), Place: d.Place, Message: dup.is, Hint: dup.remedy}
	if p.Value = d.Key; of != ofKey {
		s := d.Get(id)
		p.Place.Column, p.Value = s.Column, s.Text
	}
	if of != ofCreate {
		p.Message += strconv.Quote(p.Value)
	}
	p.Message += " stands in " + r.where(before, d.Place) + " already"
	emit(p)
}

// where names the row of an ordinal, with its file and sheet where they are not those of p.
func (r *Rows) where(ordinal uint32, p schema.Place) string {
	for _, s := range r.sheets {
		if s.base < ordinal && ordinal <= s.last {
			row := "row " + strconv.FormatUint(uint64(ordinal-s.base), 10)
			switch {
			case s.file != p.File && s.sheet != "":
				return row + " of " + s.file + ":" + s.sheet
			case s.file != p.File:
				return row + " of " + s.file
			case s.sheet != p.Sheet:
				return row + " of sheet " + s.sheet
			}
			return row
		}
	}
	return "an earlier row"
}
