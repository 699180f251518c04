package template

import (
	"fmt"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// firstDay is 1 January 2000, as spreadsheets count days.
const firstDay = 36526

// validate has the cells of a column offer choices, or warn of what they cannot be.
func (b *book) validate(column int, c Column, list string) error {
	dv := excelize.NewDataValidation(true)
	letter := schema.ColumnName(column)
	dv.Sqref = fmt.Sprintf("%s2:%s%d", letter, letter, checkedRows+1)
	style, title, message := excelize.DataValidationErrorStyleWarning, "Is this right?", ""
	var err error
	switch {
	case list != "":
		dv.SetSqrefDropList(list)
		if !c.free {
			style, title, message = excelize.DataValidationErrorStyleStop, "Not among the choices", "Please pick one of the list, or "+
				"leave the cell blank."
		} else {
			message = "This is not among the choices. Keep it all the same?"
		}
	case c.kind == cellTime:
		err = dv.SetRange(
			firstDay, "", excelize.DataValidationTypeDate, excelize.DataValidationOperatorGreaterThan,
		)
		message = "A date with a time is expected, such as 2027-05-12 18:30. Keep this all the same?"
	case c.kind == cellWhole:
		err = dv.SetRange(0, "", excelize.DataValidationTypeWhole, excelize.DataValidationOperatorGreaterThanOrEqual)
		message = "A whole number is expected. Keep this all the same?"
	default:
		return nil
	}
	if err != nil {
		return err
	}
	dv.SetError(style, title, message)
	return b.file.AddDataValidation(b.sheet, dv)
}

// explain writes the instructions.
func (b *book) explain() error {
	p := b.instructions
	last := schema.ColumnName(len(p.widths) - 1)
	for i, width := range p.widths {
		if err := b.file.SetColWidth(readmeSheet, schema.ColumnName(i), schema.ColumnName(i), width); err != nil {
			return err
		}
	}
	for i, line := range p.lines {
		row := i + 1
		for column := range p.widths {
			text := ""
			if column < len(line.cells) {
				text = line.cells[column]
			}
			style, err := b.file.NewStyle(pageStyle(line.look, column))
			ref := ooxml.CellRef(row, column)
			if err == nil {
				err = b.file.SetCellStr(readmeSheet, ref, text) // a text, whatever it begins with
			}
			if err == nil {
				err = b.file.SetCellStyle(readmeSheet, ref, ref, style)
			}
			if err != nil {
				return err
			}
		}
		if line.look <= lookHeading {
			if err := b.file.MergeCell(readmeSheet, ooxml.CellRef(row, 0), fmt.Sprintf("%s%d", last, row)); err != nil {
				return err
			}
		}
		if err := b.file.SetRowHeight(readmeSheet, row, lineHeight(line, p.widths)); err != nil {
			return err
		}
	}
	if err := b.file.SetSheetView(readmeSheet, 0, &excelize.ViewOptions{ShowGridLines: new(false)}); err != nil {
		return err
	}
	if err := b.file.SetSheetProps(readmeSheet, &excelize.SheetPropsOptions{FitToPage: new(true), TabColorRGB: new("A5A5A5")}); err != nil {
		return err
	}
	for _, name := range append(b.tables(), readmeSheet) {
		if err := b.file.SetPageLayout(
			name, &excelize.PageLayoutOptions{Orientation: new("landscape"), FitToWidth: new(1), FitToHeight: new(0)},
		); err != nil {
			return err
		}
	}
	return nil
}

// lineHeight returns the height of the cell with the most to say.
func lineHeight(l line, widths []float64) float64 {
	const lineUp = 15
	switch l.look {
	case lookTitle:
		return 34
	case lookHeading:
		return 28
	}
	lines := 1
	for i, text := range l.cells {
		width := widths[i]
		if l.look == lookText {
			width = 0
			for _, w := range widths {
				width += w
			}
		}
		lines = max(lines, 1+int(float64(len([]rune(text)))/(width*1.1)))
	}
	return float64(lines*lineUp + 3)
}

func headStyle(weight weight) *excelize.Style {
	color := [...]string{weightUsual: colorUsual, weightRequired: colorRequired, weightRare: colorRare}[weight]
	return &excelize.Style{
		Font:      &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Calibri", Size: 11},
		Fill:      excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}},
		Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left"},
		Border:    []excelize.Border{{Type: "right", Style: 1, Color: "FFFFFF"}},
	}
}

// textFormat is the number format that leaves what is typed alone.
const textFormat = 49

func bodyStyle(kind cellKind, example bool) *excelize.Style {
	style := &excelize.Style{
		Font:      &excelize.Font{Family: "Calibri", Size: 11},
		Alignment: &excelize.Alignment{Vertical: "top", WrapText: kind == cellLong},
	}
	if example {
		style.Font.Italic, style.Font.Color = true, colorExample
	}
	switch kind {
	case cellTime:
		style.CustomNumFmt, style.Alignment.Horizontal = new(timeLayout), "left"
	case cellText, cellLong:
		style.NumFmt = textFormat
	case cellWhole, cellPrice:
		style.Alignment.Horizontal = "left"
	case cellBool: // some programs show 1 and 0 otherwise
		style.CustomNumFmt, style.Alignment.Horizontal = new(`"TRUE";"TRUE";"FALSE"`), "left"
	}
	return style
}

func pageStyle(look look, column int) *excelize.Style {
	style := &excelize.Style{
		Font:      &excelize.Font{Family: "Calibri", Size: 11, Color: "262626"},
		Alignment: &excelize.Alignment{Vertical: "top", WrapText: true},
	}
	fill := ""
	switch look {
	case lookTitle:
		style.Font.Size, style.Font.Bold, style.Font.Color, style.Alignment.Vertical = 20, true, colorUsual, "center"
	case lookHeading:
		style.Font.Size, style.Font.Bold, style.Font.Color, style.Alignment.Vertical = 14, true, colorUsual, "bottom"
	case lookTable:
		style.Font.Bold, style.Font.Color, fill = true, "FFFFFF", colorUsual
	case lookKey, lookRare:
		if column == 0 {
			style.Font.Bold, style.Font.Color, fill = true, "FFFFFF", colorRequired
			if look == lookRare {
				fill = colorRare
			}
		}
	case lookRow:
		style.Font.Bold = column == 0
	}
	if look >= lookRow {
		style.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: "D9D9D9"}}
	}
	if fill != "" {
		style.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{fill}}
	}
	return style
}
