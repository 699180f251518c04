package mapping

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"runtime"
	"slices"

	"eventbatch/mapping/check"
	"eventbatch/mapping/match"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Reading is a reading of one or more files of rows.
type Reading struct {
	options *options
	inputs  []*input
	tables  map[string]*sheet.File // the second tables that are there, by path

	sources  []Source
	bindings []*binding // of the sources
	problems []schema.Problem
	zoneless []zoneless // of the sources
	unread   [][]int    // of the sources: filled cells, by column of the binding's unread
	rows     check.Rows
	again    again
	links    *check.Links    // nil where no sheet of events comes with what belongs to them
	unseen   map[[2]int]bool // source and column of cells without a header that were warned of
}

// Source is one sheet of one input file.
type Source struct {
	File      string
	Sheet     string            // empty for a text format
	SHA256    string            // of the file; known once the sheet was read to its end
	Header    []string          // the columns in order
	HeaderRow int               // physical row
	Rows      int               // of data, counted as their results are given out
	LeftOut   []reshape.LeftOut `json:"-"`          // rows that are no events, and are not counted
	Preset    string            `json:",omitempty"` // that --mapping auto has found; empty where it was not asked to, or none fits
}

// KeyColumn returns the header of the column that the keys of the first sheet of events stand
// in, or of the first sheet where none is one; empty where no column has keys. It is known once
// the results were read.
func (r *Reading) KeyColumn() string {
	if len(r.bindings) == 0 {
		return ""
	}
	at := slices.IndexFunc(r.bindings, func(b *binding) bool { return b.options.Resource.Keyed() })
	b := r.bindings[max(at, 0)]
	for i := range b.list {
		if f := &b.list[i]; f.field.ID == schema.FieldKey && f.column() >= 0 && f.column() < len(b.header) {
			return b.header[f.column()]
		}
	}
	return ""
}

// Fed returns the paths of the fields that are fed, each with the header of its column, which is empty where
// the value is not a cell's. It is known once the results were read.
func (r *Reading) Fed() map[string]string {
	fed := map[string]string{}
	for _, b := range r.bindings {
		for i := range b.list {
			f, header := &b.list[i], ""
			if at := f.column(); at >= 0 && at < len(b.header) {
				header = b.header[at]
			}
			fed[f.field.Path] = cmp.Or(fed[f.field.Path], header)
		}
	}
	return fed
}

// Hides reports whether rows that may be events were left out, since they are hidden or struck through.
func (s *Source) Hides() bool {
	return slices.ContainsFunc(s.LeftOut, func(l reshape.LeftOut) bool { return l.Kind >= reshape.Hidden && len(l.Rows) > 0 })
}

// HeaderError is a header that the rows below it cannot be read by, or several.
type HeaderError struct {
	Problems []schema.Problem // warnings too
}

// Error returns the first error among the problems.
func (e *HeaderError) Error() string {
	i := slices.IndexFunc(e.Problems, func(p schema.Problem) bool { return p.Severity == schema.Error })
	return e.Problems[max(i, 0)].Error()
}

