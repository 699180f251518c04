package mapping

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// normalize brings a header to the form in which headers are compared: without a
// byte-order mark, composed (NFC), lower case, every run of white space and
// underscores a single space, none around it.
func normalize(header string) string {
	header = norm.NFC.String(strings.ReplaceAll(header, "\ufeff", ""))
	words := strings.FieldsFunc(strings.ToLower(header), func(r rune) bool {
		return r == '_' || r == ' ' || r == '\u00a0' || r == '\u202f' || r >= '\t' && r <= '\r'
	})
	return strings.Join(words, " ")
}

// part is what a column holds of a time.
type part uint8

const (
	whole part = iota // a date with a time, or any other value
	dateOnly
	clockOnly
)

// rank is how sure a match is: a lower one wins over a higher.
type rank uint8

const (
	byPath  rank = iota // the field's path, exact or normalised
	byOld               // a deprecated path
	byAlias             // a name that other programs use
)

// claim is a column that could feed a field.
type claim struct {
	column int
	field  *schema.Field // as the header names it: perhaps a deprecated one
	part   part
	rank   rank
}

// aliases are headers that real files use, in normalised form.
var aliases = func() map[string]claim {
	table := map[string]claim{}
	for _, line := range []struct {
		id    schema.ID
		part  part
		names string
	}{
		{schema.FieldName, whole, "title, subject, summary, event name, event title"},
		{schema.FieldStartAt, whole, "start, event start, dtstart, date time, starts at"},
		{schema.FieldStartAt, dateOnly, "date, start date, event date, date from, event start date"},
		{schema.FieldStartAt, clockOnly, "time, start time, event start time"},
		{schema.FieldEndAt, whole, "end, event end, dtend, ends at"},
		{schema.FieldEndAt, dateOnly, "end date, date to, event end date"},
		{schema.FieldEndAt, clockOnly, "end time, event end time"},
		{schema.FieldTimezone, whole, "time zone, event timezone, event time zone, tz"},
		{schema.FieldAddress, whole, "location, venue, venue name, event venue name, event location, place"},
		{schema.FieldDescriptionMD, whole, "description, details, content, event description"},
		{schema.FieldMaxCapacity, whole, "capacity, max attendees, event spaces"},
		{schema.FieldMeetingURL, whole, "url, link"},
		{schema.FieldCoverURL, whole, "photo url, image url, event featured image"},
		{schema.FieldKey, whole, "id, uid, event uid, external id"},
		{schema.FieldCalendarID, whole, "calendar"},
		{schema.FieldLatitude, whole, "latitude, lat"},
		{schema.FieldLongitude, whole, "longitude, long, lng, lon"},
	} {
		for name := range strings.SplitSeq(line.names, ", ") {
			table[name] = claim{field: line.id.Field(), part: line.part, rank: byAlias}
		}
	}
	return table
}()

// paths finds a field by its normalised path.
var paths = func() map[string]*schema.Field {
	table := make(map[string]*schema.Field, len(schema.Fields))
	for i := range schema.Fields {
		table[normalize(schema.Fields[i].Path)] = &schema.Fields[i]
	}
	return table
}()

// ours are the columns of a results file, and that of an annotated copy; the word
// says what its cells are.
var ours = map[string]bool{
	"_row": true, "_sheet": true, "_action": true, "_status": true, "_event_id": true,
	"_url": true, "_error": true, "_field": true, "_at": true,
	sheet.MarkColumn: true,
}

// claimOf finds the field that a header names.
func claimOf(header string, column int) (claim, bool) {
	name := normalize(header)
	if field, ok := paths[name]; ok {
		c := claim{column: column, field: field, rank: byPath}
		if field.Deprecated {
			c.rank = byOld
		}
		return c, true
	}
	c, ok := aliases[name]
	c.column = column
	return c, ok
}

// recognized counts the cells of a row that name a field or a column of the
// mapping: the row that has the most is the header.
func recognized(cells []string, f *File) int {
	n := 0
	wanted := f.headers()
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if _, ok := claimOf(cell, i); ok || wanted[normalize(cell)] || ours[cell] {
			n++
		}
	}
	return n
}

