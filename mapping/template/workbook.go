package template

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// Template is a workbook to be filled in: a sheet with a header, formats, choices
// and examples, and a page that explains it.
type Template struct {
	sheet        string // of the rows
	Columns      []Column
	Examples     [][]sheet.Out
	instructions instructions
	behind       []*Template // of the sheets behind this one, without instructions
}

// Column is one column of the template.
type Column struct {
	Header  string // of a workbook
	path    string // of its field: the header of a text file
	note    string // shown where the header is pointed at
	weight  weight
	kind    cellKind
	choices []string // offered in every cell; nil for none
	offered string   // where the choices stand that somebody fills in; empty for nearly all
	free    bool     // other values than the choices are let in after a warning
	width   float64  // in characters
}

// weight says how much a column matters. It decides the header's colour.
type weight uint8

const (
	weightUsual    weight = iota
	weightRequired        // no row can do without it
	weightRare            // folded away until it is asked for
)

// cellKind is what the cells of a column hold.
type cellKind uint8

const (
	cellText  cellKind = iota // kept as typed: digits stay digits
	cellLong                  // text of several lines
	cellTime                  // a date with a time
	cellWhole                 // a whole number, not negative
	cellFree                  // whatever is typed
	cellPrice                 // likewise, to be read as a number
	cellBool                  // true or false
)

// instructions is the sheet that explains the template.
type instructions struct {
	widths []float64
	lines  []line
}

// line is one line of it, a cell a column.
type line struct {
	look  look
	cells []string
}

// look is how a line looks.
type look uint8

const (
	lookText    look = iota // one cell that spans the page
	lookTitle               // likewise
	lookHeading             // likewise
	lookTable               // the header of a table
	lookRow                 // a row of a table
	lookKey                 // a row whose first cell has the colour of required columns
	lookRare                // likewise of rare ones
)

const (
	frozen      = 2     // columns that stay in view, from the left
	checkedRows = 2_000 // that have choices and checks
	listsSheet  = "Lists"
	readmeSheet = "Read me"
	timeLayout  = "yyyy-mm-dd hh:mm"
)

// The colours of a template.
const (
	colorRequired = "C55A11"
	colorUsual    = "305496"
	colorRare     = "7B8794"
	colorExample  = "808080"
)

// WriteXLSX writes the template as a workbook. Of what is read from it later only the
// sheet that is filled in has rows; the others are known for what they are.
func (t *Template) WriteXLSX(ctx context.Context, w io.Writer) error {
	b := book{file: excelize.NewFile(), Template: t, lists: map[string]string{}}
	defer func() { _ = b.file.Close() }() // it removes temporary files
	steps := []func() error{b.sheets}
	for _, each := range append([]*Template{t}, t.behind...) {
		steps = append(steps, func() error { b.Template = each; return nil }, b.table, b.offer)
	}
	steps = append(steps, func() error { b.Template = t; return nil }, b.explain, b.ownSheets)
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("making a template: %w", err)
		}
	}
	if err := b.write(ctx, w); err != nil {
		return fmt.Errorf("writing a template: %w", err)
	}
	return nil
}

