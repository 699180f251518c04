package annotate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// sheetName names the sheet of a text file's copy after the file.
func sheetName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/?*[]'`, r) || r < ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, " "))
	for len(name) > 0 && utf8.RuneCountInString(name) > 31 {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name = strings.TrimSpace(name); name == "" || strings.EqualFold(name, "history") {
		return "Events" // the one is nothing, the other is not allowed
	}
	return name
}

// widthRows is how many rows of a text file are looked at for the widths of columns.
const widthRows = 200

// texts makes a workbook of a text file: each row at its number, each cell as text.
func (c *Config) texts(ctx context.Context, f *sheet.File, header int) ([]byte, error) {
	widths, err := c.widths(ctx, f)
	if err != nil {
		return nil, err
	}
	var made bytes.Buffer
	err = sheet.WriteTexts(&made, sheet.TextSheet{Name: sheetName(c.Source), Widths: widths, HeaderRow: header, Rows: c.readable(ctx, f)})
	return made.Bytes(), err
}

// widths makes the columns as wide as what the first rows hold, within reason.
func (c *Config) widths(ctx context.Context, f *sheet.File) ([]float64, error) {
	var widths []float64
	seen := 0
	for row, err := range c.readable(ctx, f) {
		if err != nil {
			return nil, err
		}
		for i, cell := range row.Cells {
			if i == len(widths) {
				widths = append(widths, 8)
			}
			line, _, _ := strings.Cut(cell.Text, "\n")
			widths[i] = max(widths[i], min(float64(utf8.RuneCountInString(line))+2, 40))
		}
		if seen++; seen == widthRows {
			break
		}
	}
	return widths, nil
}

// readable gives the rows of a text file. Of one that cannot be read to its end it
// gives those before that place.
func (c *Config) readable(ctx context.Context, f *sheet.File) iter.Seq2[sheet.Row, error] {
	return func(yield func(sheet.Row, error) bool) {
		for row, err := range f.Rows(ctx, "") {
			if _, unreadable := errors.AsType[*sheet.Error](err); unreadable {
				return
			}
			if err == nil && row.Number > ooxml.RowsPerSheet {
				err = refused(
					c.Source, fmt.Sprintf("the file has more rows than the %d of a workbook's sheet", ooxml.RowsPerSheet),
					"ask for a report of another kind, or split the file",
				)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
