package file

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/own"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// resultsHeader names the columns behind a row's own cells.
var resultsHeader = []string{sheet.RowColumn, "_sheet", "_action", "_status", "_event_id", sheet.LinkColumn, "_error", "_field", "_at"}

// results are tables of one line a row: the input's own columns, unchanged and in order,
// then what became of the row.
type results struct {
	based  bool     // its rows have baselines
	sheets []string // by source: what the column _sheet says
	tables []*table // by source
	end    func() error
}

// table is where the rows of some sources are written.
type table struct {
	merged *columns
	write  func(cells []string)
}

// BeginResults prepares the results of a run, in its own folder and in another file too, where one is named.
func BeginResults(owned, other string, sources []plan.Sheet, based bool) (*Reports, error) {
	err := os.MkdirAll(filepath.Dir(owned), 0o700) // of a run that lies elsewhere
	r := &Reports{}
	for _, path := range []string{filepath.Dir(owned), owned} {
		err = cmp.Or(err, own.NoLink(path))
	}
	for _, path := range []string{owned, other} {
		if path != "" {
			r.Add("the results", NewResults(path, sources, based))
		}
	}
	return r, err
}

// NewResults begins the results of a run, which take the place of the file at their
// end. An own column that is named like one of ours is left out: it is what an earlier
// run wrote. Rows that are based have their baselines in a last column, so that they come
// back as those of an export do.
//
// A file whose name ends with .xlsx has the sheets of the input. Any other one is CSV, in
// which the columns of all sheets stand side by side.
func NewResults(path string, sources []plan.Sheet, based bool) finding.Sink {
	file := &replacing{path: path}
	r := &results{based: based, sheets: sheetNames(sources)}
	if strings.EqualFold(filepath.Ext(path), ".xlsx") {
		r.book(file, sources)
	} else {
		out := sheet.NewCSVWriter(file)
		all := &table{merge(sources), func(cells []string) { _ = out.Write(cells) }} // the end tells
		all.write(r.header(all))
		r.tables = slices.Repeat([]*table{all}, len(sources))
		r.end = func() error {
			out.Flush()
			return out.Error()
		}
	}
	file.Sink = r
	return file
}

// book has the rows written to a workbook with a sheet for each name of one.
func (r *results) book(to io.Writer, sources []plan.Sheet) {
	named := map[string]*table{}
	var sheets []sheet.SheetData
	for i := range sources {
		name := cmp.Or(sources[i].Sheet, "Results")
		if named[name] == nil {
			own := slices.Clone(sources)
			for k := range own {
				if cmp.Or(own[k].Sheet, "Results") != name {
					own[k].Header = nil
				}
			}
			var rows [][]string
			t := &table{merge(own), func(cells []string) { rows = append(rows, cells) }}
			named[name] = t
			sheets = append(sheets, sheet.SheetData{Name: name, Header: r.header(t), Rows: func(yield func([]sheet.Out) bool) {
				for _, cells := range rows {
					if !yield(sheet.Texts(cells)) {
						return
					}
				}
			}})
		}
		r.tables = append(r.tables, named[name])
	}
	r.end = func() error { return sheet.WriteXLSX(to, sheets) }
}

func (r *results) header(t *table) []string {
	header := append(slices.Clone(t.merged.header), resultsHeader...)
	if r.based {
		header = append(header, sheet.BaseColumn)
	}
	return header
}

func (r *results) Row(row *finding.Row) {
	if row.Missing {
		return // it has no place in the rows, which are input again
	}
	at := ""
	if !row.At.IsZero() {
		at = row.At.UTC().Format(time.RFC3339)
	}
	t := r.tables[row.Source]
	cells := append(
		t.merged.cells(row), strconv.Itoa(row.Number), printable.Clean(r.sheets[row.Source]), row.Action, string(row.Status),
		printable.Clean(row.Event.ID), row.Event.URL, printable.Clean(row.Error), printable.Clean(row.Field), at,
	)
	if r.based {
		cells = append(cells, row.Event.Base)
	}
	t.write(cells)
}

// Problem does nothing: the results tell of rows.
func (r *results) Problem(schema.Problem) {}

func (r *results) End(*finding.Summary) error { return r.end() }

// sheetNames names each source in the column _sheet: by its sheet, and by its file
// where there are several.
func sheetNames(sources []plan.Sheet) []string {
	paths := make([]string, len(sources))
	for i := range sources {
		paths[i] = sources[i].File
	}
	files := finding.Names(paths)
	several := slices.ContainsFunc(sources, func(s plan.Sheet) bool { return s.File != sources[0].File })
	names := make([]string, len(sources))
	for i, s := range sources {
		if names[i] = s.Sheet; several {
			names[i] = schema.Place{File: files[i], Sheet: s.Sheet}.String()
		}
	}
	return names
}

// columns are the columns of all sources side by side: those of the first, then
// what others have besides.
type columns struct {
	header []string
	place  [][]int // by source: where each of its columns went, -1 for those that are left out
}

func merge(sources []plan.Sheet) *columns {
	c := &columns{}
	for _, s := range sources {
		taken := make([]bool, len(c.header))
		place := make([]int, len(s.Header))
		for i, name := range s.Header {
			if slices.Contains(resultsHeader, name) || name == sheet.BaseColumn {
				place[i] = -1
				continue
			}
			at := slices.IndexFunc(c.header, func(have string) bool { return have == name })
			for at >= 0 && taken[at] { // a header may name two columns alike
				next := slices.Index(c.header[at+1:], name)
				if next < 0 {
					at = -1
					break
				}
				at += 1 + next
			}
			if at < 0 {
				at = len(c.header)
				c.header, taken = append(c.header, name), append(taken, false)
			}
			taken[at] = true
			place[i] = at
		}
		c.place = append(c.place, place)
	}
	return c
}

// cells puts a row's cells under the columns of the results.
func (c *columns) cells(row *finding.Row) []string {
	cells := make([]string, len(c.header), len(c.header)+len(resultsHeader))
	for i, text := range row.Cells {
		if place := c.place[row.Source]; i < len(place) && place[i] >= 0 {
			cells[place[i]] = text
		}
	}
	return cells
}
