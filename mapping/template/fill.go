package template

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// Filled is a sheet with rows, which can be edited as a template is filled in.
type Filled struct {
	Resource *schema.Resource
	Columns  []Heading
	Rows     iter.Seq2[[]sheet.Out, error]
}

// Heading is a column: of a field, or one that is only shown under its name.
type Heading struct {
	Field *schema.Field
	Name  string
}

// The layouts of times that have more than hours and minutes.
const (
	WithSeconds = "yyyy-mm-dd hh:mm:ss"
	WithMillis  = "yyyy-mm-dd hh:mm:ss.000"
)

// Decimals are the layouts of amounts, by how many decimals their currency has.
var Decimals = []string{"0", "0.0", "0.00", "0.000"}

// baseName is the name of the sheet with the baselines. It is hidden so that only a
// macro shows it.
const baseName = "Baseline"

// WriteFilled writes a workbook with the sheets, row by row, and one with the baselines
// of all their rows. Whatever the number of rows, none is held.
func WriteFilled(w io.Writer, sheets []Filled, bases iter.Seq2[string, error]) error {
	if err := writeFilled(w, sheets, bases); err != nil {
		return fmt.Errorf("writing a workbook: %w", err)
	}
	return nil
}

func writeFilled(w io.Writer, sheets []Filled, bases iter.Seq2[string, error]) error {
	b := book{file: excelize.NewFile(), Template: &Template{}, lists: map[string]string{}}
	defer func() { _ = b.file.Close() }() // it removes temporary files
	rows, err := b.prepare(sheets)
	if err != nil {
		return err
	}
	rows = append(rows, sheetFilling{sheet: baseName, first: 1, rows: func(yield func([]sheet.Out, error) bool) {
		for base, err := range bases {
			if !yield([]sheet.Out{{Kind: sheet.Text, Text: base}}, err) {
				return
			}
		}
	}})
	var made bytes.Buffer
	if err := b.file.Write(&made); err != nil {
		return err
	}
	pack, err := ooxml.NewPack(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		return err
	}
	for _, f := range rows {
		index, err := b.file.GetSheetIndex(f.sheet)
		if err != nil {
			return err
		}
		part := fmt.Sprintf("xl/worksheets/sheet%d.xml", index+1)
		content, err := pack.Read(part)
		if err != nil {
			return err
		}
		pack.Make(part, func(_ context.Context, w io.Writer) error { return f.write(w, content) })
	}
	return pack.Write(context.Background(), w) // the rows end when they are not wanted any more
}

