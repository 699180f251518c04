package match

import (
	"context"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Wanted says what is read of a file for a proposal.
type Wanted struct {
	File    string
	Options sheet.Options
	Sheet   string // by its name; empty: the one whose headers are best known, with those that have the same
	Most    int    // rows; 0: all
}

// Table is the rows of a file, as far as a mapping needs to know them: a sheet or several of one shape, with what
// further sheets say of their places.
type Table struct {
	*Columns

	Config    Config // with what the file says
	File      string
	Sheet     string // the first that is read; empty for a text file
	HeaderRow int
	Remark    string   // how the file was found to be written
	Others    []string // sheets that are not read
	Hidden    []string // columns that are hidden, and are read like the others
	Top       []TopRow // the first rows of the sheet
	Cut       bool     // there are more rows than were wanted

	file  *sheet.File // only while it is read
	heads []head      // of all sheets that may be read
}

// Read reads the sheets to their end: what proves the order of their dates may stand in the last row. Of several
// sheets it takes the one whose headers are best known, with those that have the same; where the config names sheets,
// as a mapping that is given does, one of those.
func Read(ctx context.Context, w Wanted, config Config) (*Table, error) {
	f, err := sheet.Open(ctx, w.File, w.Options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	t := &Table{Config: config, File: w.File, file: f}
	if t.heads, err = readHeads(ctx, f, w.Sheet, config.HeaderRow); err != nil {
		return nil, err
	}
	heads := t.heads
	others := func(h head) bool {
		return !slices.ContainsFunc(config.Sheet, func(glob string) bool { return mapfile.FitsSheet(glob, h.sheet) })
	}
	if taken := slices.DeleteFunc(slices.Clone(heads), others); len(taken) > 0 {
		heads = taken
	}
	at := bestHead(heads, w.Sheet)
	best := &heads[at]
	t.Sheet, t.HeaderRow, t.Top = best.sheet, best.row, best.top
	if t.HeaderRow == 0 {
		return nil, t.noHeader()
	}
	t.configure(best, w.Options.RowsAt)
	same, rest := []head{*best}, slices.Delete(slices.Clone(heads), at, at+1)
	if w.Sheet == "" {
		if same, rest, err = t.alike(ctx, heads, at, w.Most); err != nil {
			return nil, err
		}
	}
	if w.Sheet != "" || at > 0 || len(same) > 1 {
		for _, h := range same {
			t.Config.Sheet = append(t.Config.Sheet, h.sheet)
		}
	}
	if err := t.name(ctx, &same[0]); err != nil {
		return nil, err
	}
	lookups, err := t.lookups(ctx, same, rest)
	if err != nil {
		return nil, err
	}
	if err := t.read(ctx, same, lookups, w.Most); err != nil {
		return nil, err
	}
	for _, note := range f.Notes() {
		if note.Code == schema.CodeEncodingFound {
			t.Remark = note.Message
		}
	}
	return t, nil
}

// configure adds what the file and the head of a sheet say by themselves.
func (t *Table) configure(best *head, rowsAt string) {
	c := &t.Config
	c.Encoding, c.RowsAt, c.Sheet, c.Width = t.file.Encoding(), rowsAt, nil, len(best.header)
	if r, ok := catalog.ResourceNamed(best.sheet); ok && c.Resource == nil {
		c.Resource = r
	}
	c.About = t.File + " " + best.sheet + " " + best.title
}

// alike parts the sheets into those whose rows are read as those of the best, and the others. Columns that nothing
// is read from make no difference, for which the best is read by itself first.
func (t *Table) alike(ctx context.Context, heads []head, best, most int) (same, others []head, err error) {
	header := heads[best].header
	var p *Proposal
	for i, h := range heads {
		var beside []string
		alike := i == best || sameHeader(header, h.header)
		if !alike && h.starts && heads[best].starts {
			if p == nil {
				if err := t.read(ctx, heads[best:best+1], nil, most); err != nil {
					return nil, nil, err
				}
				p = t.Propose(t.Config)
			}
			beside, alike = p.alike(header, h.header)
		}
		if !alike {
			others = append(others, h)
			continue
		}
		same, t.Config.Beside = append(same, h), append(t.Config.Beside, beside...)
	}
	best = slices.IndexFunc(same, func(h head) bool { return h.sheet == t.Sheet })
	if !sameHeader(same[0].header, header) { // the columns are those of the best
		same[0], same[best] = same[best], same[0]
	}
	return same, others, nil
}

// name gives names to the columns of a header that have none, as far as the first cells below say what they are.
func (t *Table) name(ctx context.Context, h *head) error {
	if !slices.Contains(h.header, "") {
		return nil
	}
	var rows []sheet.Row
	if err := h.rows(ctx, t.file, func(row *sheet.Row) bool {
		rows = append(rows, *row)
		return len(rows) < sheet.HeaderRows
	}); err != nil {
		return err
	}
	t.Config.Named = unheaded(h.header, rows, t.file.Date1904())
	h.header = (&mapfile.File{Named: t.Config.Named}).Header(h.header)
	return nil
}

// lookups finds the sheets that say where the events of the others are.
func (t *Table) lookups(ctx context.Context, same, others []head) ([]*lookup, error) {
	var found []*lookup
	for _, h := range others {
		l := newLookup(h.sheet, h.header)
		if l == nil || h.row == 0 {
			continue
		}
		if err := h.rows(ctx, t.file, l.row); err != nil {
			return nil, err
		}
		found = append(found, l)
	}
	for i := range same {
		if len(found) == 0 {
			break
		}
		if err := same[i].rows(ctx, t.file, func(row *sheet.Row) bool {
			for _, l := range found {
				l.see(row)
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	found = slices.DeleteFunc(found, func(l *lookup) bool {
		join := l.joinBy(same[0].header)
		if join != nil {
			t.Config.Joins = append(t.Config.Joins, *join)
		}
		return join == nil
	})
	for _, h := range others {
		if !t.joined(h.sheet) {
			t.Others = append(t.Others, h.sheet)
		}
	}
	return found, nil
}

// joined reports whether a sheet says where the events of the others are.
func (t *Table) joined(name string) bool {
	return slices.ContainsFunc(t.Config.Joins, func(j Join) bool { return j.Sheet == name })
}

// read judges the columns by the rows, with what those say that are looked up.
func (t *Table) read(ctx context.Context, same []head, lookups []*lookup, most int) error {
	header := same[0].header
	for i := range t.Config.Joins {
		header = append(slices.Clip(header), t.Config.Joins[i].headers()...)
	}
	t.Columns = NewColumns(header, t.file.Date1904())
	rows := 0
	for i := range same {
		h := &same[i]
		order := h.order(same[0].header)
		t.title(h.above, h.sheet)
		if err := h.rows(ctx, t.file, func(row *sheet.Row) bool {
			if rows++; most > 0 && rows > most {
				t.Cut = true
				return false
			}
			row = ordered(row, order)
			for k, width := 0, t.Config.Width; k < len(lookups); k++ {
				wide := lookups[k].widen(row, width)
				row, width = &wide, len(wide.Cells)
			}
			t.Add(row)
			return true
		}); err != nil {
			return err
		}
		if order == nil {
			t.merged(t.file.Merges(h.sheet), h.row)
		}
		for _, column := range t.file.HiddenColumns(h.sheet) {
			if column < len(h.header) && !slices.Contains(t.Hidden, h.header[column]) {
				t.Hidden = append(t.Hidden, h.header[column])
			}
		}
	}
	return nil
}

// noHeader returns the error of a sheet without a row that names its columns.
func (t *Table) noHeader() error {
	p := schema.Problem{
		Code: schema.CodeNoHeader, Place: schema.Place{File: t.File, Sheet: t.Sheet, Row: t.Config.HeaderRow, Column: -1},
		Message: "no row looks like a header", Hint: "say --header-row, or write a row of names above the data",
	}
	switch {
	case t.Config.HeaderRow > 0:
		p.Message, p.Hint = "the row is blank, and was said to be the header", "correct --header-row"
	case len(t.Top) == 0:
		p.Message, p.Hint = Empty()
	}
	return &sheet.Error{Problem: p}
}

// Empty returns what is said of a sheet without a row, and what to do.
func Empty() (message, hint string) {
	return "the sheet is empty", "the first row has to name the columns"
}

// Sheet is a sheet of a workbook, as it is told.
type Sheet struct {
	Name      string `json:"name"`
	HeaderRow int    `json:"header_row"`       // 0 where no row is one
	Read      bool   `json:"read"`             // its rows are
	Joined    bool   `json:"joined,omitempty"` // it says where events are
}

// Sheets returns the sheets of a workbook, but those that are hidden, as a mapping reads them.
func (t *Table) Sheets(p *Proposal) []Sheet {
	all := []Sheet{}
	for _, h := range t.heads {
		if h.sheet != "" {
			read := h.sheet == t.Sheet || slices.Contains(t.Config.Sheet, h.sheet) && !p.File.SkipsSheet(h.sheet)
			all = append(all, Sheet{h.sheet, h.row, read, t.joined(h.sheet)})
		}
	}
	return all
}