// headers is the set of the columns that a mapping reads, normalised.
func (f *File) headers() map[string]bool {
	if f == nil {
		return nil
	}
	set := map[string]bool{}
	if f.auto {
		for _, p := range Presets() {
			maps.Copy(set, p.File.headers())
			for _, name := range slices.Concat(p.File.Source.Headers, p.File.Source.Also) {
				set[normalize(name)] = true
			}
		}
	}
	for _, name := range f.read() {
		set[normalize(name)] = true
		if others, ok := f.Aliases.Get(name); ok {
			for _, other := range others {
				set[normalize(other)] = true
			}
		}
	}
	return set
}

// choice is the columns that feed one field.
type choice struct {
	field    *schema.Field // canonical
	columns  []int
	old      *schema.Field // the deprecated field that the header names
	borrowed bool          // the first column is the start's date
}

// choose settles which columns feed which fields. A field's own name wins over
// an old one, and that over an alias: what loses is left over. Two columns that
// name the same field equally well are a problem.
func choose(header []string, skip func(column int) bool) (choices []choice, left []int, problems []schema.Problem) {
	claims := make([][]claim, len(schema.Fields))
	for i, h := range header {
		c, ok := claimOf(h, i)
		switch {
		case skip(i) || h == "":
		case !ok || c.field.Canonical().Deprecated:
			left = append(left, i)
		default:
			id := c.field.Canonical().ID
			claims[id] = append(claims[id], c)
		}
	}
	startDate := -1
	for id, all := range claims {
		best := byAlias
		for _, c := range all {
			best = min(best, c.rank)
		}
		var kept []claim
		for _, c := range all {
			if c.rank == best {
				kept = append(kept, c)
			} else {
				left = append(left, c.column)
			}
		}
		if len(kept) == 0 {
			continue
		}
		ch := choice{field: schema.ID(id).Field()}
		if kept[0].rank == byOld {
			ch.old = kept[0].field
		}
		var clash bool
		ch.columns, clash = settle(kept)
		if clash {
			problems = append(problems, clashProblem(header, kept, ch.field))
			continue
		}
		if ch.field.ID == schema.FieldStartAt && kept[0].rank == byAlias && (len(kept) > 1 || kept[0].part == dateOnly) {
			startDate = ch.columns[0]
		}
		if ch.field.ID == schema.FieldEndAt && len(kept) == 1 && kept[0].part == clockOnly && startDate >= 0 {
			ch.columns, ch.borrowed = []int{startDate, kept[0].column}, true
		}
		choices = append(choices, ch)
	}
	return choices, left, problems
}

// settle puts the columns of one field in order: a date before its time.
func settle(kept []claim) (columns []int, clash bool) {
	if len(kept) == 1 {
		return []int{kept[0].column}, false
	}
	if len(kept) == 2 && kept[0].part == dateOnly && kept[1].part == clockOnly {
		return []int{kept[0].column, kept[1].column}, false
	}
	if len(kept) == 2 && kept[0].part == clockOnly && kept[1].part == dateOnly {
		return []int{kept[1].column, kept[0].column}, false
	}
	return nil, true
}

func clashProblem(header []string, kept []claim, field *schema.Field) schema.Problem {
	first, second := kept[0].column, kept[1].column
	p := schema.Problem{
		Code: schema.CodeDuplicateField, Field: field.Path,
		Place:   schema.Place{Column: second, Header: header[second]},
		Message: quoted(header[first]) + " in column " + schema.ColumnName(first) + " and " + quoted(header[second]) + " in column " + schema.ColumnName(second) + " both feed " + field.Path,
		Hint:    "rename one of them, or say in a mapping file which one it is",
	}
	if header[first] == header[second] {
		p.Code = schema.CodeDuplicateHeader
		p.Message = "the header " + quoted(header[first]) + " stands in columns " + schema.ColumnName(first) + " and " + schema.ColumnName(second)
	}
	return p
}
