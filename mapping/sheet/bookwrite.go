package sheet

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// SheetData is one sheet to be written.
type SheetData struct {
	Name   string
	Header []string  // shown bold, stays in view; nil for none
	Widths []float64 // of the columns in characters; the format's own where missing
	Rows   iter.Seq[[]Out]
}

// Out is one cell to be written. The zero Out is blank.
type Out struct {
	Kind CellKind // Blank, Text, Number, Date or Bool
	// Text is the text, or the digits of a number, or "true" or "false". Text is
	// never taken for a formula. A number of more digits than a spreadsheet keeps
	// is written as text.
	Text string
	// Time is shown by its own clock, its zone is not written.
	Time   time.Time
	Clock  bool   // a Date is Time's time of day alone
	Layout string // how a Date is shown, as a spreadsheet spells it, or a Number of an export; default yyyy-mm-dd hh:mm
}

// TextOut returns the cell of a text, blank where that is empty.
func TextOut(text string) Out {
	if text == "" {
		return Out{}
	}
	return Out{Kind: Text, Text: text}
}

// NewCell is what a cell becomes. A cell to the right of its row's last one is
// added to the row.
type NewCell struct {
	Sheet       string // empty for a text format
	Row, Column int
	Cell        Out
}

// missing returns the error of rows to be changed that are not there; nil for none.
func missing[T any](file string, rows map[int]T) error {
	if len(rows) == 0 {
		return nil
	}
	return fmt.Errorf("copying %s: there is no row %d", file, slices.Min(slices.Collect(maps.Keys(rows))))
}

// Texts makes text cells; the empty text is blank.
func Texts(cells []string) []Out {
	out := make([]Out, len(cells))
	for i, cell := range cells {
		if cell != "" {
			out[i] = Out{Kind: Text, Text: cell}
		}
	}
	return out
}

// WriteXLSX writes a workbook. Text that a cell cannot hold, longer than 32,767
// characters or with control characters, is an error: the format would cut or
// change it in silence.
func WriteXLSX(w io.Writer, sheets []SheetData) error {
	book := newOutBook()
	defer book.close()
	for _, data := range sheets {
		out, err := book.sheet(data.Name, data.Widths)
		if err != nil {
			return err
		}
		if data.Header != nil {
			if err := out.header(data.Header); err != nil {
				return err
			}
		}
		for row := range data.Rows {
			if err := out.write(row); err != nil {
				return err
			}
		}
		if err := out.flush(); err != nil {
			return err
		}
	}
	return book.write(w)
}

const (
	exactDigits   = 15
	defaultLayout = "yyyy-mm-dd hh:mm"
)

// outBook is a workbook in the making.
type outBook struct {
	file   *excelize.File
	sheets int
	styles map[string]int // by layout
}

func newOutBook() *outBook {
	file := excelize.NewFile()
	file.SetZipWriter(func(w io.Writer) excelize.ZipWriter { return zip.NewWriter(w) })
	return &outBook{file: file, styles: map[string]int{}}
}

func (b *outBook) write(w io.Writer) error {
	if err := b.file.Write(w); err != nil {
		return fmt.Errorf("writing a workbook: %w", err)
	}
	return nil
}

// close removes what the library keeps in temporary files.
func (b *outBook) close() { _ = b.file.Close() }

