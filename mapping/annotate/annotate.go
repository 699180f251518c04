package annotate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// Copy writes a copy of a file with marks at what was found. The parts of a workbook are
// copied byte for byte, but for those that the marks change, and in those all but the
// marks. The colour of a bad cell is a conditional format of ours above the user's own, so
// that no cell's own format is touched and none has to be restored.
//
// Of a file that cannot be read there is no copy, but a workbook that lists the
// problems. The error is of the kind [failure.Output], or [failure.Invalid] where the file is
// damaged, a [*sheet.Error] where no problem is given, ctx's own or one of writing. The copy
// appears whole or not at all.
func Copy(ctx context.Context, c Config) error {
	if err := c.refuse(); err != nil {
		return err
	}
	err := c.copy(ctx)
	if _, unreadable := errors.AsType[*sheet.Error](err); unreadable && len(c.Problems) > 0 {
		return c.list(ctx)
	}
	flaw, damaged := errors.AsType[*ooxml.Flaw](err)
	switch {
	case damaged && slices.ContainsFunc(c.Problems, func(p schema.Problem) bool { return p.Code == flaw.Code }):
		return c.list(ctx)
	case damaged: // in a part that holds no rows
		return failure.New(failure.Invalid, fmt.Errorf("%s is damaged: %w", c.Source, err), flaw.Hint)
	}
	return err
}

func (c *Config) copy(ctx context.Context) error {
	f, err := sheet.Open(ctx, c.Source, c.Options)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	book, err := c.base(ctx, f)
	if err != nil {
		return err
	}
	if c.SHA256 != "" && f.SHA256() != c.SHA256 {
		return refused(c.Source, "the file has changed since it was read", "give the same command again")
	}
	e, err := openEdit(ctx, book)
	if err != nil {
		return err
	}
	if err := e.fits(c.Out); err != nil {
		return err
	}
	for i := range c.Sheets {
		if err := e.take(&c.Sheets[i], c.Problems); err != nil {
			return err
		}
	}
	if err := e.edit(ctx, c.Problems); err != nil {
		return err
	}
	return durable.Replace(c.Out, 0o600, func(w io.Writer) error { return e.Write(ctx, w) })
}

// list writes a workbook of the problems alone.
func (c *Config) list(ctx context.Context) error {
	words := ooxml.CellText(filepath.Base(c.Source)) + " could not be read, so its cells are not shown here. The sheet Problems says why."
	rows := slices.Values([][]sheet.Out{sheet.Texts([]string{words})})
	var made bytes.Buffer
	if err := sheet.WriteXLSX(&made, []sheet.SheetData{{Name: sheetName(c.Source), Widths: []float64{80}, Rows: rows}}); err != nil {
		return err
	}
	book, err := sheet.OpenMade(ctx, c.Source, made.Bytes(), sheet.Limits{})
	if err != nil {
		return err
	}
	e, err := openEdit(ctx, book)
	if err != nil {
		return err
	}
	if err := e.edit(ctx, c.Problems); err != nil {
		return err
	}
	return durable.Replace(c.Out, 0o600, func(w io.Writer) error { return e.Write(ctx, w) })
}

// refuse finds what needs no reading to be refused.
func (c *Config) refuse() error {
	if c.Source == "-" {
		return refused("stdin", "standard input cannot be annotated", "save it to a file first")
	}
	from, err := os.Stat(c.Source)
	if err != nil {
		return nil // opening it tells
	}
	if !from.Mode().IsRegular() && !from.IsDir() {
		return refused(c.Source, "what can be read only once cannot be annotated", "save it to a file first")
	}
	if to, err := os.Stat(c.Out); err == nil && os.SameFile(from, to) {
		return refused(c.Out, "the annotated copy cannot take the place of the file itself", "give the copy another name")
	}
	return nil
}

// base gives the workbook that is edited.
func (c *Config) base(ctx context.Context, f *sheet.File) (*sheet.Book, error) {
	if book := f.Book(); book != nil {
		return book, nil
	}
	if f.Named() {
		return nil, refused(c.Source, Unmarked, UnmarkedHint)
	}
	header := 0
	for i := range c.Sheets {
		header = c.Sheets[i].HeaderRow
	}
	made, err := c.texts(ctx, f, header)
	if err != nil {
		return nil, err
	}
	return sheet.OpenMade(ctx, c.Source, made, c.Options.Limits)
}
