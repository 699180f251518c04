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

// Edition is a copy of a file with some cells rewritten and some rows left out.
type Edition struct {
	Path    string // of the file, which is not changed
	Options Options
	Cells   []NewCell
	Drop    []RowRef
}

// NewCell is what a cell becomes. A cell to the right of its row's last one is
// added to the row.
type NewCell struct {
	Sheet       string // empty for a text format
	Row, Column int
	Cell        Out
}

// RowRef names a row.
type RowRef struct {
	Sheet string
	Row   int
}

// Write writes the copy. In a text file each row without a new cell keeps its
// bytes, and each other cell of a row its quotes; delimiter, line ends, encoding
// and byte-order mark are those of the file. In a workbook the cells keep their
// formats. A cell that holds a formula is not rewritten: that is an error, as is
// a cell or a row that is not there.
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
	if len(e.Cells) == 0 && len(e.Drop) == 0 {
		return copyWhole(in, w)
	}
	switch kind {
	case formatCSV, formatTSV, formatNDJSON:
		return e.text(ctx, in, kind, w)
	case formatXLSX:
		return e.book(ctx, in, w)
	}
	return in.refuse(schema.CodeUnknownFormat, "save it as .xlsx or .csv first", "a file of this format cannot be copied with changes")
}

func copyWhole(in *input, w io.Writer) error {
	p := in.pass()
	defer p.end()
	_, err := io.Copy(w, p)
	return err
}

// rowEdit is what becomes of one row.
type rowEdit struct {
	drop  bool
	cells map[int]Out
}

// rows gathers the changes of a text file by row.
func (e *Edition) rows() map[int]*rowEdit {
	rows := map[int]*rowEdit{}
	of := func(row int) *rowEdit {
		if rows[row] == nil {
			rows[row] = &rowEdit{cells: map[int]Out{}}
		}
		return rows[row]
	}
	for _, c := range e.Cells {
		of(c.Row).cells[c.Column] = c.Cell
	}
	for _, d := range e.Drop {
		of(d.Row).drop = true
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
	if kind == formatNDJSON {
		err = e.lines(ctx, in, chars, out)
	} else {
		err = e.csv(ctx, in, chars, kind, out)
	}
	if err != nil {
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
func (e *Edition) missing(rows map[int]*rowEdit) error {
	if len(rows) == 0 {
		return nil
	}
	return fmt.Errorf("copying %s: there is no row %d", e.Path, slices.Min(slices.Collect(maps.Keys(rows))))
}
