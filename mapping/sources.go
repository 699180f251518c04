package mapping

import (
	"cmp"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/match"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
)

// sources are the sheets that were read, with what was found wrong with them and what is left behind of each.
type sources struct {
	sheets   []Source
	bindings []*binding // of the sheets
	problems []schema.Problem
	zoneless []zoneLack // of the sheets
	unread   [][]int    // of the sheets: filled cells, by column of the binding's unread
}

// Source is one sheet of one input file.
type Source struct {
	File      string
	Sheet     string            // empty for a text format
	SHA256    string            // of the file; known once the sheet was read to its end
	Header    []string          // the columns in order
	HeaderRow int               // physical row
	Date1904  bool              `json:"-"` // dates of the workbook count from 1904
	Rows      int               // of data, counted as their results are given out
	LeftOut   []reshape.LeftOut `json:"-"`          // rows that are no events, and are not counted
	Preset    string            `json:",omitempty"` // that --mapping auto has found; empty where it was not asked to, or none fits
}

// Hides reports whether rows that may be events were left out, since they are hidden or struck through.
func (s *Source) Hides() bool {
	return slices.ContainsFunc(s.LeftOut, func(l reshape.LeftOut) bool { return l.Kind >= reshape.Hidden && len(l.Rows) > 0 })
}

// KeyColumn returns the header of the column that the keys of the first sheet of events stand
// in, or of the first sheet where none is one; empty where no column has keys. It is known once
// the results were read.
func (r *sources) KeyColumn() string {
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
func (r *sources) Fed() map[string]string {
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

// Sources lists the sheets that were read, complete once the results were.
func (r *sources) Sources() []Source { return r.sheets }

// Problems lists what is wrong with files, sheets and headers, complete once the
// results were read.
func (r *sources) Problems() []schema.Problem { return r.problems }

// count adds the cells of a job that nothing reads.
func (r *sources) count(j *job) {
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
func (r *sources) LeftBehind() []schema.LeftBehind {
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

// mostOf returns what the rows of a source are about: where several read them, guests, whose columns they mostly are.
func (r *sources) mostOf(source int) *schema.Resource {
	s := &r.sheets[source]
	for i, b := range r.bindings {
		if other := &r.sheets[i]; b.options.Resource == catalog.Guests && other.File == s.File && other.Sheet == s.Sheet {
			return catalog.Guests
		}
	}
	return r.bindings[source].options.Resource
}

// readBeside reports whether another input reads a column of a source, or has said that nothing does.
func (r *sources) readBeside(source, column int) bool {
	s := &r.sheets[source]
	for i, b := range r.bindings {
		if other := &r.sheets[i]; i == source || other.File != s.File || other.Sheet != s.Sheet {
			continue
		}
		if i < source || !slices.Contains(b.unread, column) {
			return true
		}
	}
	return false
}

// Locate completes a problem of a row that was given out, found by somebody who
// knows its field or its column alone: with the column that feeds the field, its
// header and the cell. cells are those of the row.
func (r *sources) Locate(p *schema.Problem, source int, cells []string) {
	r.bindings[source].complete(p)
	if column := p.Place.Column; column >= 0 && column < len(cells) {
		p.Value = cells[column]
	}
}
