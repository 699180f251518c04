package mapping

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/match"
	"eventbatch/mapping/sheet"
)

// files are the open files that are read, in their order.
type files struct {
	options *options
	inputs  []*input
	tables  map[string]*sheet.File // the second tables that are there, by path
}

// open opens the files, and the second tables that they need.
func (r *files) open(ctx context.Context) error {
	inputs, err := r.options.inputs()
	if err != nil {
		return err
	}
	for _, o := range inputs {
		in, err := open(ctx, o.options, o.path)
		if err != nil {
			return err
		}
		r.inputs = append(r.inputs, in)
	}
	var names []string
	for _, in := range r.inputs {
		names = append(names, in.names...)
	}
	if err := r.options.Rows.Fits(names, r.Mixed()); err != nil {
		return err
	}
	for _, in := range r.inputs {
		if err := r.openTables(ctx, in.options); err != nil {
			return err
		}
	}
	return nil
}

// openTables opens the second tables that rows are looked up in, as far as they are
// given or there: a mapping may say where a table is on another machine.
func (r *files) openTables(ctx context.Context, o *options) error {
	for _, name := range o.tables() {
		path, given := o.tableFile(name)
		if path == "" || r.tables[path] != nil {
			continue
		}
		file, err := sheet.Open(ctx, path, sheet.Options{Encoding: o.Encoding, Limits: o.Limits})
		if !given && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		r.tables[path] = file
	}
	return nil
}

// Close closes what is open, from which nothing was lost. It may be called twice.
func (r *files) Close() {
	for _, in := range r.inputs {
		_ = in.file.Close()
	}
	for _, table := range r.tables {
		_ = table.Close()
	}
	r.inputs, r.tables = nil, nil
}

// Sum is the hash of one file that is read.
type Sum struct{ File, SHA256 string }

// Sums reads the files once for their hashes: those of the rows as the Config has them,
// then the second tables. Where Results meets other bytes than these, it ends in an error.
func (r *files) Sums(ctx context.Context) ([]Sum, error) {
	var sums []Sum
	add := func(path string, f *sheet.File) error {
		sum, err := f.Sum(ctx)
		sums = append(sums, Sum{path, sum})
		return err
	}
	for _, in := range r.inputs {
		if err := add(cmp.Or(in.called, in.path), in.file); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.tables)) {
		if err := add(path, r.tables[path]); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// Exported reports whether the rows, or some of them, are those of an export, though they may have lost their baselines.
// It is asked before the results are read.
func (r *files) Exported(ctx context.Context) bool {
	return slices.ContainsFunc(r.inputs, func(in *input) bool {
		if in.file.OwnSheet(sheet.BaseSheet) != "" {
			return true
		}
		return slices.ContainsFunc(in.names, func(name string) bool {
			return slices.ContainsFunc(in.head(ctx, name), func(row sheet.Row) bool {
				return exported(match.HeaderTexts(&row, false))
			})
		})
	})
}

// Beside names a sheet that is not read though it may hold rows of the same kind: it is
// hidden, or nobody has said which sheets to read, and it has the header of one that is
// read. It is empty where there is none, and is asked for before the results are read.
func (r *files) Beside(ctx context.Context) string {
	for _, in := range r.inputs {
		if len(in.unread) == 0 {
			continue
		}
		known := map[string]bool{}
		for _, name := range in.names {
			for _, row := range in.head(ctx, name) {
				known[strings.Join(match.HeaderTexts(&row, false), "\x00")] = true
			}
		}
		for _, name := range in.unread {
			for _, row := range in.head(ctx, name) {
				if texts := match.HeaderTexts(&row, false); len(texts) > 1 && known[strings.Join(texts, "\x00")] {
					return name
				}
			}
		}
	}
	return ""
}

// linked reports whether events are read together with what belongs to them, and before it: from
// sheets of one file, or from inputs in their order.
func (r *files) linked() bool {
	events := slices.Index(catalog.Resources, catalog.RowsOf(nil))
	between := func(first, last *input) bool {
		return first.rank(first.names[0]) <= events && last.rank(last.names[len(last.names)-1]) > events
	}
	return slices.ContainsFunc(r.inputs, func(in *input) bool { return between(in, in) }) ||
		len(r.options.Inputs) > 0 && between(r.inputs[0], r.inputs[len(r.inputs)-1])
}

// Mixed reports whether rows of several resources are read.
func (r *files) Mixed() bool {
	ranks := map[int]bool{}
	for _, in := range r.inputs {
		for _, name := range in.names {
			ranks[in.rank(name)] = true
		}
	}
	return len(ranks) > 1
}
