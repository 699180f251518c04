package annotate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// Config says which file is annotated, and with what.
type Config struct {
	Source   string           // path of the file that was read; a stream cannot be annotated
	Options  sheet.Options    // with which it was read
	SHA256   string           // of the bytes that the marks are about; empty: not compared
	Out      string           // path of the copy, never the source
	Sheets   []Sheet          // those that were read
	Problems []schema.Problem // of this file, in the order in which the sheet of problems lists them
}

// Sheet is one sheet with what is to be shown in it.
type Sheet struct {
	Name      string                 // empty for a text file, and for the first visible sheet of a workbook
	Header    []string               // as it was read; what is proposed for a cell is told by it
	HeaderRow int                    // physical row of the header; 0: the sheet gets no columns of ours
	Verdicts  iter.Seq2[int, string] // by physical row, ascending; nil: the sheet gets no columns of ours
	Marks     []Mark
}

// Mark is what is to be said at one cell. Several may be at the same.
type Mark struct {
	Row      int // as the spreadsheet shows it, from 1; a mark of row 0 is not shown
	Column   int // zero-based; -1 for the whole row, which is said at its verdict
	Severity schema.Severity
	Text     string
}

// MarksOf makes the marks of the problems of the sheet of that name.
func MarksOf(name string, problems []schema.Problem) []Mark {
	var marks []Mark
	for i := range problems {
		p := &problems[i]
		if p.Place.Sheet != name || p.Place.Row <= 0 {
			continue
		}
		text := p.Message
		if p.Hint != "" {
			text += "\n" + p.Hint
		}
		marks = append(marks, Mark{Row: p.Place.Row, Column: p.Place.Column, Severity: p.Severity, Text: text})
	}
	return marks
}

// Unmarked is said of a file that is not [sheet.Markable], and what to do.
const (
	Unmarked     = "only .xlsx workbooks and text files are copied with marks"
	UnmarkedHint = "save it as .xlsx, or ask for a report in .csv, .md or .html"
)

// refused returns why a copy is not written. Nothing was.
func refused(path, reason, advice string) error {
	return failure.New(failure.Output, errors.New(path+": "+reason), advice)
}

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

// fits refuses a name whose extension says something else than the content,
// which spreadsheet programs would refuse to open.
func (e *bookEdit) fits(out string) error {
	ext := strings.ToLower(filepath.Ext(out))
	switch {
	case e.macros && ext != ".xlsm":
		return refused(out, "the workbook has macros, and its copy keeps them", "give the copy a name that ends in .xlsm")
	case !e.macros && ext == ".xlsm":
		return refused(out, "the workbook has no macros", "give the copy a name that ends in .xlsx")
	}
	return nil
}

// take notes what is to be shown in one sheet.
func (e *bookEdit) take(m *Sheet, problems []schema.Problem) error {
	for _, s := range e.sheets {
		if !s.entry.HasRows || m.Name != s.entry.Name && (m.Name != "" || s.entry.Hidden || s.entry.Own) {
			continue
		}
		if s.marked != nil {
			return fmt.Errorf("annotating sheet %s: it is given twice", s.entry.Name)
		}
		s.marked, s.proposals = m, m.proposals(problems)
		return nil
	}
	return fmt.Errorf("annotating sheet %q: the workbook has no such sheet", m.Name)
}
