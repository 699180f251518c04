package sheet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// textSheetName names the sheet of a text file's copy after the file.
func textSheetName(path string) string {
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

// writeTexts makes a workbook of a text file: each row at its number, each cell as
// text. Of a file that cannot be read to its end it has the rows before that place.
func writeTexts(ctx context.Context, w io.Writer, f *File, name string, header int) error {
	widths, err := textWidths(ctx, f)
	if err != nil {
		return err
	}
	book := newOutBook()
	defer book.close()
	out, err := book.sheet(name, widths)
	if err != nil {
		return err
	}
	bold, err := book.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Family: "Calibri", Size: 11}})
	if err != nil {
		return out.failed(err)
	}
	if header > 0 {
		top := fmt.Sprintf("A%d", header+1)
		if err := out.out.SetPanes(&excelize.Panes{Freeze: true, YSplit: header, TopLeftCell: top, ActivePane: "bottomLeft"}); err != nil {
			return out.failed(err)
		}
	}
	var cells []Out
	for row, err := range f.Rows(ctx, "") {
		if _, unreadable := errors.AsType[*Error](err); unreadable {
			break
		}
		if err != nil {
			return err
		}
		if row.Number > rowsPerSheet {
			return &RefusedError{f.name, fmt.Sprintf("the file has more rows than the %d of a workbook's sheet", rowsPerSheet), "ask for a report of another kind, or split the file"}
		}
		out.rows = row.Number - 1
		cells = cells[:0]
		for _, c := range row.Cells {
			cell := Out{}
			if c.Kind != Blank {
				cell = Out{Kind: Text, Text: cellText(c.Text)}
			}
			cells = append(cells, cell)
		}
		var opts []excelize.RowOpts
		if row.Number == header {
			opts = append(opts, excelize.RowOpts{StyleID: bold})
		}
		if err := out.write(cells, opts...); err != nil {
			return err
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return book.write(w)
}

// list writes a workbook of the problems alone.
func (c *AnnotateConfig) list(ctx context.Context) error {
	made := newOutBook()
	defer made.close()
	out, err := made.sheet(textSheetName(c.Source), []float64{80})
	if err != nil {
		return err
	}
	words := cellText(filepath.Base(c.Source)) + " could not be read, so its cells are not shown here. The sheet Problems says why."
	var b bytes.Buffer
	if err := cmp.Or(out.write([]Out{{Kind: Text, Text: words}}), out.flush(), made.write(&b)); err != nil {
		return err
	}
	at, size := bytes.NewReader(b.Bytes()), int64(b.Len())
	book, err := openXLSX(ctx, c.Source, at, size, Limits{}.withDefaults())
	if err != nil {
		return err
	}
	e, err := newEdition(ctx, book.(*workbook), at, size)
	if err != nil {
		return err
	}
	if err := e.edit(ctx, c.Problems); err != nil {
		return err
	}
	return ReplaceFile(c.Out, 0o600, func(w io.Writer) error { return e.pack.Write(ctx, w) })
}

// cellText replaces what a cell of a workbook cannot hold.
func cellText(s string) string {
	return cutText(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, s))
}

// cutText shortens a text to what a cell can hold.
func cutText(s string) string {
	units := 0
	for i, r := range s {
		if units++; r > 0xFFFF {
			units++
		}
		if units >= unitsPerCell {
			return s[:i] + "…"
		}
	}
	return s
}

// textWidths makes the columns as wide as what the first rows hold, within reason.
func textWidths(ctx context.Context, f *File) ([]float64, error) {
	var widths []float64
	seen := 0
	for row, err := range f.Rows(ctx, "") {
		if _, unreadable := errors.AsType[*Error](err); unreadable {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, c := range row.Cells {
			if i == len(widths) {
				widths = append(widths, 8)
			}
			line, _, _ := strings.Cut(c.Text, "\n")
			widths[i] = max(widths[i], min(float64(utf8.RuneCountInString(line))+2, 40))
		}
		if seen++; seen == widthRows {
			break
		}
	}
	return widths, nil
}
