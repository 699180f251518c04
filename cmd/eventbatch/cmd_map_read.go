package main

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// table is the rows of a file, as far as a mapping needs to know them: a sheet or several of one
// shape, with what further sheets say of their places.
type table struct {
	file      string
	options   sheet.Options
	encoding  string      // of a text file that is in none of Unicode
	remark    string      // how it was found
	sheet     string      // the first that is read; empty for a text file
	named     []string    // the sheets, where a mapping has to name them
	others    []string    // that are not read
	hidden    []string    // columns that are hidden, and are read like the others
	title     string      // what stands above the header
	heads     []head      // of all sheets that may be read
	top       []mapDocTop // the first rows of the sheet
	headerRow int
	width     int      // own columns
	most      int      // rows that are read; 0 is all
	cut       bool     // there are more
	beside    []string // columns that only some of the sheets have
	joins     []match.Join
	unheaded  yamldoc.Map[string] // names of own columns that have no header
	columns   *match.Columns
}

// head is the header of one sheet.
type head struct {
	sheet  string
	row    int        // physical; 0 where no row is one
	title  string     // what stands above it
	above  *sheet.Row // the last row before it; nil where there is none
	header []string   // without blanks at the end
	top    []mapDocTop
	known  int  // words of it that are known
	starts bool // a column is named like the start of an event
}

// better reports whether a sheet looks more like one of events than another.
func (h *head) better(other *head) bool {
	if h.starts != other.starts {
		return h.starts
	}
	return h.known > other.known || h.row > 0 && other.row == 0
}

