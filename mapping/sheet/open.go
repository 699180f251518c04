package sheet

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// File is an open file of rows. It is used from one goroutine; the batches it
// yields may be worked on and released by others.
type File struct {
	name    string
	options Options
	input   *input
	owned   bool // the input is closed with the file
	format  *format
	source  source
}

// Open opens a file, once for all readings of it, finds out what it is and makes it
// ready to be read. A pipe, and standard input, are read to their end and held in
// memory. An error is an [*Error], or ctx's own.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	o.Limits = o.Limits.withDefaults()
	in, err := openInput(ctx, path, o)
	if err != nil {
		return nil, err
	}
	f := &File{name: in.name, options: o, input: in, owned: true}
	if err := f.open(ctx); err != nil {
		_ = in.close() // the error that matters is already known
		return nil, err
	}
	return f, nil
}

// Again gives the same bytes as a file of its own, whatever lies under their name by
// now: another goroutine may read it. It is of use as long as f is not closed.
func (f *File) Again(ctx context.Context) (*File, error) {
	again := &File{name: f.name, options: f.options, input: f.input}
	if err := again.open(ctx); err != nil {
		return nil, err
	}
	return again, nil
}

func (f *File) open(ctx context.Context) error {
	var err error
	if f.format, err = findFormat(f.input, f.options.Format); err != nil {
		return err
	}
	f.source, err = f.format.open(ctx, f.input, f.options)
	return err
}

// Book gives the workbook that the file is; nil for a file of another format.
func (f *File) Book() *Book {
	book, _ := f.source.(*Book)
	return book
}

// Sheets lists the sheets in the file's order; a text file has one, without a name.
func (f *File) Sheets() []Info { return f.source.sheets() }

// Named reports whether the sheets have names, as those of a text file have not.
func (f *File) Named() bool {
	return slices.ContainsFunc(f.Sheets(), func(s Info) bool { return s.Name != "" })
}

// Markable reports whether a file can be copied with marks at its cells, as .xlsx workbooks and texts can.
// Only its beginning is looked at. Of a stream, and of what cannot be opened, the reading tells.
func Markable(ctx context.Context, path string, o Options) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return true
	}
	in, err := openInput(ctx, path, o)
	if err != nil {
		return true
	}
	defer func() { _ = in.close() }() // nothing was written to it
	f, err := findFormat(in, o.Format)
	return err != nil || !f.unmarked
}

// Batches reads a sheet from its first row. The empty name stands for the first
// sheet that is not hidden. Rows without content are not yielded but counted in
// the numbers of the rows after them; inside cells, line breaks are "\n" whatever
// the format. An error is the last thing yielded. Each batch is the caller's
// until released. Bytes that have changed since an earlier reading are an error too,
// which may come after rows of theirs.
//
// In a text file a blank line is a row as a spreadsheet counts them, a
// multi-line record is one row, and a first line "sep=;" is none. The objects of
// an NDJSON file come after a header row made of their keys, so that the object
// in line n is row n+1; null is "<clear>" where the field may be cleared, a missing key and "" are blank.
func (f *File) Batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		name, err := f.find(sheet)
		if err != nil {
			yield(nil, err)
			return
		}
		for batch, err := range f.source.batches(ctx, name) {
			if batch != nil && f.format.archive {
				cleanCells(batch)
			}
			if batch != nil && f.options.Edited != nil {
				f.edit(name, batch)
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
		if err := f.unchanged(ctx); err != nil {
			yield(nil, err)
		}
	}
}

// unchanged makes sure that the parts of a workbook were those of the file that was
// opened: they are not read in one pass, which would tell.
func (f *File) unchanged(ctx context.Context) error {
	if !f.format.archive || f.input.spooled {
		return nil
	}
	_, err := f.input.read(ctx)
	return err
}