// prepare makes the sheets with all but their rows.
func (b *book) prepare(sheets []Filled) (rows []sheetFilling, err error) {
	for i, s := range sheets {
		name := s.Resource.Title()
		if i == 0 {
			if err := b.file.SetSheetName(b.file.GetSheetName(0), name); err != nil {
				return nil, err
			}
		} else if _, err := b.file.NewSheet(name); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{listsSheet, baseName} {
		if _, err := b.file.NewSheet(name); err != nil {
			return nil, err
		}
		if err := b.file.SetSheetDimension(name, ""); err != nil {
			return nil, err
		}
	}
	events := namesOf(sheets)
	for i := range sheets {
		f, err := b.begin(&sheets[i], events)
		if err != nil {
			return nil, err
		}
		rows = append(rows, f)
	}
	if err := b.file.SetSheetVisible(baseName, false, true); err != nil {
		return nil, err
	}
	return rows, b.own(map[string]string{sheet.OwnPrefix + "lists": listsSheet, sheet.BaseSheet: baseName})
}

// namesOf returns where the events of the workbook have their names, from which those of new rows are
// chosen; empty where it has none.
func namesOf(sheets []Filled) string {
	for _, s := range sheets {
		if at := slices.IndexFunc(s.Columns, func(h Heading) bool {
			return h.Field != nil && h.Field.ID == catalog.FieldName
		}); at >= 0 && s.Resource.Keyed() {
			return filledCells(s.Resource.Title(), at)
		}
	}
	return ""
}

// begin makes a sheet up to its first row.
func (b *book) begin(s *Filled, events string) (f sheetFilling, err error) {
	b.sheet, b.Columns = s.Resource.Title(), nil
	f = sheetFilling{sheet: b.sheet, first: 2, rows: s.Rows, layouts: map[string]string{}}
	for _, h := range s.Columns {
		c := Column{Header: h.Name, weight: weightRare, width: 34}
		if h.Field != nil {
			c = column(s.Resource, h.Field, schema.OnBoth)
			if h.Field.Path == s.Resource.Parent {
				c.free, c.offered = true, events
			}
		}
		b.Columns = append(b.Columns, c)
	}
	for i, c := range b.Columns {
		style, err := b.column(i, c)
		if err != nil {
			return f, err
		}
		f.formats = append(f.formats, strconv.Itoa(style))
	}
	for _, layout := range slices.Concat([]string{WithSeconds, WithMillis}, Decimals) {
		look := bodyStyle(cellPrice, false) // to the left, as times are
		look.CustomNumFmt = &layout
		style, err := b.file.NewStyle(look)
		if err != nil {
			return f, err
		}
		f.layouts[layout] = strconv.Itoa(style)
	}
	if err := b.offer(); err != nil {
		return f, err
	}
	if err := b.view(frozen + 1); err != nil {
		return f, err
	}
	if err := b.print(); err != nil {
		return f, err
	}
	return f, b.file.SetSheetDimension(b.sheet, "") // how many rows will come is not known yet
}

// print has the sheet printed across, on the width of a page where that can be read.
func (b *book) print() error {
	const most = 14 // columns
	layout := excelize.PageLayoutOptions{Orientation: new("landscape"), FitToWidth: new(1), FitToHeight: new(0)}
	if err := b.file.SetPageLayout(b.sheet, &layout); err != nil {
		return err
	}
	return b.file.SetSheetProps(b.sheet, &excelize.SheetPropsOptions{FitToPage: new(len(b.Columns) <= most)})
}

// sheetFilling is the rows of a sheet in the making.
type sheetFilling struct {
	sheet   string
	first   int      // the number of the first row
	formats []string // of the columns
	layouts map[string]string
	rows    iter.Seq2[[]sheet.Out, error]
}

// write writes the part of the sheet with its rows behind those that it has.
func (f *sheetFilling) write(to io.Writer, content []byte) error {
	w := bufio.NewWriterSize(to, 64<<10)
	data, _, _ := ooxml.Child(content, "sheetData")
	head, tail := content[:data.Close], content[data.Close:]
	if data.Empty() {
		head, tail = slices.Concat(content[:data.From], []byte("<sheetData>")), slices.Concat([]byte("</sheetData>"), content[data.To:])
	}
	_, _ = w.Write(head)
	number := f.first
	for cells, err := range f.rows {
		if err == nil && number > ooxml.RowsPerSheet {
			err = fmt.Errorf("more than %d rows", ooxml.RowsPerSheet)
		}
		if err == nil {
			err = f.row(w, number, cells)
		}
		if err != nil {
			return fmt.Errorf("sheet %s: %w", f.sheet, err)
		}
		number++
	}
	_, _ = w.Write(tail)
	return w.Flush() // it tells what went wrong before
}

// row writes one row.
func (f *sheetFilling) row(w *bufio.Writer, number int, cells []sheet.Out) error {
	_, _ = w.WriteString(`<row r="` + strconv.Itoa(number) + `">`)
	for i := range cells {
		format := ""
		if i < len(f.formats) {
			format = f.formats[i]
		}
		if layout := cells[i].Layout; layout != "" {
			format = f.layouts[layout]
		}
		ref := ooxml.CellRef(number, i)
		cell, err := cells[i].Markup(ref, format)
		if err != nil {
			return fmt.Errorf("cell %s: %w", ref, err)
		}
		_, _ = w.WriteString(cell)
	}
	_, err := w.WriteString("</row>")
	return err
}