// Read opens the files, each once, and finds their sheets: what is put in their place
// later is not read. The error is of the kind [failure.Usage], an
// *[eventbatch/mapping/sheet.Error], or ctx's own. Whoever does not range over
// Results to their end closes the Reading.
func Read(ctx context.Context, c Config) (*Reading, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	r := &Reading{again: againOf(o), options: o, tables: map[string]*sheet.File{}, unseen: map[[2]int]bool{}}
	if err := r.open(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reading) open(ctx context.Context) error {
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
	if r.linked() {
		r.links = check.NewLinks()
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

// Close closes what is open, from which nothing was lost. It may be called twice.
func (r *Reading) Close() {
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
func (r *Reading) Sums(ctx context.Context) ([]Sum, error) {
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

// Sources lists the sheets that were read, complete once the results were.
func (r *Reading) Sources() []Source { return r.sources }

// Problems lists what is wrong with files, sheets and headers, complete once the
// results were read.
func (r *Reading) Problems() []schema.Problem { return r.problems }

// Results reads all files, once, and gives the rows in physical order. One
// goroutine reads while others turn rows into drafts and check them; all have
// ended when the range does. An error is the last thing given, after all rows
// before it: an *[eventbatch/mapping/sheet.Error], a *[HeaderError], or ctx's own. A
// panic of another goroutine is raised in the caller's, as a *[panics.Recovered].
func (r *Reading) Results(ctx context.Context) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		workers := r.options.Workers
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		defer r.Close()
		// One job is being filled, one given out: more would crowd the processor's cache.
		line := newLine(workers + 2)
		line.run(ctx, func(ctx context.Context) { r.feed(ctx, line) }, workers, func() {
			err := r.merge(line, yield)
			r.lackOfZones()
			if err == nil && !line.complete {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
			}
		})
	}
}

// merge yields the results of the jobs in order. Its error ends the reading.
func (r *Reading) merge(line *line, yield func(*Result, error) bool) error {
	for j := range line.order {
		if j.event != nil {
			if err := j.event(); err != nil {
				line.complete = true
				return err
			}
			continue
		}
		<-j.done
		if j.defect != nil {
			panic(j.defect)
		}
		if j.b.expected > 0 && len(j.results) > 0 {
			r.rows.Expect(j.b.expected * j.claims.Len() / len(j.results))
			j.b.expected = 0
		}
		for i := range j.results {
			r.again.meet(&j.results[i], j.b)
		}
		r.rows.Add(&j.claims, &r.options.Rules, func(row int, p schema.Problem) {
			if j.results[row].Again {
				return
			}
			j.b.complete(&p)
			j.results[row].Problems = append(j.results[row].Problems, p)
		})
		r.count(j)
		for i := range j.results {
			result := &j.results[i]
			r.sources[result.Source].Rows++
			if result.Lacking != "" {
				r.lacks(result)
			}
			if j.b.absent != nil {
				j.b.absent.meet(result)
			}
			if r.links != nil && result.Draft != nil && (!result.Again || result.Draft.Resource == schema.Guests) {
				r.links.Add(result.Draft, result.Skipped != "", func(p schema.Problem) {
					j.b.complete(&p)
					result.Problems = append(result.Problems, p)
				})
			}
			if len(result.Problems) > 0 {
				r.dropRepeated(result)
			}
			if !yield(result, nil) {
				line.complete = true
				return nil
			}
		}
		if j.end != nil {
			line.complete = true
			return j.end
		}
		line.free <- j
	}
	return nil
}

// count adds the cells of a job that nothing reads.
func (r *Reading) count(j *job) {
	if len(j.unread) == 0 {
		return
	}
	for len(r.unread) <= j.b.source {
		r.unread = append(r.unread, nil)
	}
	if r.unread[j.b.source] == nil {
		r.unread[j.b.source] = make([]int, len(j.unread))
	}
	for k, n := range j.unread {
		r.unread[j.b.source][k] += n
	}
}

// LeftBehind lists what the files have and nothing takes, complete once the results were
// read.
func (r *Reading) LeftBehind() []schema.LeftBehind {
	var list []schema.LeftBehind
	for source, counts := range r.unread {
		resource := r.mostOf(source)
		for k, cells := range counts {
			column := r.bindings[source].unread[k]
			if r.readBeside(source, column) {
				continue
			}
			header := r.bindings[source].header[column]
			what := match.Aside(resource, header)
			list = schema.AddLeftBehind(list, schema.LeftBehind{What: what, Columns: []string{header}, Cells: cells})
		}
	}
	schema.SortLeftBehind(list)
	return list
}

// dropRepeated drops what was said before: of a column without a header in another
// job, which has a warning of its own, and of a cell that feeds several fields.
func (r *Reading) dropRepeated(result *Result) {
	kept := result.Problems[:0]
	for _, p := range result.Problems {
		if p.Code == schema.CodeEmptyHeader {
			at := [2]int{result.Source, p.Place.Column}
			if r.unseen[at] {
				continue
			}
			r.unseen[at] = true
		}
		if p.Place.Column >= 0 && slices.ContainsFunc(kept, func(said schema.Problem) bool {
			return said.Code == p.Code && said.Place == p.Place && said.Message == p.Message
		}) {
			continue
		}
		kept = append(kept, p)
	}
	clear(result.Problems[len(kept):])
	result.Problems = kept
}
