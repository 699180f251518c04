package mapping

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Reading is a reading of one or more files of rows.
type Reading struct {
	files
	sources

	rows    check.Rows
	records recordRows
	links   *check.Links    // nil where no sheet of events comes with what belongs to them
	unseen  map[[2]int]bool // source and column of cells without a header that were warned of
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
// Results to their end, or keeps the files open, closes the Reading.
func Read(ctx context.Context, c Config) (*Reading, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	r := &Reading{
		files: files{options: o, tables: map[string]*sheet.File{}}, records: newRecordRows(o), unseen: map[[2]int]bool{},
	}
	if err := r.open(ctx); err != nil {
		r.Close()
		return nil, err
	}
	if r.linked() {
		r.links = check.NewLinks()
	}
	return r, nil
}

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
		if !r.options.KeepOpen {
			defer r.Close()
		}
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
			r.records.meet(&j.results[i], j.b)
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
			r.sheets[result.Source].Rows++
			if result.Lacking != "" {
				r.lacks(result)
			}
			if j.b.absent != nil {
				j.b.absent.meet(result)
			}
			if r.links != nil && result.Draft != nil && (!result.Again || result.Draft.Resource == catalog.Guests) {
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
		if !said(kept, &p) {
			kept = append(kept, p)
		}
	}
	clear(result.Problems[len(kept):])
	result.Problems = kept
}

// said reports whether problems of a row say of a cell what another one does.
func said(problems []schema.Problem, p *schema.Problem) bool {
	return p.Place.Column >= 0 && slices.ContainsFunc(problems, func(other schema.Problem) bool {
		return other.Code == p.Code && other.Place == p.Place && other.Message == p.Message
	})
}
