package mapping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Mended is what would become of a file.
type Mended struct {
	Edits []fix.Edit // in the order of the rows; of formulas none
	// Formulas is how many cells were left as they are because they hold one.
	Formulas int
	Left     []fix.Left // proposals that were not taken
	// Marked reports that the file is an annotated copy.
	Marked bool

	path    string
	options sheet.Options
}

// Mend reads one file and decides what to mend. Nothing is written. The error is
// one of the reading, of the kind [failure.Usage], or [failure.Invalid] where the
// rows of the file are not those that are read.
func Mend(ctx context.Context, config Config, rules fix.Rules) (*Mended, error) {
	config.KeepCells = true
	found := &Mended{path: config.Files[0], options: config.Opening()}
	raw, err := editable(ctx, config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = raw.Close() }() // nothing was written to it
	if found.options.SHA256, err = raw.Sum(ctx); err != nil {
		return nil, err
	}
	config.SHA256 = found.options.SHA256
	reading, err := Read(ctx, config)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	f := &mendWalk{ctx: ctx, reading: reading, raw: raw, fixer: fix.New(rules), source: -1, stop: func() {}}
	defer func() { f.stop() }()
	for result, err := range reading.Results(ctx) {
		if err == nil {
			err = f.row(result)
		}
		if err != nil {
			return nil, err
		}
	}
	found.Edits = f.fixer.Edits()
	found.Left, found.Marked = f.fixer.Left(), f.marked
	if rules.Shift != 0 {
		return found, found.leaveFormulaRows(ctx)
	}
	return found, found.leaveFormulas(ctx)
}

// editable opens the one file of which a copy with changes is going to be written.
func editable(ctx context.Context, config Config) (*sheet.File, error) {
	raw, err := sheet.Open(ctx, config.Files[0], config.Opening())
	if err != nil {
		return nil, err
	}
	if err := raw.Editable(); err != nil {
		_ = raw.Close() // nothing was written to it
		return nil, err
	}
	return raw, nil
}

// Addresses returns the addresses that rows of a file give for the places of their events, each
// once and in their order. Of a file that cannot be mended it refuses to.
func Addresses(ctx context.Context, config Config) ([]string, error) {
	raw, err := editable(ctx, config)
	if err != nil {
		return nil, err
	}
	_ = raw.Close() // nothing was written to it
	reading, err := Read(ctx, config)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	var list []string
	seen := map[string]bool{}
	for result, err := range reading.Results(ctx) {
		if err != nil {
			return nil, err
		}
		d := result.Draft
		if d == nil || !d.Resource.Keyed() || result.Skipped != "" || d.Action == schema.Skip || d.Action == schema.Cancel {
			continue
		}
		address := strings.TrimSpace(cmp.Or(d.Text(catalog.FieldAddress), d.Text(catalog.FieldGeoAddressText)))
		if address != "" && !seen[address] {
			seen[address] = true
			list = append(list, strings.Clone(address))
		}
	}
	return list, nil
}

// leaveFormulas takes out the edits of cells that hold a formula: its result is
// mended where it comes from.
func (f *Mended) leaveFormulas(ctx context.Context) error {
	formulas, err := f.Copy().Formulas(ctx)
	if err != nil || len(formulas) == 0 {
		return err
	}
	kept := f.Edits[:0]
	for i, e := range f.Edits {
		if !formulas[i] {
			kept = append(kept, e)
		}
	}
	f.Edits, f.Formulas = kept, len(formulas)
	return nil
}

// mendWalk walks through the rows as they are read, beside the cells as the file has
// them: what a cell holds decides how it is mended.
type mendWalk struct {
	ctx     context.Context
	reading *Reading
	raw     *sheet.File
	fixer   *fix.Fixer
	marked  bool // a sheet has a column of ours
	source  int  // of the row at hand
	next    func() (sheet.Row, error, bool)
	stop    func()
}

func (f *mendWalk) row(result *Result) error {
	if result.Source != f.source {
		if err := f.begin(result.Source); err != nil {
			return err
		}
	}
	for {
		row, err, ok := f.next()
		switch {
		case !ok:
			return fmt.Errorf("reading %s again: there is no row %d", f.reading.sheets[f.source].File, result.Draft.Place.Row)
		case err != nil:
			return err
		case row.Number != result.Draft.Place.Row:
			continue
		case row.Problem != nil: // of a row that cannot be read nothing is known
			return nil
		}
		return f.fixer.Row(fix.Row{
			Cells: row.Cells, Shown: result.Cells, Draft: result.Draft, Problems: result.Problems, Skipped: result.Skipped != "",
		})
	}
}

// begin turns to the next sheet.
func (f *mendWalk) begin(source int) error {
	s, b := &f.reading.sheets[source], f.reading.bindings[source]
	if err := b.mendable(s.File); err != nil {
		return err
	}
	f.stop()
	f.source = source
	f.next, f.stop = iter.Pull2(f.raw.Rows(f.ctx, s.Sheet))
	f.marked = f.marked || b.verdict >= 0
	o := b.options
	about := fix.Sheet{
		File: s.File, Name: s.Sheet, Header: s.Header, HeaderRow: s.HeaderRow, Columns: b.fed(),
		Closed: b.closed(), Zone: o.zone, Date1904: f.raw.Date1904(),
		Order: func(column int, text string) datetime.Order {
			return cmp.Or(b.orderOf(text), b.dates.order(f.ctx, column))
		},
	}
	return f.fixer.Begin(about)
}

// mendable returns why the cells of a row are not to be mended by what the row is read as; nil where they are.
func (b *binding) mendable(file string) error {
	if b.reshaper == nil && len(b.joins) == 0 {
		return nil
	}
	return failure.New(
		failure.Invalid,
		errors.New(file+": the mapping joins, groups, splits or unrolls rows, so that a cell to be mended has no place of its own"),
		"mend it without that mapping, by the names of its own columns",
	)
}

// closed reports whether a mapping says which columns are read.
func (b *binding) closed() bool {
	return b.options.mapping != nil && len(b.options.mapping.Columns) > 0
}

// fed lists what the columns feed, constants and expressions aside.
func (b *binding) fed() []fix.Columns {
	var list []fix.Columns
	for _, f := range b.byID {
		if f == nil || len(f.columns) == 0 || f.program != nil || f.constant != nil {
			continue
		}
		time := f.field.Kind == schema.Timestamp
		list = append(list, fix.Columns{
			Field: f.field, At: slices.Clone(f.columns), Borrowed: f.borrowed,
			Worked: f.values != nil || len(f.columns) > 1 && !time || f.html || f.span == spanStart || f.span == spanEnd || time &&
				b.allDay != nil || f.columns[0] >= b.width || b.sieve != nil && slices.ContainsFunc(f.columns, b.sieve.Fills),
		})
	}
	return list
}

// Copy returns the copy with what is mended. A file that has changed since is refused.
func (f *Mended) Copy() *sheet.Patch {
	cells := make([]sheet.NewCell, 0, len(f.Edits))
	for i := range f.Edits {
		e := &f.Edits[i]
		cells = append(cells, sheet.NewCell{Sheet: e.Place.Sheet, Row: e.Place.Row, Column: e.Place.Column, Cell: e.Cell})
	}
	return &sheet.Patch{Path: f.path, Options: f.options, Cells: cells}
}
