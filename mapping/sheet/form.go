package sheet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// Form is a workbook to be filled in: a sheet with a header, formats, choices
// and examples, and a page that explains it.
type Form struct {
	Sheet    string
	Columns  []FormColumn
	Examples [][]Out
	Frozen   int // columns that stay in view, from the left
	Page     FormPage
}

// FormColumn is one column of the form.
type FormColumn struct {
	Header  string
	Note    string // shown where the header is pointed at
	Weight  FormWeight
	Kind    FormKind
	Choices []string // offered in every cell; nil for none
	Free    bool     // other values than the choices are let in after a warning
	Width   float64  // in characters
}

// FormWeight says how much a column matters. It decides the header's colour.
type FormWeight uint8

// The weights of a column.
const (
	Usual    FormWeight = iota
	Required            // no row can do without it
	Rare                // folded away until it is asked for
)

// FormKind is what the cells of a column hold.
type FormKind uint8

// The kinds of a form's cells.
const (
	FormText   FormKind = iota // kept as typed: digits stay digits
	FormLong                   // text of several lines
	FormMoment                 // a date with a time
	FormWhole                  // a whole number, not negative
	FormFree                   // whatever is typed
)

// FormPage is a sheet of words.
type FormPage struct {
	Name   string
	Widths []float64
	Lines  []FormLine
}

// FormLine is one line of a page, a cell a column.
type FormLine struct {
	Look  FormLook
	Cells []string
}

// FormLook is how a line looks.
type FormLook uint8

// The looks of a line.
const (
	LookText    FormLook = iota // one cell that spans the page
	LookTitle                   // likewise
	LookHeading                 // likewise
	LookTable                   // the header of a table
	LookRow                     // a row of a table
	LookKey                     // a row whose first cell has the colour of required columns
	LookRare                    // likewise of rare ones
)

const (
	formRows   = 2_000 // that have choices and checks
	listsSheet = "Lists"
	pageName   = asidePrefix + "readme"
	listsName  = asidePrefix + "lists"
)

// The colours of a form.
const (
	colorRequired = "C55A11"
	colorUsual    = "305496"
	colorRare     = "7B8794"
	colorExample  = "808080"
)

// WriteForm writes the form as a workbook. [Open] reads the sheet that is
// filled in; the others are known for what they are.
func WriteForm(ctx context.Context, w io.Writer, form Form) error {
	f := formBook{file: excelize.NewFile(), form: form, lists: map[string]string{}}
	defer func() { _ = f.file.Close() }() // it removes temporary files
	f.file.SetZipWriter(func(w io.Writer) excelize.ZipWriter { return zip.NewWriter(w) })
	for _, step := range []func() error{f.sheets, f.table, f.choices, f.page, f.marks} {
		if err := step(); err != nil {
			return fmt.Errorf("making a form: %w", err)
		}
	}
	if err := f.write(ctx, w); err != nil {
		return fmt.Errorf("writing a form: %w", err)
	}
	return nil
}