// sheet begins the next sheet. The one before it has to be flushed.
func (b *outBook) sheet(name string, widths []float64) (*outSheet, error) {
	s := &outSheet{outBook: b, name: name}
	err := b.begin(name)
	if err == nil {
		s.out, err = b.file.NewStreamWriter(name)
	}
	// The library puts each column before those it has been told of; spreadsheet
	// programs want them in order.
	for i, width := range slices.Backward(widths) {
		if err == nil && width > 0 {
			err = s.out.SetColWidth(i+1, i+1, width)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("writing sheet %s: %w", name, err)
	}
	return s, nil
}

func (b *outBook) begin(name string) error {
	b.sheets++
	if b.sheets == 1 {
		if err := b.file.SetSheetName(b.file.GetSheetName(0), name); err != nil {
			return err
		}
	} else if _, err := b.file.NewSheet(name); err != nil {
		return err
	}
	// Left alone, the library says that the sheet is a single cell, and some
	// programs believe it. How many rows will come is not known yet.
	return b.file.SetSheetDimension(name, "")
}

func (b *outBook) style(layout string) (int, error) {
	if layout == "" {
		layout = defaultLayout
	}
	if id, ok := b.styles[layout]; ok {
		return id, nil
	}
	id, err := b.file.NewStyle(&excelize.Style{CustomNumFmt: &layout})
	b.styles[layout] = id
	return id, err
}

// outSheet is a sheet in the making.
type outSheet struct {
	*outBook
	name string
	out  *excelize.StreamWriter
	rows int
	row  []any
}

func (s *outSheet) header(names []string) error {
	bold, err := s.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return s.failed(err)
	}
	if err := s.out.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return s.failed(err)
	}
	return s.write(Texts(names), excelize.RowOpts{StyleID: bold})
}

func (s *outSheet) write(cells []Out, opts ...excelize.RowOpts) error {
	if s.rows++; s.rows > ooxml.RowsPerSheet {
		return s.failed(fmt.Errorf("more than %d rows", ooxml.RowsPerSheet))
	}
	s.row = s.row[:0]
	for column, cell := range cells {
		value, err := s.value(cell)
		if err != nil {
			return s.failed(fmt.Errorf("cell %s%d: %w", schema.ColumnName(column), s.rows, err))
		}
		s.row = append(s.row, value)
	}
	return s.failed(s.out.SetRow("A"+strconv.Itoa(s.rows), s.row, opts...))
}

// value is what the library writes for a cell as it should be. An error says that a
// workbook cannot hold it.
func (s *outSheet) value(cell Out) (any, error) {
	switch cell.Kind {
	case Blank:
		return nil, nil
	case Number:
		return number(cell.Text)
	case Bool:
		return strconv.ParseBool(cell.Text)
	case Date:
		style, err := s.style(cell.Layout)
		if cell.Clock {
			clock := cell.Time.Sub(cell.Time.Truncate(24 * time.Hour))
			return excelize.Cell{StyleID: style, Value: clock.Hours() / 24}, err
		}
		if cell.Time.Year() < 1901 {
			return nil, fmt.Errorf("the date %s is before those that a spreadsheet counts", cell.Time.Format(time.DateOnly))
		}
		return excelize.Cell{StyleID: style, Value: cell.Time}, err
	case Text:
		return text(cell.Text)
	}
	return nil, fmt.Errorf("a cell of kind %d cannot be written", cell.Kind)
}

// text is a text's safe form, where a cell can hold it.
func text(s string) (string, error) {
	s = Guard(s)
	return s, holds(s)
}

// Holds reports whether a cell of a workbook can hold a text.
func Holds(s string) bool { return holds(Guard(s)) == nil }

// holds returns why a cell cannot hold a text; nil where it can.
func holds(s string) error {
	units := 0
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return fmt.Errorf("the control character U+%04X has no place in a workbook", r)
		}
		units += utf16.RuneLen(r)
	}
	if units > ooxml.UnitsPerCell {
		return fmt.Errorf("%d characters, where a cell of a workbook holds %d", units, ooxml.UnitsPerCell)
	}
	return nil
}

// number is the number that digits stand for, or the digits as text where it would
// not keep them all.
func number(digits string) (any, error) {
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a number", digits)
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(digits), "e")
	significant := strings.TrimLeft(strings.ReplaceAll(strings.TrimLeft(mantissa, "+-"), ".", ""), "0")
	if len(significant) > exactDigits {
		return text(digits)
	}
	return value, nil
}

func (s *outSheet) flush() error { return s.failed(s.out.Flush()) }

func (s *outSheet) failed(err error) error {
	if err != nil {
		return fmt.Errorf("writing sheet %s: %w", s.name, err)
	}
	return nil
}
