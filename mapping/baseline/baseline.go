// Package baseline knows what the cells of an exported row said, so that a row that
// comes back tells which of them somebody has touched.
//
// A baseline is one text: the id of the record, when it was read, and for each field that
// the export filled eight hex digits of the hash of its value.
//
//	evt-9aQ2 2027-05-01T10:00:00.250Z name=1b9f2c04 start_at=77d0aa31
//
// The value is hashed as it is meant, not as it is written: an instant, a number, the
// text of a choice, the document that is written in Markdown. A list of records, such as the tags of an event, has the digits of each,
// joined by a plus sign. A spreadsheet program may show a date or a number otherwise, and has
// touched nothing by that.
package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// ID returns what the baselines of a record are known by: its id, else its name within
// what it belongs to. It is empty for a draft that does not name its record.
func ID(d *schema.Draft) string {
	if f, ok := d.Resource.ByPath(d.Resource.ID); ok && (d.Text(f.ID) != "" || d.Resource.Lookup == "") {
		return d.Text(f.ID)
	}
	name := d.Name()
	if name == "" {
		return ""
	}
	return d.Resource.Name + "/" + url.QueryEscape(d.Value(d.Resource.Parent)) + "/" + url.QueryEscape(strings.ToLower(name))
}

// stamp is how the time is written: to tell what came before and after in a second.
const stamp = "2006-01-02T15:04:05.000Z07:00"

// Append appends the baseline of a record that was read at that time: of what the draft
// says of the fields.
func Append(dst []byte, at time.Time, d *schema.Draft, fields []*schema.Field) []byte {
	dst = append(dst, ID(d)...)
	dst = append(dst, ' ')
	dst = at.UTC().AppendFormat(dst, stamp)
	if f := catalog.Field(schema.FieldCalendarID); d.Resource.Keyed() && d.Calendar != "" && slices.Contains(fields, f) {
		dst = append(dst, " "+f.Path+"="+hash(f, d.Calendar)...)
	}
	return appendSums(dst, d, fields)
}

// Says returns what the baseline of a row holds that says of its event what the draft does,
// behind the id and the time: see [Of].
func Says(d *schema.Draft) string {
	fields := make([]*schema.Field, len(d.Settings))
	for i := range d.Settings {
		fields[i] = catalog.Field(d.Settings[i].Field)
	}
	return string(appendSums(nil, d, fields))
}

// Of returns the baseline of a record that is at that time as a row says.
func Of(id string, at time.Time, says string) string {
	return id + " " + at.UTC().Format(stamp) + says
}

func appendSums(dst []byte, d *schema.Draft, fields []*schema.Field) []byte {
	for _, f := range fields {
		if s := d.Get(f.ID); s != nil && s.State == schema.Set && !d.Resource.Names(f) {
			dst = append(dst, ' ')
			dst = append(dst, f.Path...)
			dst = append(dst, '=')
			dst = append(dst, sumOf(s)...)
		}
	}
	return dst
}

// Record is a record as people know it.
type Record struct{ Resource, Name string }

// known begins what a baseline says of its record, at its end.
const known = " @"

// AppendRecord appends to the baseline of a record how people know it, for whoever finds no row of it.
func AppendRecord(dst []byte, d *schema.Draft) []byte {
	name := d.Text(catalog.FieldName)
	if !d.Resource.Keyed() {
		name = d.Name()
	}
	return append(dst, known+d.Resource.Name+"="+url.QueryEscape(name)...)
}

// CutRecord parts a baseline from how people know its record; ok is false where it does not say.
func CutRecord(text string) (base string, r Record, ok bool) {
	base, said, _ := strings.Cut(text, known)
	resource, name, ok := strings.Cut(said, "=")
	name, err := url.QueryUnescape(strings.TrimSpace(name))
	return base, Record{resource, name}, ok && err == nil
}

// Base is a baseline.
type Base struct {
	ID   string
	At   time.Time
	sums string
}

// Later returns the version of a baseline of a later form, which begins with it: v2. That of this program says none.
func Later(text string) (version string, later bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	n, err := strconv.Atoi(strings.TrimPrefix(first, "v"))
	return first, err == nil && n > 1 && strings.HasPrefix(first, "v")
}

// Parse reads a baseline.
func Parse(text string) (b Base, ok bool) {
	id, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	stamp, sums, _ := strings.Cut(rest, " ")
	at, err := time.Parse(time.RFC3339, stamp)
	return Base{id, at, " " + sums}, id != "" && err == nil
}

// Filled reports whether the export had a value for the field.
func (b *Base) Filled(f *schema.Field) bool { return b.sum(f) != "" }

// Says reports whether the setting has the value that the export had.
func (b *Base) Says(s *schema.Setting) bool {
	return s.State == schema.Set && b.is(catalog.Field(s.Field), sumOf(s), s.Text)
}

// Has reports whether the export had that item among those of the field, in any letter case.
func (b *Base) Has(f *schema.Field, item string) bool {
	return slices.Contains(strings.Split(b.sum(f), "+"), itemHash(f, item))
}

// On reports whether the export had the event on the calendar.
func (b *Base) On(calendar string) bool {
	return b.Holds(catalog.Field(schema.FieldCalendarID), calendar)
}

// Holds reports whether a cell has the text that the export gave it, of a value that no
// row could say.
func (b *Base) Holds(f *schema.Field, cell string) bool {
	return b.is(f, hash(f, f.Kind.Meant(cell)), cell)
}

// is reports whether the export had the value of that hash, which is written so. Exports of earlier
// versions have the hash of a Markdown text in the place of that of its document.
func (b *Base) is(f *schema.Field, sum, text string) bool {
	had := b.sum(f)
	return had == sum || f.Kind == schema.Markdown && had == hash(f, schema.Text.Meant(text))
}

// sum returns the hash that the baseline has for the field, empty where it has none.
func (b *Base) sum(f *schema.Field) string {
	_, after, found := strings.Cut(b.sums, " "+f.Path+"=")
	if !found {
		return ""
	}
	sum, _, _ := strings.Cut(after, " ")
	return sum
}

// sumOf returns the hash of a setting's value.
func sumOf(s *schema.Setting) string {
	f, text := catalog.Field(s.Field), s.Text
	switch f.Kind {
	case schema.Timestamp:
		if s.Instant != 0 {
			text = strconv.FormatInt(s.Instant, 10)
		}
	case schema.Integer, schema.Number:
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(value, 'g', -1, 64)
		}
	case schema.List:
		if f.Each != nil {
			return itemSums(f, s)
		}
	case schema.Zone, schema.Color, schema.Slug, schema.Enum, schema.Bool:
	default:
		text = f.Kind.Meant(text)
	}
	return hash(f, text)
}

// itemSums returns the hashes of the items of a cell, each of which is a record of its own.
func itemSums(f *schema.Field, s *schema.Setting) string {
	items := value.Items(f, s)
	for i, item := range items {
		items[i] = itemHash(f, item)
	}
	slices.Sort(items)
	return strings.Join(items, "+")
}

func itemHash(f *schema.Field, item string) string { return hash(f, strings.ToLower(item)) }

func hash(f *schema.Field, text string) string {
	sum := sha256.Sum256([]byte(f.Path + "\x00" + text))
	return hex.EncodeToString(sum[:4])
}