// WriteFormCSV writes the form's header and examples as text.
func WriteFormCSV(w io.Writer, form Form) error {
	out := NewCSVWriter(w)
	header := make([]string, len(form.Columns))
	for i, c := range form.Columns {
		header[i] = c.Header
	}
	rows := [][]string{header}
	for _, example := range form.Examples {
		row := make([]string, len(form.Columns))
		for i, cell := range example {
			row[i] = cell.Text
			if cell.Kind == Date {
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

// formBook is the workbook of a form in the making.
type formBook struct {
	file  *excelize.File
	form  Form
	lists map[string]string // of choices, to where they stand
}

func (f *formBook) sheets() error {
	if err := f.file.SetSheetName(f.file.GetSheetName(0), f.form.Sheet); err != nil {
		return err
	}
	for _, name := range []string{f.form.Page.Name, listsSheet} {
		if _, err := f.file.NewSheet(name); err != nil {
			return err
		}
	}
	return f.file.SetDocProps(&excelize.DocProperties{Creator: "eventbatch", Title: f.form.Sheet})
}

// table writes the sheet that is filled in.
func (f *formBook) table() error {
	name := f.form.Sheet
	for i, c := range f.form.Columns {
		letter := schema.ColumnName(i)
		body, err := f.file.NewStyle(bodyStyle(c.Kind, false))
		if err == nil {
			err = f.file.SetColStyle(name, letter, body)
		}
		if err == nil {
			err = f.file.SetColWidth(name, letter, letter, c.Width)
		}
		if err == nil && c.Weight == Rare {
			err = f.file.SetColOutlineLevel(name, letter, 1)
		}
		if err == nil {
			err = f.header(i, c)
		}
		for r := 0; r < len(f.form.Examples) && err == nil; r++ {
			err = f.example(r+2, i, c.Kind, f.form.Examples[r])
		}
		if err != nil {
			return err
		}
	}
	if err := f.file.SetRowHeight(name, 1, 26); err != nil {
		return err
	}
	if err := f.fold(); err != nil {
		return err
	}
	corner := ooxml.CellRef(2, f.form.Frozen)
	return f.file.SetPanes(
		name, &excelize.Panes{Freeze: true, XSplit: f.form.Frozen, YSplit: 1, TopLeftCell: corner, ActivePane: "bottomRight"},
	)
}

// fold hides the rare columns behind a button at the column before them.
func (f *formBook) fold() error {
	first := slices.IndexFunc(f.form.Columns, func(c FormColumn) bool { return c.Weight == Rare })
	if first < 0 {
		return nil
	}
	name, last := f.form.Sheet, len(f.form.Columns)-1
	if err := f.file.SetColVisible(name, schema.ColumnName(first)+":"+schema.ColumnName(last), false); err != nil {
		return err
	}
	return f.file.SetSheetProps(name, &excelize.SheetPropsOptions{
		OutlineSummaryRight: new(false), FitToPage: new(true), TabColorRGB: new(colorUsual),
	})
}

func (f *formBook) header(column int, c FormColumn) error {
	ref := ooxml.CellRef(1, column)
	style, err := f.file.NewStyle(headStyle(c.Weight))
	if err != nil {
		return err
	}
	if err := f.file.SetCellStr(f.form.Sheet, ref, c.Header); err != nil {
		return err
	}
	if err := f.file.SetCellStyle(f.form.Sheet, ref, ref, style); err != nil {
		return err
	}
	lines := 1
	for line := range strings.SplitSeq(c.Note, "\n") {
		lines += 1 + len(line)/46
	}
	return f.file.AddComment(f.form.Sheet, excelize.Comment{
		Cell: ref, Author: "eventbatch", Width: 300, Height: uint(min(lines, 30)*17 + 10),
		Paragraph: []excelize.RichTextRun{
			{Text: c.Header + "\n", Font: &excelize.Font{Bold: true, Size: 9, Family: "Calibri"}},
			{Text: c.Note, Font: &excelize.Font{Size: 9, Family: "Calibri"}},
		},
	})
}

func (f *formBook) example(row, column int, kind FormKind, cells []Out) error {
	ref := ooxml.CellRef(row, column)
	style, err := f.file.NewStyle(bodyStyle(kind, true))
	if err == nil {
		err = f.file.SetCellStyle(f.form.Sheet, ref, ref, style)
	}
	if err != nil || column >= len(cells) {
		return err
	}
	switch cell := cells[column]; cell.Kind {
	case Blank:
	case Date:
		if err := f.file.SetCellValue(f.form.Sheet, ref, cell.Time); err != nil {
			return err
		}
		return f.file.SetCellStyle(f.form.Sheet, ref, ref, style)
	case Number:
		value, err := number(cell.Text)
		return cmp.Or(err, f.file.SetCellValue(f.form.Sheet, ref, value))
	case Bool:
		return f.file.SetCellBool(f.form.Sheet, ref, cell.Text == "true")
	default:
		return f.file.SetCellStr(f.form.Sheet, ref, Guard(cell.Text))
	}
	return nil
}

// choices writes the lists and lets the cells of the columns offer them.
func (f *formBook) choices() error {
	for i, c := range f.form.Columns {
		var err error
		at, key := "", strings.Join(c.Choices, "\n")
		if len(c.Choices) > 0 {
			if at = f.lists[key]; at == "" {
				at, err = f.list(c)
				f.lists[key] = at
			}
		}
		if err != nil {
			return err
		}
		if err := f.validate(i, c, at); err != nil {
			return err
		}
	}
	return f.file.SetSheetVisible(listsSheet, false)
}

// list writes the choices of a column and tells where they stand.
func (f *formBook) list(c FormColumn) (string, error) {
	column := schema.ColumnName(len(f.lists))
	cells := []any{c.Header}
	for _, choice := range c.Choices {
		cells = append(cells, choice)
	}
	if err := f.file.SetSheetCol(listsSheet, column+"1", &cells); err != nil {
		return "", err
	}
	if err := f.file.SetColWidth(listsSheet, column, column, 24); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s!$%s$2:$%s$%d", listsSheet, column, column, len(cells)), nil
}