// readTable reads the sheets to their end: what proves the order of their dates may stand
// in the last row. Of several sheets it takes the one whose headers are best known, with
// those that have the same.
func readTable(
	ctx context.Context, file string, options sheet.Options, named string, config match.Config, most int,
) (*table, error) {
	f, err := sheet.Open(ctx, file, options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	heads, err := readHeads(ctx, f, named, config.HeaderRow)
	if err != nil {
		return nil, err
	}
	all := heads
	if len(config.Sheet) > 0 { // a mapping is given
		others := func(h head) bool { return !takesSheet(config.Sheet, h.sheet) }
		if taken := slices.DeleteFunc(slices.Clone(heads), others); len(taken) > 0 {
			heads = taken
		}
	}
	best := bestHead(heads, named)
	t := &table{
		most: most, file: file, options: options, sheet: heads[best].sheet, headerRow: heads[best].row, width: len(heads[best].header),
	}
	t.title, t.encoding = heads[best].title, f.Encoding()
	t.heads, t.top = all, heads[best].top
	if t.headerRow == 0 {
		return nil, t.noHeader(config.HeaderRow)
	}
	same, others := []head{heads[best]}, slices.Delete(slices.Clone(heads), best, best+1)
	if named == "" {
		if same, others, err = t.alike(ctx, f, heads, best, config); err != nil {
			return nil, err
		}
	}
	if named != "" || best > 0 || len(same) > 1 {
		for _, h := range same {
			t.named = append(t.named, h.sheet)
		}
	}
	if err := t.name(ctx, f, &same[0]); err != nil {
		return nil, err
	}
	lookups, err := t.lookups(ctx, f, same, others)
	if err != nil {
		return nil, err
	}
	if err := t.read(ctx, f, same, lookups); err != nil {
		return nil, err
	}
	for _, note := range f.Notes() {
		if note.Code == schema.CodeEncodingFound {
			t.remark = note.Message
		}
	}
	return t, nil
}

// bestHead returns the index of the head of the named sheet, or of the one whose rows are most likely meant.
func bestHead(heads []head, named string) int {
	best := max(slices.IndexFunc(heads, func(h head) bool { return h.sheet == named }), 0)
	for i := range heads {
		if named == "" && heads[i].better(&heads[best]) {
			best = i
		}
	}
	return best
}

// alike parts the sheets into those whose rows are read as those of the best, and the others. Columns that nothing
// is read from make no difference, for which the best is read by itself first.
func (t *table) alike(ctx context.Context, f *sheet.File, heads []head, best int, config match.Config) (same, others []head, err error) {
	header := heads[best].header
	var p *match.Proposal
	for i, h := range heads {
		var beside []string
		alike := i == best || match.SameHeader(header, h.header)
		if !alike && h.starts && heads[best].starts {
			if p == nil {
				if err := t.read(ctx, f, heads[best:best+1], nil); err != nil {
					return nil, nil, err
				}
				p = t.columns.Propose(t.configured(config))
			}
			beside, alike = p.Alike(header, h.header)
		}
		if !alike {
			others = append(others, h)
			continue
		}
		same, t.beside = append(same, h), append(t.beside, beside...)
	}
	best = slices.IndexFunc(same, func(h head) bool { return h.sheet == t.sheet })
	if !match.SameHeader(same[0].header, header) { // the columns are those of the best
		same[0], same[best] = same[best], same[0]
	}
	return same, others, nil
}

// configured returns the settings of a proposal with what the file says.
func (t *table) configured(config match.Config) match.Config {
	config.Encoding, config.RowsAt = t.encoding, t.options.RowsAt
	config.Sheet, config.Joins, config.Width, config.Beside = t.named, t.joins, t.width, t.beside
	config.Named = t.unheaded
	if r, ok := catalog.ResourceNamed(t.sheet); ok && config.Resource == nil {
		config.Resource = r
	}
	config.About, config.Now = t.file+" "+t.sheet+" "+t.title, time.Now()
	config.Lies = func(path string) bool { return liesBelow(filepath.Dir(t.file), path) }
	return config
}

// readHeads finds the header of the sheet that is named, and of each that is visible.
func readHeads(ctx context.Context, f *sheet.File, named string, headerRow int) ([]head, error) {
	var heads []head
	for _, s := range f.Sheets() {
		if !s.Hidden && !s.Own || s.Name == named {
			heads = append(heads, head{sheet: s.Name})
		}
	}
	if !slices.ContainsFunc(heads, func(h head) bool { return named == "" || h.sheet == named }) {
		heads = []head{{sheet: named}} // which to read tells why it is not there
	}
	for i := range heads {
		h := &heads[i]
		var rows []sheet.Row
		for row, err := range f.Rows(ctx, h.sheet) {
			if err != nil {
				return nil, err
			}
			whole := h.first(&row, f.Date1904())
			switch {
			case headerRow == 0 || row.Number < headerRow:
				rows = append(rows, row)
			case row.Number == headerRow:
				rows, h.row = append(rows, row), headerRow
			}
			if whole && row.Number >= headerRow {
				break
			}
		}
		at, known := match.Header(rows)
		switch {
		case headerRow > 0 && h.row == 0:
			continue
		case headerRow > 0:
			at = len(rows) - 1
		case at < 0:
			continue
		}
		h.row, h.known, h.header = rows[at].Number, known, match.HeaderTexts(&rows[at], f.Date1904())
		h.starts = match.NamesStart(h.header)
		for k := range rows[:at] {
			h.above = new(rows[k])
			h.above.Cells = slices.Clone(rows[k].Cells)
			for _, cell := range rows[k].Cells {
				h.title = strings.TrimSpace(h.title + " " + cell.Text)
			}
		}
	}
	return heads, nil
}

// What a document shows of the first rows of a sheet.
const shownCells = 20

// first keeps a row among the first of the sheet. It reports whether they are all that are looked at.
func (h *head) first(row *sheet.Row, date1904 bool) (whole bool) {
	if len(h.top) < sheet.HeaderRows {
		texts := match.HeaderTexts(row, date1904)
		cells := make([]string, min(len(texts), shownCells))
		for i := range cells {
			text := texts[i]
			if row.Cells[i].Kind == sheet.Date && text != "" {
				text = datetime.ShownSerial(row.Cells[i].Text, date1904)
			}
			cells[i] = printable.Brief(text, longestExample)
		}
		h.top = append(h.top, mapDocTop{row.Number, cells})
	}
	return len(h.top) == sheet.HeaderRows
}

// takesSheet reports whether one of the globs of a mapping is for a sheet.
func takesSheet(globs mapfile.Names, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		fits, err := path.Match(glob, name)
		return err == nil && fits || glob == name
	})
}

// reads reports whether the rows of a sheet are read by a mapping.
func (t *table) reads(p *match.Proposal, name string) bool {
	return slices.Contains(t.named, name) && !p.File.SkipsSheet(name)
}

// rows calls f with the rows below the headers, until it reports false.
func (h *head) rows(ctx context.Context, file *sheet.File, f func(row *sheet.Row) bool) error {
	for row, err := range file.Rows(ctx, h.sheet) {
		if err != nil {
			return err
		}
		if row.Number > h.row && !f(&row) {
			return nil
		}
	}
	return nil
}

