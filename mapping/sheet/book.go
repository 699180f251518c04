package sheet

import (
	"bytes"
	"context"
	"io"
	"iter"

	"eventbatch/mapping/sheet/ooxml"
)

// Book is a workbook as the archive that it is, for whoever writes another one from
// it. It is used from one goroutine, and no longer than the [File] that gave it is open.
type Book struct {
	*workbook
	at   io.ReaderAt
	size int64
}

// Entry is one line of a workbook's list of sheets.
type Entry struct {
	Info
	OwnName string // the defined name that says which of our sheets it is; empty for the user's own
	HasRows bool   // false for a sheet that is a chart, a macro or a dialog
	Part    string // its part, as [ooxml.PartName] gives it; empty for none
}

// OpenMade opens a workbook that was made in memory just now. It may inflate to more
// than the limits let a stranger's: our own parts pack well. The name stands for the
// file in places. An error is an [*Error], or ctx's own.
func OpenMade(ctx context.Context, name string, content []byte, l Limits) (*Book, error) {
	l.Ratio, l.InflatedBytes = 1<<20, max(l.InflatedBytes, 1<<34)
	return openBook(ctx, name, bytes.NewReader(content), int64(len(content)), l)
}

func openXLSX(ctx context.Context, in *input, o Options) (source, error) {
	size, err := in.read(ctx)
	if err != nil {
		return nil, err
	}
	book, err := openBook(ctx, in.name, in.at, size, o.Limits)
	if err != nil {
		return nil, err
	}
	return book, nil
}

// openBook reads what a workbook says about itself: its directory, its sheets
// and its styles. It refuses what is no .xlsx file, what breaks a limit, and
// whatever is damaged; an error is an *Error, or ctx's own. Rows are not looked at.
func openBook(ctx context.Context, name string, r io.ReaderAt, size int64, l Limits) (*Book, error) {
	l = l.withDefaults()
	fill(&l.Rows, ooxml.RowsPerSheet)
	w := &workbook{sheetList: sheetList{name: name}, limits: l}
	var err error
	if w.archive, err = ooxml.Open(r, size, l.archive()); err == nil {
		err = w.readBook(ctx)
	}
	if err != nil {
		return nil, at(w.place(""), err)
	}
	return &Book{w, r, size}, nil
}

// Entries lists all sheets in the file's order, those without rows too.
func (b *Book) Entries() []Entry {
	all := make([]Entry, len(b.entries))
	for i, s := range b.entries {
		all[i] = Entry{Info: s.Info, OwnName: s.own, HasRows: s.hasRows()}
		if s.part != nil {
			all[i].Part = s.part.Name()
		}
	}
	return all
}

// Batches reads the sheet of that exact name like [File.Batches], but gives texts as
// they lie in the file: [Guard]'s apostrophes and carriage returns are left in.
func (b *Book) Batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error] {
	return b.batches(ctx, sheet)
}

// Workbook begins a copy with all parts of the workbook.
func (b *Book) Workbook() (*ooxml.Workbook, error) {
	p, err := ooxml.NewPack(b.at, b.size)
	if err != nil {
		return nil, err
	}
	return ooxml.NewWorkbook(p)
}
