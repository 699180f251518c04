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

// Edition is a copy of a file with some cells rewritten.
type Edition struct {
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

// Editable returns why no [Edition] of the file can be written: an *[Error] for what is
// neither a workbook nor a CSV file, else nil.
func (f *File) Editable() error {
	switch f.source.(type) {
	case *Book, *csvSource:
		return nil
	}
	return f.input.uneditable()
}

func (in *input) uneditable() *Error {
	return in.refuse(schema.CodeUnknownFormat, "save it as .xlsx or .csv first", "only workbooks and CSV files are copied with changes")
}

// Write writes the copy. In a text file each row without a new cell keeps its
// bytes, and each other cell of a row its quotes; delimiter, line ends, encoding
// and byte-order mark are those of the file. In a workbook the cells keep their
// formats. A cell that holds a formula is not rewritten: that is an error, as is
// a row of a text file that is not there.
func (e *Edition) Write(ctx context.Context, w io.Writer) error {
	e.Options.Limits = e.Options.Limits.withDefaults()
	in, err := openInput(ctx, e.Path, e.Options)
	if err != nil {
		return err
	}
	defer func() { _ = in.close() }() // nothing was written to it
	kind, err := findFormat(in, e.Options.Format)
	if err != nil {
		return err
	}
	switch {
	case kind != formatCSV && kind != formatTSV && kind != formatXLSX:
		return in.uneditable()
	case len(e.Cells) == 0:
		return copyWhole(in, w)
	case kind == formatXLSX:
		return e.book(ctx, in, w)
	}
	return e.text(ctx, in, kind, w)
}

func copyWhole(in *input, w io.Writer) error {
	p := in.pass()
	defer p.end()
	_, err := io.Copy(w, p)
	return err
}

// rows gathers the new cells of a text file by row, then by column.
func (e *Edition) rows() map[int]map[int]Out {
	rows := map[int]map[int]Out{}
	for _, c := range e.Cells {
		if rows[c.Row] == nil {
			rows[c.Row] = map[int]Out{}
		}
		rows[c.Row][c.Column] = c.Cell
	}
	return rows
}

// text copies a text file through its encoding.
func (e *Edition) text(ctx context.Context, in *input, kind format, w io.Writer) error {
	chars, err := findCharset(in, e.Options.Encoding)
	if err != nil {
		return err
	}
	if _, err := w.Write(in.head[:chars.mark]); err != nil {
		return err
	}
	out, err := chars.encode(w)
	if err != nil {
		return err
	}
	if err := e.csv(ctx, in, chars, kind, out); err != nil {
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

// missing says that rows to be changed are not there.
func (e *Edition) missing(rows map[int]map[int]Out) error {
	if len(rows) == 0 {
		return nil
	}
	return fmt.Errorf("copying %s: there is no row %d", e.Path, slices.Min(slices.Collect(maps.Keys(rows))))
}
