package match

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// sameHeader reports whether two sheets have the same columns in the same order.
func sameHeader(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool { return sheet.NormalHeader(x) == sheet.NormalHeader(y) })
}

// alike reports whether the rows of another sheet can be read as those of the proposal's: it has all columns that
// something is read from, and what it has beside those of the header says nothing of events. It returns that.
func (p *Proposal) alike(header, other []string) (beside []string, alike bool) {
	if sameHeader(header, other) {
		return nil, true
	}
	for _, h := range header {
		ignored := slices.ContainsFunc(p.Ignored, func(i Ignored) bool { return i.Header == h })
		if h != "" && !ignored && sheet.OnlyColumn(other, h) < 0 {
			return nil, false
		}
	}
	for _, h := range other {
		if h == "" || sheet.FindColumn(header, h) >= 0 {
			continue
		}
		if claims := claimsOf(h); len(claims) > 0 && claims[0].semantic != typeAside {
			return nil, false
		}
		beside = append(beside, h)
	}
	return beside, true
}

// sheetStep says which sheets are read, and which are joined to them.
type sheetStep struct{ *builder }

// sheets asks which further sheets of the same columns hold events too, unless their names say so: a month, or a
// name like that of the first but for its number.
func (b sheetStep) sheets() {
	all := b.config.Sheet
	if len(all) < 2 {
		return
	}
	var doubtful, likely []string
	for _, name := range all[1:] {
		if isPeriod(name) || reads.Shape(name) == reads.Shape(all[0]) {
			continue
		}
		doubtful = append(doubtful, name)
		if !mentions(fold(name), "cancelled", "other sheet") {
			likely = append(likely, name)
		}
	}
	if len(doubtful) == 0 {
		return
	}
	q := Question{
		ID: "sheets", At: "sheet", Text: "which of the sheets " + strings.Join(doubtful, ", ") + " hold events too?",
		Why:     "they have the columns of " + quoted(all[0]),
		Choices: []Choice{{mapfile.HiddenRead, "all are read"}, {mapfile.HiddenSkip, "none of them is read"}},
		Default: strings.Join(likely, ", "),
		Free:    "the names of those to read, with commas", check: func(answer string) bool { return lists(answer, doubtful) },
	}
	switch len(likely) {
	case 0:
		q.Default = mapfile.HiddenSkip
	case len(doubtful):
		q.Default = mapfile.HiddenRead
	}
	answer, ok := b.ask(q)
	if !ok {
		answer = q.Default
	}
	chosen := strings.Split(answer, ", ")
	skipped := func(name string) bool {
		return slices.Contains(doubtful, name) && answer != mapfile.HiddenRead && !slices.Contains(chosen, name)
	}
	b.p.File.Sheet = slices.DeleteFunc(slices.Clone(all), skipped)
	b.p.File.SkipSheets = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !skipped(name) })
}

// lists reports whether a text lists some names.
func lists(text string, names []string) bool {
	return !slices.ContainsFunc(strings.Split(text, ", "), func(name string) bool { return !slices.Contains(names, name) })
}

// placeTypes are the columns of a sheet of venues that a row of events may take from there.
var placeTypes = []semantic{typeStreet, typeCity, typePostcode, typeRegion, typeCountry, typeLatitude, typeLongitude, typePoint}

// lookup is a further sheet of a workbook that may be a table of venues. It is given the rows of
// that sheet, then the rows of events, and knows by which columns the two belong together.
type lookup struct {
	sheet  string
	header []string
	places []int // columns that say where a venue is
	keys   []lookupKey
	rows   [][]sheet.Cell // of those columns
	join   *Join
	taken  []int // of the columns of rows
	on, by int   // column of the events, and index in keys
}

// lookupKey is a column of the table whose values name its rows.
type lookupKey struct {
	column int
	values map[string]int // rows by value
	seen   []coverage     // by column of the events
}

// coverage is how many values of a column stand in the table.
type coverage struct {
	inside, outside map[string]bool
	missing         []string // the first values that do not
}

// The bounds of a table of venues, and of the different values that are compared.
const (
	lookupRows   = 5000
	lookupValues = 5000
)

// newLookup returns nil where no column of the header says where something is.
func newLookup(name string, header []string) *lookup {
	l := &lookup{sheet: name, header: header}
	for i, h := range header {
		claims := claimsOf(h)
		if len(claims) > 0 && claims[0].basis != BySimilar &&
			slices.ContainsFunc(claims, func(c claim) bool { return slices.Contains(placeTypes, c.semantic) }) {
			l.places = append(l.places, i)
		}
		l.keys = append(l.keys, lookupKey{column: i, values: map[string]int{}})
	}
	if len(l.places) == 0 || len(header) < 2 {
		return nil
	}
	return l
}

// row takes a row of the table. It reports whether it is of use to give it more.
func (l *lookup) row(row *sheet.Row) bool {
	cells := make([]sheet.Cell, len(l.places))
	for i, at := range l.places {
		cells[i] = row.Cell(at)
	}
	l.rows = append(l.rows, cells)
	l.keys = slices.DeleteFunc(l.keys, func(k lookupKey) bool {
		text := sheet.NormalHeader(row.Cell(k.column).Text)
		_, again := k.values[text]
		k.values[text] = len(l.rows) - 1
		return again || !strings.ContainsFunc(text, unicode.IsLetter)
	})
	if len(l.rows) > lookupRows {
		l.keys = nil
	}
	return len(l.keys) > 0
}

// see takes a row of events.
func (l *lookup) see(row *sheet.Row) {
	for i := range l.keys {
		k := &l.keys[i]
		for column := range row.Cells {
			if column >= len(k.seen) {
				k.seen = append(k.seen, coverage{inside: map[string]bool{}, outside: map[string]bool{}})
			}
			text := sheet.NormalHeader(row.Cells[column].Text)
			if c := &k.seen[column]; text != "" && len(c.inside)+len(c.outside) < lookupValues {
				_, inside := k.values[text]
				c.see(text, row.Cells[column].Text, inside)
			}
		}
	}
}

