package sheet

import (
	"context"
	"io"

	"eventbatch/mapping/schema"
)

// Patch is a copy of a file with some cells rewritten.
type Patch struct {
	Path    string // of the file, which is not changed
	Options Options
	Cells   []NewCell
}

// Editable returns why no [Patch] of the file can be written: an *[Error] for what is
// neither a workbook nor a CSV file, else nil.
func (f *File) Editable() error {
	_, text := f.source.(*csvSource)
	switch editable := text || f.Book() != nil; {
	case editable && f.input.packed:
		return f.input.refuse(schema.CodeUnknownFormat, "unpack it first", "the file is compressed, and its copy would not be")
	case editable:
		return nil
	}
	return f.input.refuse(
		schema.CodeUnknownFormat, "save it as .xlsx or .csv first", "only .xlsx workbooks and CSV files are copied with changes",
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
		if err := patchBook(ctx, book, p.Cells, w); err != nil {
			return err
		}
		return f.unchanged(ctx)
	}
	return patchText(ctx, f.source.(*csvSource), p.Cells, w)
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
	return formulas(ctx, book, p.Cells)
}

func copyWhole(in *input, w io.Writer) error {
	pass := in.pass()
	defer pass.end()
	_, err := io.Copy(w, pass)
	return err
}
