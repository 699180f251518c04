package main

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// table is the rows of a file, as far as a mapping needs to know them: a sheet or several of one
// shape, with what further sheets say of their places.
type table struct {
	file      string
	options   sheet.Options
	sheet     string   // the first that is read; empty for a text file
	named     []string // the sheets, where a mapping has to name them
	others    []string // that are not read
	hidden    []string // columns that are hidden, and are read like the others
	title     string   // what stands above the header
	headerRow int
	width     int // own columns
	joins     []match.Join
	columns   *match.Columns
}

// head is the header of one sheet.
type head struct {
	sheet  string
	row    int      // physical; 0 where no row is one
	title  string   // what stands above it
	header []string // without blanks at the end
	known  int      // words of it that are known
	starts bool     // a column is named like the start of an event
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
func readTable(ctx context.Context, file string, options sheet.Options, named string, headerRow int) (*table, error) {
	f, err := sheet.Open(ctx, file, options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	heads, err := readHeads(ctx, f, named, headerRow)
	if err != nil {
		return nil, err
	}
	best := max(slices.IndexFunc(heads, func(h head) bool { return h.sheet == named }), 0)
	for i, h := range heads {
		if named == "" && h.better(&heads[best]) {
			best = i
		}
	}
	t := &table{file: file, options: options, sheet: heads[best].sheet, headerRow: heads[best].row, width: len(heads[best].header)}
	t.title = heads[best].title
	if t.headerRow == 0 {
		return nil, t.noHeader(headerRow)
	}
	var same, others []head
	for i, h := range heads {
		if i == best || named == "" && match.SameHeader(h.header, heads[best].header) {
			same = append(same, h)
		} else {
			others = append(others, h)
		}
	}
	if named != "" || best > 0 || len(same) > 1 {
		for _, h := range same {
			t.named = append(t.named, h.sheet)
		}
	}
	lookups, err := t.lookups(ctx, f, same, others)
	if err != nil {
		return nil, err
	}
	return t, t.read(ctx, f, same, lookups)
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
			if headerRow > 0 && row.Number >= headerRow {
				if row.Number == headerRow {
					rows, h.row = []sheet.Row{row}, headerRow
				}
				break
			}
			if rows = append(rows, row); headerRow == 0 && len(rows) == sheet.HeaderRows {
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
		h.row, h.known, h.header = rows[at].Number, known, headerOf(&rows[at])
		h.starts = match.NamesStart(h.header)
		for k := range rows[:at] {
			for _, cell := range rows[k].Cells {
				h.title = strings.TrimSpace(h.title + " " + cell.Text)
			}
		}
	}
	return heads, nil
}

func headerOf(row *sheet.Row) []string {
	header := make([]string, len(row.Cells))
	n := 0
	for i, cell := range row.Cells {
		if text := cell.Text; strings.TrimSpace(text) != "" {
			header[i], n = text, i+1
		}
	}
	return header[:n]
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
	for i := range same {
		if err := same[i].rows(ctx, f, func(row *sheet.Row) bool {
			for k, width := 0, t.width; k < len(lookups); k++ {
				wide := lookups[k].Widen(row, width)
				row, width = &wide, len(wide.Cells)
			}
			t.columns.Add(row)
			return true
		}); err != nil {
			return err
		}
		t.columns.Merged(f.Merges(same[i].sheet), same[i].row)
		for _, column := range f.HiddenColumns(same[i].sheet) {
			if column < t.width && !slices.Contains(t.hidden, header[column]) {
				t.hidden = append(t.hidden, header[column])
			}
		}
	}
	return nil
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
