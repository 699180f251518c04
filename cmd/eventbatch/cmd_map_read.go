package main

import (
	"context"
	"strings"

	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// table is one sheet of a file, as far as a mapping needs to know it.
type table struct {
	file      string
	options   sheet.Options
	sheet     string // empty for a text file
	named     string // the sheet, where a mapping has to name it
	others    []string
	headerRow int
	columns   *match.Columns
}

// readTable reads a sheet to its end: what proves the order of its dates may stand
// in the last row. Of several sheets it takes the one whose headers are best known.
func readTable(ctx context.Context, file string, options sheet.Options, named string, headerRow int) (*table, error) {
	f, err := sheet.Open(ctx, file, options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	t := &table{file: file, options: options, named: named, headerRow: headerRow}
	if err := t.choose(ctx, f, named); err != nil {
		return nil, err
	}
	var held []sheet.Row
	for row, err := range f.Rows(ctx, t.sheet) {
		if err != nil {
			return nil, err
		}
		switch {
		case t.columns != nil:
			t.columns.Add(&row)
		case headerRow > 0:
			if row.Number >= headerRow {
				if row.Number > headerRow {
					return nil, t.noHeader(headerRow)
				}
				t.begin(f, []sheet.Row{row}, 0)
			}
		default:
			if held = append(held, row); len(held) == sheet.HeaderRows {
				if err := t.find(f, held); err != nil {
					return nil, err
				}
			}
		}
	}
	switch {
	case t.columns != nil:
		return t, nil
	case headerRow > 0:
		return nil, t.noHeader(headerRow)
	}
	return t, t.find(f, held)
}

// choose takes the sheet that is named, else the visible one whose headers are best known.
func (t *table) choose(ctx context.Context, f *sheet.File, named string) error {
	t.sheet = named
	if named != "" {
		return nil
	}
	first, most := true, 0
	for _, s := range f.Sheets() {
		if s.Hidden || s.Own {
			continue
		}
		if s.Name == "" {
			return nil
		}
		var head []sheet.Row
		for row, err := range f.Rows(ctx, s.Name) {
			if err != nil {
				return err
			}
			if head = append(head, row); len(head) == sheet.HeaderRows {
				break
			}
		}
		_, known := match.Header(head)
		if first || known > most {
			t.sheet, most = s.Name, known
			if t.named = ""; !first {
				t.named = s.Name
			}
		}
		first = false
		t.others = append(t.others, s.Name)
	}
	return nil
}

func (t *table) find(f *sheet.File, head []sheet.Row) error {
	at, _ := match.Header(head)
	if at < 0 {
		return t.noHeader(0)
	}
	t.begin(f, head, at)
	return nil
}

// begin takes a row for the header, and those after it for data.
func (t *table) begin(f *sheet.File, rows []sheet.Row, at int) {
	t.headerRow = rows[at].Number
	header := make([]string, len(rows[at].Cells))
	n := 0
	for i, cell := range rows[at].Cells {
		if text := cell.Text; strings.TrimSpace(text) != "" {
			header[i], n = text, i+1
		}
	}
	t.columns = match.NewColumns(header[:n], f.Date1904())
	for i := range rows[at+1:] {
		t.columns.Add(&rows[at+1+i])
	}
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
