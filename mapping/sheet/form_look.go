package sheet

import (
	"fmt"
	"time"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// validate has the cells of a column offer choices, or warn of what they cannot be.
func (f *formBook) validate(column int, c FormColumn, list string) error {
	dv := excelize.NewDataValidation(true)
	letter := schema.ColumnName(column)
	dv.Sqref = fmt.Sprintf("%s2:%s%d", letter, letter, formRows+1)
	style, title, message := excelize.DataValidationErrorStyleWarning, "Is this right?", ""
	var err error
	switch {
	case list != "":
		dv.SetSqrefDropList(list)
		if !c.Free {
			style, title, message = excelize.DataValidationErrorStyleStop, "Not among the choices", "Please pick one of the list, or "+
				"leave the cell blank."
		} else {
			message = "This is not among the choices. Keep it all the same?"
		}
	case c.Kind == FormMoment:
		err = dv.SetRange(
			serialOf(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), "", excelize.DataValidationTypeDate,
			excelize.DataValidationOperatorGreaterThan,
		)
		message = "A date with a time is expected, such as 2027-05-12 18:30. Keep this all the same?"
	case c.Kind == FormWhole:
		err = dv.SetRange(0, "", excelize.DataValidationTypeWhole, excelize.DataValidationOperatorGreaterThanOrEqual)
		message = "A whole number is expected. Keep this all the same?"
	default:
		return nil
	}
	if err != nil {
		return err
	}
	dv.SetError(style, title, message)
	return f.file.AddDataValidation(f.form.Sheet, dv)
}

// serialOf counts the days as spreadsheets do.
func serialOf(t time.Time) float64 {
	return t.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24
}

// page writes the sheet of words.
func (f *formBook) page() error {
	p := f.form.Page
	last := schema.ColumnName(len(p.Widths) - 1)
	for i, width := range p.Widths {
		if err := f.file.SetColWidth(p.Name, schema.ColumnName(i), schema.ColumnName(i), width); err != nil {
			return err
		}
	}
	for i, line := range p.Lines {
		row := i + 1
		for column := range p.Widths {
			text := ""
			if column < len(line.Cells) {
				text = line.Cells[column]
			}
			style, err := f.file.NewStyle(pageStyle(line.Look, column))
			ref := ooxml.CellRef(row, column)
			if err == nil {
				err = f.file.SetCellStr(p.Name, ref, text) // a text, whatever it begins with
			}
			if err == nil {
				err = f.file.SetCellStyle(p.Name, ref, ref, style)
			}
			if err != nil {
				return err
			}
		}
		if line.Look <= LookHeading {
			if err := f.file.MergeCell(p.Name, ooxml.CellRef(row, 0), fmt.Sprintf("%s%d", last, row)); err != nil {
				return err
			}
		}
		if err := f.file.SetRowHeight(p.Name, row, lineHeight(line, p.Widths)); err != nil {
			return err
		}
	}
	if err := f.file.SetSheetView(p.Name, 0, &excelize.ViewOptions{ShowGridLines: new(false)}); err != nil {
		return err
	}
	if err := f.file.SetSheetProps(p.Name, &excelize.SheetPropsOptions{FitToPage: new(true), TabColorRGB: new("A5A5A5")}); err != nil {
		return err
	}
	for _, name := range []string{p.Name, f.form.Sheet} {
		if err := f.file.SetPageLayout(
			name, &excelize.PageLayoutOptions{Orientation: new("landscape"), FitToWidth: new(1), FitToHeight: new(0)},
		); err != nil {
			return err
		}
	}
	return nil
}

// lineHeight is that of the cell with the most to say.
func lineHeight(line FormLine, widths []float64) float64 {
	const lineUp = 15
	switch line.Look {
	case LookTitle:
		return 34
	case LookHeading:
		return 28
	}
	lines := 1
	for i, text := range line.Cells {
		width := widths[i]
		if line.Look == LookText {
			width = 0
			for _, w := range widths {
				width += w
			}
		}
		lines = max(lines, 1+int(float64(len([]rune(text)))/(width*1.1)))
	}
	return float64(lines*lineUp + 3)
}

// marks says which sheets are no rows.
func (f *formBook) marks() error {
	for _, mark := range [][2]string{{pageName, f.form.Page.Name}, {listsName, listsSheet}} {
		if err := f.file.SetDefinedName(&excelize.DefinedName{Name: mark[0], RefersTo: ooxml.QuoteSheet(mark[1]) + "!$A$1"}); err != nil {
			return err
		}
	}
	return nil
}

func headStyle(weight FormWeight) *excelize.Style {
	color := [...]string{Usual: colorUsual, Required: colorRequired, Rare: colorRare}[weight]
	return &excelize.Style{
		Font:      &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Calibri", Size: 11},
		Fill:      excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}},
		Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left"},
		Border:    []excelize.Border{{Type: "right", Style: 1, Color: "FFFFFF"}},
	}
}

// textFormat is the number format that leaves what is typed alone.
const textFormat = 49

func bodyStyle(kind FormKind, example bool) *excelize.Style {
	style := &excelize.Style{
		Font:      &excelize.Font{Family: "Calibri", Size: 11},
		Alignment: &excelize.Alignment{Vertical: "top", WrapText: kind == FormLong},
	}
	if example {
		style.Font.Italic, style.Font.Color = true, colorExample
	}
	switch kind {
	case FormMoment:
		style.CustomNumFmt, style.Alignment.Horizontal = new(defaultLayout), "left"
	case FormText, FormLong:
		style.NumFmt = textFormat
	case FormWhole:
		style.Alignment.Horizontal = "left"
	}
	return style
}

func pageStyle(look FormLook, column int) *excelize.Style {
	style := &excelize.Style{
		Font:      &excelize.Font{Family: "Calibri", Size: 11, Color: "262626"},
		Alignment: &excelize.Alignment{Vertical: "top", WrapText: true},
	}
	fill := ""
	switch look {
	case LookTitle:
		style.Font.Size, style.Font.Bold, style.Font.Color, style.Alignment.Vertical = 20, true, colorUsual, "center"
	case LookHeading:
		style.Font.Size, style.Font.Bold, style.Font.Color, style.Alignment.Vertical = 14, true, colorUsual, "bottom"
	case LookTable:
		style.Font.Bold, style.Font.Color, fill = true, "FFFFFF", colorUsual
	case LookKey, LookRare:
		if column == 0 {
			style.Font.Bold, style.Font.Color, fill = true, "FFFFFF", colorRequired
			if look == LookRare {
				fill = colorRare
			}
		}
	case LookRow:
		style.Font.Bold = column == 0
	}
	if look >= LookRow {
		style.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: "D9D9D9"}}
	}
	if fill != "" {
		style.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{fill}}
	}
	return style
}
