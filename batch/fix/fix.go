// Package fix decides which cells of a file to mend.
package fix

import (
	"context"
	"fmt"
	"iter"

	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Rules say what is mended. Nothing else is touched.
type Rules struct {
	Trim  bool // white space around a text
	Dates Dates
	// Enums replaces near words and synonyms that are not understood by the field's own value.
	Enums bool
	// Meaning knows synonyms; nil knows none.
	Meaning func(field schema.ID, text string) (value string, ok bool)
	Slugs   bool // makes slugs of texts that are none
	Fills   []Fill
	Dedupe  Dedupe
}

// Dates says what becomes of dates and times that cannot be read, but can mean one
// thing only. One that can be read is left as it is.
type Dates uint8

// The forms of a date.
const (
	KeepDates Dates = iota
	ISODates        // text: 2026-05-01T18:30:00
	RealDates       // a date of the workbook
)

// Dedupe says which rows get the action SKIP.
type Dedupe uint8

// The rows that get it. The first of them always stays as it is.
const (
	KeepRows  Dedupe = iota
	EqualRows        // all cells are those of an earlier row
	EqualKeys        // also rows whose key, or event id, an earlier row has
)

// The rules, as they are called in what is shown.
const (
	ruleTrim   = "trim"
	ruleDates  = "coerce-dates"
	ruleEnum   = "enum"
	ruleSlug   = "slug"
	ruleFill   = "fill"
	ruleDedupe = "dedupe"
)

// Edit is one cell that is mended.
type Edit struct {
	Place  schema.Place
	Field  string // that the cell feeds; empty where it feeds none
	Rule   string
	Before string
	After  string    // as a person sees it
	Reason string    // of a row that is to be skipped; empty for others
	Cell   sheet.Out // what is written
}

// Found is what would become of a file.
type Found struct {
	Sources []mapping.Source
	Edits   []Edit // in the order of the rows; of formulas none
	// Formulas is how many cells were left as they are because they hold one.
	Formulas int

	path    string
	options sheet.Options
}

// ReshapedError says that the rows of the file are not the rows that are read.
type ReshapedError struct{ File string }

func (e *ReshapedError) Error() string {
	return e.File + ": the mapping joins, groups or unrolls rows, so that a cell to be mended has no place of its own"
}

// Hint tells what to do.
func (e *ReshapedError) Hint() string {
	return "mend it without that mapping, by the names of its own columns"
}

// Find reads one file and decides what to mend. Nothing is written. The error is
// one of the reading, a *[RuleError], or a *[ReshapedError].
func Find(ctx context.Context, config mapping.Config, rules Rules) (*Found, error) {
	config.KeepCells = true
	found := &Found{path: config.Files[0], options: sheet.Options{
		Format: config.Format, Encoding: config.Encoding, Delimiter: config.Delimiter, Limits: config.Limits,
	}}
	raw, err := sheet.Open(ctx, found.path, found.options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = raw.Close() }() // nothing was written to it
	if err := raw.Editable(); err != nil {
		return nil, err
	}
	if found.options.SHA256, err = raw.Sum(ctx); err != nil {
		return nil, err
	}
	config.SHA256 = found.options.SHA256
	reading, err := mapping.Read(ctx, config)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	f := &finder{ctx: ctx, config: &config, rules: &rules, raw: raw, reading: reading, found: found, book: newBook()}
	defer f.close()
	for result, err := range reading.Results(ctx) {
		if err != nil {
			return nil, err
		}
		if err := f.row(result); err != nil {
			return nil, err
		}
	}
	f.book.settle(f.found)
	f.found.Sources = reading.Sources()
	return f.found, f.leaveFormulas(ctx)
}

// finder walks through the rows as they are read, beside the cells as the file has
// them: what a cell holds decides how it is mended.
type finder struct {
	ctx     context.Context
	config  *mapping.Config
	rules   *Rules
	raw     *sheet.File
	reading *mapping.Reading
	found   *Found
	book    *book

	source int // of m
	m      *mender
	next   func() (sheet.Row, error, bool)
	stop   func()
}

func (f *finder) close() {
	if f.stop != nil {
		f.stop()
	}
}

// row looks at one row.
func (f *finder) row(result *mapping.Result) error {
	if f.m == nil || result.Source != f.source {
		if err := f.begin(result.Source); err != nil {
			return err
		}
	}
	row, err := f.rawRow(result.Draft.Place.Row)
	if err != nil || row.Problem != nil { // of a row that cannot be read nothing is known
		return err
	}
	if reason := f.book.twice(f.rules.Dedupe, f.m.source.Header, result); reason != "" {
		edits, err := f.m.skip(row.Cells, result, reason)
		f.found.Edits = append(f.found.Edits, edits...)
		return err
	}
	f.found.Edits = append(f.found.Edits, f.m.row(row.Cells, result)...)
	return nil
}

// begin turns to the next sheet.
func (f *finder) begin(source int) error {
	s := f.reading.Sources()[source]
	if !f.reading.Plain(source) {
		return &ReshapedError{s.File}
	}
	m, err := newMender(f.rules, f.book, &s, f.reading.Feeds(source), f.config, f.raw.Date1904())
	if err != nil {
		return err
	}
	f.close()
	f.m, f.source = m, source
	f.next, f.stop = iter.Pull2(f.raw.Rows(f.ctx, s.Sheet))
	f.found.Edits = append(f.found.Edits, m.header()...)
	return nil
}

// rawRow gives a row as the file has it.
func (f *finder) rawRow(number int) (sheet.Row, error) {
	for {
		row, err, ok := f.next()
		switch {
		case !ok:
			return row, fmt.Errorf("reading %s again: there is no row %d", f.config.Files[0], number)
		case err != nil || row.Number == number:
			return row, err
		}
	}
}

// leaveFormulas takes out the edits of cells that hold a formula: its result is
// mended where it comes from.
func (f *finder) leaveFormulas(ctx context.Context) error {
	formulas, err := f.found.Edition().Formulas(ctx)
	if err != nil || len(formulas) == 0 {
		return err
	}
	kept := f.found.Edits[:0]
	for i, e := range f.found.Edits {
		if formulas[i] {
			f.found.Formulas++
			continue
		}
		kept = append(kept, e)
	}
	f.found.Edits = kept
	return nil
}

// Edition is the copy with what is mended. A file that has changed since is refused.
func (f *Found) Edition() *sheet.Edition {
	cells := make([]sheet.NewCell, 0, len(f.Edits))
	for i := range f.Edits {
		e := &f.Edits[i]
		cells = append(cells, sheet.NewCell{Sheet: e.Place.Sheet, Row: e.Place.Row, Column: e.Place.Column, Cell: e.Cell})
	}
	return &sheet.Edition{Path: f.path, Options: f.options, Cells: cells}
}
