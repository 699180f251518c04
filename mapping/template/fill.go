package template

import (
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// Filled is a sheet with rows, which can be edited as a template is filled in.
type Filled struct {
	Resource *schema.Resource
	Fields   []*schema.Field
	Extra    []string // headers of columns behind those of the fields
	Rows     iter.Seq2[[]sheet.Out, error]
}

// baseName is the name of the sheet with the baselines. It is hidden so that only a
// macro shows it.
const baseName = "Baseline"

// WriteFilled writes a workbook with the sheets, row by row, and one with the baselines
// of all their rows.
func WriteFilled(w io.Writer, sheets []Filled, bases iter.Seq2[string, error]) error {
	b := book{file: excelize.NewFile(), Template: &Template{}, lists: map[string]string{}}
	defer func() { _ = b.file.Close() }() // it removes temporary files
	b.file.SetZipWriter(func(w io.Writer) excelize.ZipWriter { return zip.NewWriter(w) })
	// What a sheet has beside its rows comes before the first row of any: a sheet that was
	// streamed is out of the library's reach.
	err := b.prepare(sheets)
	for i := 0; i < len(sheets) && err == nil; i++ {
		err = b.fill(&sheets[i])
	}
	if err == nil {
		err = b.stream(baseName, nil, func(yield func([]sheet.Out, error) bool) {
			for base, err := range bases {
				if !yield([]sheet.Out{{Kind: sheet.Text, Text: base}}, err) {
					return
				}
			}
		})
	}
	if err == nil {
		err = b.file.Write(w)
	}
	if err != nil {
		return fmt.Errorf("writing a workbook: %w", err)
	}
	return nil
}

// prepare makes the sheets with their headers' notes and what their cells offer.
func (b *book) prepare(sheets []Filled) error {
	for i, s := range sheets {
		name := s.Resource.Title()
		if i == 0 {
			if err := b.file.SetSheetName(b.file.GetSheetName(0), name); err != nil {
				return err
			}
		} else if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
	}
	for _, name := range []string{listsSheet, baseName} {
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
	}
	for _, s := range sheets {
		b.sheet, b.Columns = s.Resource.Title(), nil
		for i, f := range s.Fields {
			c := column(s.Resource, f, schema.OnBoth)
			if b.Columns = append(b.Columns, c); c.note == "" {
				continue
			}
			if err := b.note(i, c); err != nil {
				return err
			}
		}
		if err := b.offer(); err != nil {
			return err
		}
		if err := b.file.SetSheetDimension(b.sheet, ""); err != nil { // how many rows will come is not known yet
			return err
		}
	}
	if err := b.file.SetSheetVisible(baseName, false, true); err != nil {
		return err
	}
	return b.own(map[string]string{sheet.OwnPrefix + "lists": listsSheet, sheet.BaseSheet: baseName})
}

// fill writes the rows of a sheet below its header.
func (b *book) fill(s *Filled) error {
	header := make([]any, 0, len(s.Fields)+len(s.Extra))
	var look []func(*excelize.StreamWriter) error
	for i, f := range s.Fields {
		c := column(s.Resource, f, schema.OnBoth)
		style, err := b.file.NewStyle(headStyle(c.weight))
		if err != nil {
			return err
		}
		header = append(header, excelize.Cell{StyleID: style, Value: c.Header})
		body, err := b.file.NewStyle(bodyStyle(c.kind, false))
		if err != nil {
			return err
		}
		look = append(look, func(out *excelize.StreamWriter) error {
			if err := out.SetColStyle(i+1, i+1, body); err != nil {
				return err
			}
			return out.SetColWidth(i+1, i+1, c.width)
		})
	}
	style, err := b.file.NewStyle(headStyle(weightRare))
	if err != nil {
		return err
	}
	for _, name := range s.Extra {
		header = append(header, excelize.Cell{StyleID: style, Value: name})
	}
	return b.stream(s.Resource.Title(), func(out *excelize.StreamWriter) error {
		for i := len(look) - 1; i >= 0; i-- { // the library puts each column before those it was told of
			if err := look[i](out); err != nil {
				return err
			}
		}
		corner := ooxml.CellRef(2, frozen+1)
		err := out.SetPanes(&excelize.Panes{Freeze: true, XSplit: frozen + 1, YSplit: 1, TopLeftCell: corner, ActivePane: "bottomRight"})
		if err != nil {
			return err
		}
		return out.SetRow("A1", header, excelize.RowOpts{Height: 26})
	}, s.Rows)
}

// stream writes rows to a sheet, behind what begin writes, which may be nil.
func (b *book) stream(name string, begin func(*excelize.StreamWriter) error, rows iter.Seq2[[]sheet.Out, error]) error {
	out, err := b.file.NewStreamWriter(name)
	if err != nil {
		return err
	}
	row := 1
	if begin != nil {
		if err := begin(out); err != nil {
			return err
		}
		row++
	}
	styles := map[string]int{}
	style := func(layout string) (int, error) {
		if id, ok := styles[layout]; ok {
			return id, nil
		}
		look := bodyStyle(cellTime, false)
		if layout != "" {
			look.CustomNumFmt = &layout
		}
		id, err := b.file.NewStyle(look)
		styles[layout] = id
		return id, err
	}
	var values []any
	for cells, err := range rows {
		if err != nil {
			return err
		}
		if row > ooxml.RowsPerSheet {
			return fmt.Errorf("more than %d rows in sheet %s", ooxml.RowsPerSheet, name)
		}
		values = values[:0]
		for column, cell := range cells {
			value, err := sheet.Value(cell, style)
			if err != nil {
				return fmt.Errorf("cell %s of sheet %s: %w", ooxml.CellRef(row, column), name, err)
			}
			values = append(values, value)
		}
		if err := out.SetRow("A"+strconv.Itoa(row), values); err != nil {
			return err
		}
		row++
	}
	return out.Flush()
}