// WriteCSV writes the header and the examples as text.
func (t *Template) WriteCSV(w io.Writer) error {
	out := sheet.NewCSVWriter(w)
	header := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = c.path
	}
	rows := [][]string{header}
	for _, example := range t.Examples {
		row := make([]string, len(t.Columns))
		for i, cell := range example {
			row[i] = cell.Text
			if cell.Kind == sheet.Date {
				row[i] = cell.Time.Format("2006-01-02 15:04")
			}
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// book is the workbook of a template in the making.
type book struct {
	*Template
	file  *excelize.File
	lists map[string]string // of choices, to where they stand
}

func (b *book) sheets() error {
	if err := b.file.SetSheetName(b.file.GetSheetName(0), b.sheet); err != nil {
		return err
	}
	for _, name := range append(b.tables()[1:], readmeSheet, listsSheet) {
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
	}
	return b.file.SetDocProps(&excelize.DocProperties{Creator: "eventbatch", Title: b.sheet})
}

// tables lists the sheets that are filled in.
func (t *Template) tables() []string {
	names := []string{t.sheet}
	for _, each := range t.behind {
		names = append(names, each.sheet)
	}
	return names
}

// table writes the sheet that is filled in.
func (b *book) table() error {
	name := b.sheet
	for i, c := range b.Columns {
		_, err := b.column(i, c)
		if err == nil && c.weight == weightRare {
			err = b.file.SetColOutlineLevel(name, schema.ColumnName(i), 1)
		}
		for r := 0; r < len(b.Examples) && err == nil; r++ {
			err = b.example(r+2, i, c.kind, b.Examples[r])
		}
		if err != nil {
			return err
		}
	}
	if err := b.fold(); err != nil {
		return err
	}
	if err := b.file.SetSheetDimension(name, "A1:"+ooxml.CellRef(1+len(b.Examples), len(b.Columns)-1)); err != nil {
		return err
	}
	return b.view(frozen)
}

// column makes a column with its header, and returns the style of its cells.
func (b *book) column(i int, c Column) (style int, err error) {
	letter := schema.ColumnName(i)
	if style, err = b.file.NewStyle(bodyStyle(c.kind, false)); err != nil {
		return 0, err
	}
	if err := b.file.SetColStyle(b.sheet, letter, style); err != nil {
		return 0, err
	}
	if err := b.file.SetColWidth(b.sheet, letter, letter, c.width); err != nil {
		return 0, err
	}
	return style, b.header(i, c)
}

// view has the header and so many columns stay in view.
func (b *book) view(columns int) error {
	if err := b.file.SetRowHeight(b.sheet, 1, 26); err != nil {
		return err
	}
	corner := ooxml.CellRef(2, columns)
	return b.file.SetPanes(
		b.sheet, &excelize.Panes{Freeze: true, XSplit: columns, YSplit: 1, TopLeftCell: corner, ActivePane: "bottomRight"},
	)
}

// fold hides the rare columns behind a button at the column before them.
func (b *book) fold() error {
	first := slices.IndexFunc(b.Columns, func(c Column) bool { return c.weight == weightRare })
	if first < 0 {
		return b.file.SetSheetProps(b.sheet, &excelize.SheetPropsOptions{FitToPage: new(true), TabColorRGB: new(colorUsual)})
	}
	name, last := b.sheet, len(b.Columns)-1
	if err := b.file.SetColVisible(name, schema.ColumnName(first)+":"+schema.ColumnName(last), false); err != nil {
		return err
	}
	return b.file.SetSheetProps(name, &excelize.SheetPropsOptions{
		OutlineSummaryRight: new(false), FitToPage: new(true), TabColorRGB: new(colorUsual),
	})
}

func (b *book) header(column int, c Column) error {
	ref := ooxml.CellRef(1, column)
	style, err := b.file.NewStyle(headStyle(c.weight))
	if err != nil {
		return err
	}
	if err := b.file.SetCellStr(b.sheet, ref, c.Header); err != nil {
		return err
	}
	if err := b.file.SetCellStyle(b.sheet, ref, ref, style); err != nil {
		return err
	}
	if c.note == "" {
		return nil
	}
	return b.note(column, c)
}

// note explains a column where its header is pointed at.
func (b *book) note(column int, c Column) error {
	lines := 1
	for line := range strings.SplitSeq(c.note, "\n") {
		lines += 1 + len(line)/46
	}
	return b.file.AddComment(b.sheet, excelize.Comment{
		Cell: ooxml.CellRef(1, column), Author: "eventbatch", Width: 300, Height: uint(min(lines, 30)*17 + 10),
		Paragraph: []excelize.RichTextRun{
			{Text: c.Header + "\n", Font: &excelize.Font{Bold: true, Size: 9, Family: "Calibri"}},
			{Text: c.note, Font: &excelize.Font{Size: 9, Family: "Calibri"}},
		},
	})
}

func (b *book) example(row, column int, kind cellKind, cells []sheet.Out) error {
	ref := ooxml.CellRef(row, column)
	style, err := b.file.NewStyle(bodyStyle(kind, true))
	if err == nil {
		err = b.file.SetCellStyle(b.sheet, ref, ref, style)
	}
	if err != nil || column >= len(cells) {
		return err
	}
	switch cell := cells[column]; cell.Kind {
	case sheet.Blank:
	case sheet.Date:
		if err := b.file.SetCellValue(b.sheet, ref, cell.Time); err != nil {
			return err
		}
		return b.file.SetCellStyle(b.sheet, ref, ref, style)
	case sheet.Number:
		value, err := strconv.ParseFloat(cell.Text, 64)
		return cmp.Or(err, b.file.SetCellValue(b.sheet, ref, value))
	case sheet.Bool:
		return b.file.SetCellBool(b.sheet, ref, cell.Text == "true")
	default:
		return b.file.SetCellStr(b.sheet, ref, sheet.Guard(cell.Text))
	}
	return nil
}

// offer writes the lists and lets the cells of the columns offer them.
func (b *book) offer() error {
	for i, c := range b.Columns {
		var err error
		at, key := c.offered, strings.Join(c.choices, "\n")
		if len(c.choices) > 0 {
			if at = b.lists[key]; at == "" {
				at, err = b.list(c)
				b.lists[key] = at
			}
		}
		if err != nil {
			return err
		}
		if err := b.validate(i, c, at); err != nil {
			return err
		}
	}
	return b.file.SetSheetVisible(listsSheet, false)
}

// list writes the choices of a column and tells where they stand.
func (b *book) list(c Column) (string, error) {
	column := schema.ColumnName(len(b.lists))
	cells := []any{c.Header}
	for _, choice := range c.choices {
		cells = append(cells, choice)
	}
	if err := b.file.SetSheetCol(listsSheet, column+"1", &cells); err != nil {
		return "", err
	}
	if err := b.file.SetColWidth(listsSheet, column, column, 24); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s!$%s$2:$%s$%d", listsSheet, column, column, len(cells)), nil
}

func (b *book) ownSheets() error {
	return b.own(map[string]string{sheet.OwnPrefix + "readme": readmeSheet, sheet.OwnPrefix + "lists": listsSheet})
}

// own says which sheets hold no rows, by names that are none of the user's.
func (b *book) own(sheets map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		err := b.file.SetDefinedName(&excelize.DefinedName{Name: name, RefersTo: ooxml.QuoteSheet(sheets[name]) + "!$A$1"})
		if err != nil {
			return err
		}
	}
	for i := range b.file.WorkBook.DefinedNames.DefinedName {
		b.file.WorkBook.DefinedNames.DefinedName[i].Hidden = true
	}
	return nil
}

// write writes the workbook with what the library cannot say: that columns are folded,
// and where the button is that unfolds them.
func (b *book) write(ctx context.Context, w io.Writer) error {
	var made bytes.Buffer
	if err := b.file.Write(&made); err != nil {
		return err
	}
	p, err := ooxml.NewPack(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		return err
	}
	const part = "xl/worksheets/sheet1.xml"
	content, err := p.Read(part)
	if err != nil {
		return err
	}
	button := strconv.Itoa(slices.IndexFunc(b.Columns, func(c Column) bool { return c.weight == weightRare }))
	for _, n := range ooxml.Items(content, "cols") {
		if tag := n.Tag(content); ooxml.AttrOf(tag, "max") == button {
			content = ooxml.Splice(content, n.From, n.Open, string(ooxml.WithAttr(tag, "collapsed", "1")))
			break
		}
	}
	if n, _, ok := ooxml.Child(content, "sheetFormatPr"); ok {
		content = ooxml.Splice(content, n.From, n.Open, string(ooxml.WithAttr(n.Tag(content), "outlineLevelCol", "1")))
	}
	p.Set(part, content)
	return p.Write(ctx, w)
}
