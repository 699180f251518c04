package sheet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"eventbatch/mapping/schema"
)

// Patch is a copy of a file with some cells rewritten.
type Patch struct {
	Path    string // of the file, which is not changed
	Options Options
	Cells   []NewCell
}

// NewCell is what a cell becomes. A cell to the right of its row's last one is
// added to the row.
type NewCell struct {
	Sheet       string // empty for a text format
	Row, Column int
	Cell        Out
}

// Editable returns why no [Patch] of the file can be written: an *[Error] for what is
// neither a workbook nor a CSV file, else nil.
func (f *File) Editable() error {
	switch f.source.(type) {
	case *Book, *csvSource:
		return nil
	}
	return f.input.refuse(
		schema.CodeUnknownFormat, "save it as .xlsx or .csv first", "only workbooks and CSV files are copied with changes",
	)
}

// Write writes the copy. In a text file each row without a new cell keeps its
// bytes, and each other cell of a row its quotes; delimiter, line ends, encoding
// and byte-order mark are those of the file. In a workbook all parts but the sheets
// with new cells keep their bytes, and in those all but the new cells, which keep their
// formats; a date adds its format to those of the workbook. A cell that holds a formula
// is not rewritten: that is an error, as is a row that is not there.
func (p *Patch) Write(ctx context.Context, w io.Writer) error {
	f, err := Open(ctx, p.Path, p.Options)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	if err := f.Editable(); err != nil {
		return err
	}
	if len(p.Cells) == 0 {
		return copyWhole(f.input, w)
	}
	if book := f.Book(); book != nil {
		if err := p.book(ctx, book, w); err != nil {
			return err
		}
		return f.unchanged(ctx)
	}
	return p.text(ctx, f.source.(*csvSource), w)
}

// Formulas tells which of the cells hold a formula, by their index in Cells. In a
// text file none does.
func (p *Patch) Formulas(ctx context.Context) (map[int]bool, error) {
	f, err := Open(ctx, p.Path, p.Options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	book := f.Book()
	if book == nil || len(p.Cells) == 0 {
		return nil, nil
	}
	return p.formulas(ctx, book)
}

func copyWhole(in *input, w io.Writer) error {
	pass := in.pass()
	defer pass.end()
	_, err := io.Copy(w, pass)
	return err
}

// rows gathers the new cells of a text file by row, then by column.
func (p *Patch) rows() map[int]map[int]Out {
	rows := map[int]map[int]Out{}
	for _, c := range p.Cells {
		if rows[c.Row] == nil {
			rows[c.Row] = map[int]Out{}
		}
		rows[c.Row][c.Column] = c.Cell
	}
	return rows
}

// text copies a text file through its encoding.
func (p *Patch) text(ctx context.Context, source *csvSource, w io.Writer) error {
	if _, err := w.Write(source.in.head[:source.chars.mark]); err != nil {
		return err
	}
	out, err := source.chars.encode(w)
	if err != nil {
		return err
	}
	if err := p.csv(ctx, source, out); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("writing in the file's encoding: %w", err)
	}
	return nil
}

// encode begins to write text in the charset.
func (c charset) encode(w io.Writer) (io.WriteCloser, error) {
	var enc encoding.Encoding
	switch r := c.decoder(bytes.NewReader(nil)).(type) {
	case *utf16Reader:
		order := unicode.LittleEndian
		if r.order.String() == "BigEndian" {
			order = unicode.BigEndian
		}
		enc = unicode.UTF16(order, unicode.IgnoreBOM)
	case *utf8Reader:
		if r.encoding == "" {
			return plainWriter{w}, nil
		}
		var err error
		if enc, err = htmlindex.Get(r.encoding); err != nil {
			return nil, fmt.Errorf("writing in the encoding %s: %w", r.encoding, err)
		}
	}
	return transform.NewWriter(w, enc.NewEncoder()), nil
}

// plainWriter writes UTF-8 as it is.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

// missing returns the error of rows to be changed that are not there; nil for none.
func missing[T any](file string, rows map[int]T) error {
	if len(rows) == 0 {
		return nil
	}
	return fmt.Errorf("copying %s: there is no row %d", file, slices.Min(slices.Collect(maps.Keys(rows))))
}