// Rows reads a sheet like [File.Batches], row by row. The rows may be kept.
func (f *File) Rows(ctx context.Context, sheet string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for batch, err := range f.Batches(ctx, sheet) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			for _, row := range batch.Rows {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// RowsLike estimates how many rows a CSV file has if the given ones are like the
// rest; 0 for any other file.
func (f *File) RowsLike(rows []Row) int {
	bytes := 0
	for i := range rows {
		for _, cell := range rows[i].Cells {
			bytes += len(cell.Text) + 1
		}
	}
	if _, text := f.source.(*csvSource); !text || bytes == 0 {
		return 0
	}
	return int(f.input.size * int64(len(rows)) / int64(bytes))
}

// Notes tells what the last reading met that is no error: hidden rows, merged
// cells, ragged rows, each counted. It is complete once a sheet was read to its end.
func (f *File) Notes() []schema.Problem { return f.source.notes() }

// Merges returns the merged cells of a sheet that was read to its end; none of a text file.
func (f *File) Merges(sheet string) []Merge {
	if g, ok := f.source.(grid); ok {
		return g.merges(sheet)
	}
	return nil
}

// HiddenColumns returns the hidden columns of a sheet that was read to its end; none of a text file.
func (f *File) HiddenColumns(sheet string) []int {
	if g, ok := f.source.(grid); ok {
		return g.hiddenColumns(sheet)
	}
	return nil
}

// OwnSheet returns the name of the sheet that a workbook says is one of ours, such as
// [BaseSheet]; empty where there is none.
func (f *File) OwnSheet(own string) string {
	if g, ok := f.source.(grid); ok {
		return g.ownSheet(own)
	}
	return ""
}

// SHA256 is the hash of the file's bytes in hexadecimal, unpacked where they were compressed; of a text file it is
// known once they were read to their end, and empty before.
func (f *File) SHA256() string { return f.input.sha256() }

// Sum reads the bytes for their hash where it is not known yet. A later reading that
// meets other bytes ends in an error.
func (f *File) Sum(ctx context.Context) (string, error) {
	if f.SHA256() == "" {
		if _, err := f.input.read(ctx); err != nil {
			return "", err
		}
	}
	return f.SHA256(), nil
}

// OwnColumns reports whether the header is the reader's own and not the file's:
// that of an iCalendar file names fields.
func (f *File) OwnColumns() bool {
	_, own := f.source.(*icsSource)
	return own
}

// Encoding returns the encoding in which a text file is read that is not in one of Unicode; empty
// for any other file.
func (f *File) Encoding() string {
	switch s := f.source.(type) {
	case *csvSource:
		return s.settled().name
	case *ndjsonSource:
		return s.chars.name
	case *icsSource:
		return s.chars.name
	case *htmlSource:
		return s.chars.name
	}
	return ""
}

// Date1904 reports whether the serial numbers of [Date] cells count from 1904.
func (f *File) Date1904() bool { return f.source.date1904() }

// Close gives back what the file holds open.
func (f *File) Close() error {
	if book := f.Book(); book != nil {
		book.shared = nil // which may be large
	}
	if !f.owned {
		return nil
	}
	if err := f.input.close(); err != nil {
		return fmt.Errorf("closing %s: %w", f.name, err)
	}
	return nil
}

func (f *File) find(sheet string) (string, error) {
	sheets := f.source.sheets()
	if sheet == "" {
		for _, s := range sheets {
			if !s.Hidden {
				return s.Name, nil
			}
		}
		return "", refuse(schema.CodeNoSheet, schema.Place{File: f.name}, "name a hidden one to read it", "no visible sheet")
	}
	if slices.ContainsFunc(sheets, func(s Info) bool { return s.Name == sheet }) {
		return sheet, nil
	}
	names := make([]string, len(sheets))
	for i, s := range sheets {
		names[i] = s.Name
	}
	hint := "the file has: " + strings.Join(names, ", ")
	if len(names) == 1 && names[0] == "" {
		hint = "a text file has no named sheets"
	}
	return "", refuse(schema.CodeNoSheet, schema.Place{File: f.name}, hint, "no sheet %q", sheet)
}

// cleanCells brings the text cells of a workbook to the form that text files
// come in: without Guard's apostrophe, lines parted by "\n".
func cleanCells(b *Batch) {
	for _, row := range b.Rows {
		for i := range row.Cells {
			c := &row.Cells[i]
			if c.Kind != Text {
				continue
			}
			if c.Text != "" && c.Text[0] == '\'' {
				c.Text = Unguard(c.Text)
			}
			if strings.IndexByte(c.Text, '\r') >= 0 {
				c.Text = unixLines(c.Text)
			}
		}
	}
}