// name gives names to the columns of a header that have none, as far as the first cells below say what they are.
func (t *table) name(ctx context.Context, f *sheet.File, h *head) error {
	if !slices.Contains(h.header, "") {
		return nil
	}
	var rows []sheet.Row
	if err := h.rows(ctx, f, func(row *sheet.Row) bool {
		rows = append(rows, *row)
		return len(rows) < sheet.HeaderRows
	}); err != nil {
		return err
	}
	t.unheaded = match.Unheaded(h.header, rows, f.Date1904())
	h.header = (&mapfile.File{Named: t.unheaded}).Header(h.header)
	return nil
}

// lookups finds the sheets that say where the events of the others are.
func (t *table) lookups(ctx context.Context, f *sheet.File, same, others []head) ([]*match.Lookup, error) {
	var found []*match.Lookup
	for _, h := range others {
		l := match.NewLookup(h.sheet, h.header)
		if l == nil || h.row == 0 {
			continue
		}
		if err := h.rows(ctx, f, l.Row); err != nil {
			return nil, err
		}
		found = append(found, l)
	}
	for i := range same {
		if len(found) == 0 {
			break
		}
		if err := same[i].rows(ctx, f, func(row *sheet.Row) bool {
			for _, l := range found {
				l.See(row)
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	found = slices.DeleteFunc(found, func(l *match.Lookup) bool {
		join := l.Join(same[0].header)
		if join != nil {
			t.joins = append(t.joins, *join)
		}
		return join == nil
	})
	for _, h := range others {
		if !slices.ContainsFunc(t.joins, func(j match.Join) bool { return j.Sheet == h.sheet }) {
			t.others = append(t.others, h.sheet)
		}
	}
	return found, nil
}

// read judges the columns by the rows, with what those say that are looked up.
func (t *table) read(ctx context.Context, f *sheet.File, same []head, lookups []*match.Lookup) error {
	header := same[0].header
	for i := range t.joins {
		header = append(slices.Clip(header), t.joins[i].Headers()...)
	}
	t.columns = match.NewColumns(header, f.Date1904())
	rows := 0
	for i := range same {
		h := &same[i]
		order := h.order(same[0].header)
		t.columns.Title(h.above, h.sheet)
		if err := h.rows(ctx, f, func(row *sheet.Row) bool {
			if rows++; t.most > 0 && rows > t.most {
				t.cut = true
				return false
			}
			row = ordered(row, order)
			for k, width := 0, t.width; k < len(lookups); k++ {
				wide := lookups[k].Widen(row, width)
				row, width = &wide, len(wide.Cells)
			}
			t.columns.Add(row)
			return true
		}); err != nil {
			return err
		}
		if order == nil {
			t.columns.Merged(f.Merges(h.sheet), h.row)
		}
		for _, column := range f.HiddenColumns(h.sheet) {
			if column < len(h.header) && !slices.Contains(t.hidden, h.header[column]) {
				t.hidden = append(t.hidden, h.header[column])
			}
		}
	}
	return nil
}

// order returns the places of the columns of a header in this one, -1 for those that it lacks; nil where the two
// are the same.
func (h *head) order(header []string) []int {
	if match.SameHeader(h.header, header) {
		return nil
	}
	places := make([]int, len(header))
	for i, name := range header {
		if places[i] = -1; name != "" {
			places[i] = sheet.FindColumn(h.header, name)
		}
	}
	return places
}

// ordered returns a row with its cells at other places.
func ordered(row *sheet.Row, places []int) *sheet.Row {
	if places == nil {
		return row
	}
	other := *row
	other.Cells = make([]sheet.Cell, len(places))
	for i, at := range places {
		if at >= 0 {
			other.Cells[i] = row.Cell(at)
		}
	}
	return &other
}

// noHeader returns the error of a sheet without a row that names its columns.
func (t *table) noHeader(row int) error {
	p := schema.Problem{
		Code: schema.CodeNoHeader, Place: schema.Place{File: t.file, Sheet: t.sheet, Row: row, Column: -1},
		Message: "no row looks like a header", Hint: "say --header-row, or write a row of names above the data",
	}
	if row > 0 {
		p.Message, p.Hint = "the row is blank, and was said to be the header", "correct --header-row"
	}
	return &sheet.Error{Problem: p}
}