func (c *coverage) see(folded, text string, inside bool) {
	switch {
	case inside:
		c.inside[folded] = true
	case c.outside[folded]:
	default:
		c.outside[folded] = true
		if len(c.missing) < 3 {
			c.missing = append(c.missing, strings.TrimSpace(text))
		}
	}
}

// Join is a sheet of venues with the columns by which rows are looked up in it.
type Join struct {
	Sheet, On, Key string
	Columns        []string // of the sheet, which say where a venue is
	Values         int      // different ones in the column of the rows
	Missing        int      // of them that the sheet does not have
	Examples       []string // of those
}

// joinBy returns the columns by which the two sheets belong together, those of most values; nil
// where there are none. header is that of the events.
func (l *lookup) joinBy(header []string) *Join {
	most := 0
	for i, k := range l.keys {
		for column := range min(len(k.seen), len(header)) {
			c := &k.seen[column]
			in, out := len(c.inside), len(c.outside)
			if header[column] == "" || in <= most || in*5 < (in+out)*4 || in < min(2, len(l.rows)) {
				continue
			}
			most, l.on, l.by = in, column, i
			l.join = &Join{
				Sheet: l.sheet, On: header[column], Key: l.header[k.column], Values: in + out, Missing: out, Examples: c.missing,
			}
		}
	}
	if l.join != nil {
		for i, at := range l.places {
			if at != l.keys[l.by].column { // the rows have it
				l.taken = append(l.taken, i)
				l.join.Columns = append(l.join.Columns, l.header[at])
			}
		}
	}
	return l.join
}

// widen returns a row of so many columns with those of the table behind them.
func (l *lookup) widen(row *sheet.Row, width int) sheet.Row {
	wide := *row
	wide.Cells = make([]sheet.Cell, width+len(l.taken))
	copy(wide.Cells[:width], row.Cells)
	k := &l.keys[l.by]
	if at, ok := k.values[sheet.NormalHeader(row.Cell(l.on).Text)]; ok {
		for i, column := range l.taken {
			wide.Cells[width+i] = l.rows[at][column]
		}
	}
	return wide
}

// name returns the name of the table in a mapping.
func (j *Join) name() string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == ' ' {
			return '_'
		}
		return r
	}, strings.TrimSpace(j.Sheet))
}

// headers returns the table's columns as a mapping names them.
func (j *Join) headers() []string {
	names := make([]string, len(j.Columns))
	for i, c := range j.Columns {
		names[i] = j.name() + "." + c
	}
	return names
}

// lookups proposes the tables that rows are looked up in, and asks for those that do not have
// all values. The columns of those that are not joined feed nothing.
func (b sheetStep) lookups() {
	for i := range b.config.Joins {
		j := &b.config.Joins[i]
		line := Line{
			Basis: ByValues, Reason: "the sheet " + quoted(j.Sheet) + " has all " + strconv.Itoa(j.Values) + " values of " + quoted(j.On),
		}
		join := true
		if j.Missing > 0 {
			some := strconv.Itoa(j.Values-j.Missing) + " of " + strconv.Itoa(j.Values) + " values"
			answer, _ := b.ask(Question{
				ID: "joins:" + j.Sheet, At: "joins", Default: "join",
				Text: "is " + quoted(j.On) + " to be looked up in the sheet " + quoted(j.Sheet) + ", for " +
					strings.Join(j.Columns, ", ") + "?",
				Why: some + " stand there under " + quoted(j.Key) + ", not " + strings.Join(j.Examples, ", "),
				Choices: []Choice{
					{"join", "what the sheet does not have is left blank, with a warning"}, {None, "the sheet is not read"},
				},
			})
			join, line = answer == "join", Line{Basis: ByAnswer, Reason: "answered: it has " + some + " of " + quoted(j.On)}
		}
		if join {
			b.p.File.Joins = append(b.p.File.Joins, yamldoc.Item[mapfile.Join]{
				Key: j.name(), Value: mapfile.Join{Sheet: j.Sheet, On: j.On, Key: j.Key},
			})
			b.say("joins", line)
			continue
		}
		for at := range b.all.columns {
			if c := &b.all.columns[at]; b.joined(c) && strings.HasPrefix(c.header, j.name()+".") {
				b.used[at] = true
			}
		}
	}
}

// unjoined takes out the tables that nothing is read from. A column of theirs that feeds nothing is
// not in the rows' own sheet, so that nobody misses it.
func (b sheetStep) unjoined() {
	for i := range b.all.columns {
		if c := &b.all.columns[i]; b.joined(c) {
			b.used[i] = true
		}
	}
	read := b.p.File.Inputs()
	b.p.File.Joins = slices.DeleteFunc(b.p.File.Joins, func(item yamldoc.Item[mapfile.Join]) bool {
		return !slices.ContainsFunc(read, func(name string) bool { return strings.HasPrefix(name, item.Key+".") })
	})
	if len(b.p.File.Joins) == 0 {
		b.p.Lines = slices.DeleteFunc(b.p.Lines, func(l Line) bool { return l.At == "joins" })
	}
}

// sayNamed says why columns without a header have names.
func (b sheetStep) sayNamed() {
	if len(b.config.Named) == 0 {
		return
	}
	var texts []string
	for _, item := range b.config.Named {
		texts = append(texts, "column "+item.Key+" has no header, and its cells are of the kind "+quoted(item.Value))
	}
	b.say("names", Line{Basis: ByValues, Reason: strings.Join(texts, "; ")})
}
