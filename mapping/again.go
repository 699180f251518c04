package mapping

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// recordRows finds what several files of a folder hold: an older and a newer export of one shop, its orders and its list of
// attendees. The first file decides what becomes of it, and a row of another file that says the same is left out. Of two
// files of one kind that say different things one is old, which nobody but a person knows.
type recordRows map[string]*recordRow

// recordRow is the first row of a record.
type recordRow struct {
	place schema.Place
	kind  string // the preset by which its file is read
	key   string
	why   string // the row is left out
	at    string // of an event: its address
	says  []statement
}

// statement is what a row says of one field.
type statement struct {
	field schema.ID
	state schema.State
	text  uint64
}

var statementSeed = maphash.MakeSeed()

func saying(s *schema.Setting) statement {
	return statement{s.Field, s.State, maphash.String(statementSeed, s.Text)}
}

// newRecordRows returns an empty one for the records of several files; nil where there are no several.
func newRecordRows(o *options) recordRows {
	var files []string
	for i := range o.Inputs {
		if in := &o.Inputs[i]; !slices.Contains(files, in.File) {
			files = append(files, in.File)
		}
	}
	if len(files) < 2 || o.Raw {
		return nil
	}
	return recordRows{}
}

// meet takes a row in the order of the files.
func (a recordRows) meet(result *Result, b *binding) {
	d := result.Draft
	if a == nil || d == nil || result.Of > 0 {
		return
	}
	kind := ""
	if b.options.mapping != nil {
		kind = b.options.mapping.Preset()
	}
	guests, names := d.Resource == catalog.Guests, namesOf(d)
	var before *recordRow
	for _, name := range names {
		if before = a[name]; before != nil {
			break
		}
	}
	switch {
	case before != nil && before.place.File != d.Place.File:
		if !before.elsewhere(d) {
			before.meet(result, kind)
			return
		}
		names = names[:1]
	case result.Invalid() || !guests && result.Skipped != "" || before != nil && before.why == "":
		return
	}
	row := &recordRow{place: d.Place, kind: kind, key: d.Key, why: result.Skipped, says: make([]statement, len(d.Settings))}
	row.at = strings.Clone(d.Text(catalog.FieldAddress))
	for i := range d.Settings {
		row.says[i] = saying(&d.Settings[i])
	}
	for _, name := range names {
		a[strings.Clone(name)] = row
	}
}

// namesOf returns what the record of a row is known by: an event by its key, and by its name and start.
func namesOf(d *schema.Draft) (names []string) {
	id := func(parts ...string) string {
		return strings.ToLower(d.Resource.Name + "\x00" + d.Calendar + "\x00" + strings.Join(parts, "\x00"))
	}
	if !d.Resource.Keyed() {
		if d.Name() != "" {
			names = append(names, id(d.Value(d.Resource.Parent), d.Name()))
		}
		return names
	}
	if d.Key != "" {
		names = append(names, id("key", d.Key))
	}
	name, start := d.Text(catalog.FieldName), d.Get(catalog.FieldStartAt)
	if name != "" && start != nil && start.State == schema.Set {
		names = append(names, id("at", strconv.FormatInt(start.Instant, 10), name))
	}
	return names
}

// elsewhere reports whether an event of the same name and start is another one: at another place, with a key of its own.
func (s *recordRow) elsewhere(d *schema.Draft) bool {
	if !d.Resource.Keyed() || d.Key == "" || d.Key == s.key {
		return false
	}
	place := func(address string) string {
		first, _, _ := strings.Cut(address, ",")
		return strings.ToLower(strings.TrimSpace(first))
	}
	here, there := place(d.Text(catalog.FieldAddress)), place(s.at)
	return here != "" && there != "" && here != there
}

// meet settles a row of another file than the first.
func (s *recordRow) meet(result *Result, kind string) {
	d := result.Draft
	guests, out := d.Resource == catalog.Guests, result.Skipped != ""
	alike := !guests || kind == s.kind // else the first file knows what the other does not
	differs, column := s.differs(d)
	if guests && out != (s.why != "") {
		differs, column = catalog.GuestStatus().Path, -1
	}
	switch one := d.Resource.One; {
	case result.Invalid(), out && (!alike || differs == "" || !guests):
	case alike && differs != "":
		p := schema.Problem{
			Severity: schema.Error, Code: schema.CodeDuplicateKey, Field: differs, Place: d.Place,
			Message: "the same " + one + " is in " + s.place.String() + ", where " + differs + " is another",
			Hint:    "keep the newer of the two files in the folder; what is about something else is migrated by itself",
		}
		if differs == catalog.Path(schema.FieldKey) {
			p.Message = "an event of this name and start is in " + s.place.String() + " too"
		}
		p.Place.Column = column
		result.Problems, result.Again = append(result.Problems, p), true
	default:
		result.Skipped, result.Again, result.Problems = "the same "+one+" as in "+s.place.File, true, nil
		if s.why != "" {
			result.Skipped += ", where " + s.why
		}
		d.Action = schema.Skip
	}
}

// differs returns the path of a field of which a row says something else, with the column that does; no path where none does.
func (s *recordRow) differs(d *schema.Draft) (path string, column int) {
	if d.Key != s.key {
		return catalog.Path(schema.FieldKey), -1
	}
	for i := range d.Settings {
		if !slices.Contains(s.says, saying(&d.Settings[i])) {
			return catalog.Path(d.Settings[i].Field), d.Settings[i].Column
		}
	}
	for _, before := range s.says {
		if d.Get(before.field) == nil {
			return catalog.Path(before.field), -1
		}
	}
	return "", -1
}
