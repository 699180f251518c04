// Package page writes a report as one HTML file that needs nothing but a browser.
//
// A [Sink] turns each row into JSON as it comes and keeps that text only, so that
// nothing of the row is held. End puts the rows, the problems of whole files, the
// groups of all problems with their counts, the days and the requests into one
// JSON document, and that into the page of package templates, whose script draws
// everything but the head of the page.
//
// The page is for a [Customer], who knows the file and has to mend it, or for an
// [Engineer], who also sees rules, runs and requests. The first reads of problems as a
// list of things to do, one for each column and rule, the second as problems by rule.
//
// All rows and problems are counted, but only some are carried: mostProblems
// problems, whatever the number the first few of each group, and mostRows rows,
// those with problems before others. Cells are cut, and rows past mostBytes have
// no cells but the offending ones. The page says what was left out.
//
// Every text of the input passes visible, is escaped by encoding/json, and reaches
// the page as a text node.
package page

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// What the page carries at most.
const (
	mostRows     = 10_000
	mostProblems = 10_000
	mostBytes    = 8 << 20 // of rows with all their cells
	always       = 5       // problems of a group, whatever their number
	mostGroups   = 1000    // groups of which the first problems are carried in any case
	mostCells    = 64      // of a row
	cellMost     = 300     // characters of a cell
	textMost     = 600     // characters of an offending cell, a message, a hint
	nameMost     = 80      // characters of a header
)

// Options say how the page looks, and to whom.
type Options struct {
	Title string // the names of the files where it is empty
	Logo  Logo
	For   Audience
}

// Sink gathers what the page shows.
type Sink struct {
	Options
	w      io.Writer
	groups finding.Groups
	days   days
	rows   []rowText
	files  []problemJSON // problems of whole files
	fail   error
	counts
}

// counts are of all that was found, and of what is carried of it.
type counts struct {
	read     int    // rows
	severity [2]int // problems
	problems int    // that are carried
	good     int    // carried rows without carried problems
	bytes    int    // of the carried rows

	cut, wide, narrow bool // texts were cut; rows have more cells than are shown; rows show their offending cells only
}

// rowText is a row as JSON.
type rowText struct {
	json json.RawMessage
	bad  bool // with problems
}

var _ finding.Sink = (*Sink)(nil)

// New returns a sink that writes the page to w at End, in one go and not before, so
// that w may be opened by the first byte.
func New(w io.Writer, options Options) *Sink { return &Sink{Options: options, w: w} }

// Row takes one row.
func (s *Sink) Row(row *finding.Row) {
	s.read++
	s.days.add(row)
	out := rowJSON{
		Source: row.Source, Number: row.Number, Line: row.Line,
		Action: s.text(row.Action, cellMost), Status: s.text(string(row.Status), cellMost), Reason: s.text(s.reason(row), cellMost),
	}
	for i := range row.Problems {
		if p, carried := s.problem(&row.Problems[i]); carried {
			p.Number, p.Line = 0, 0 // they are the row's
			out.Problems = append(out.Problems, p)
		}
	}
	bad := len(out.Problems) > 0
	if !bad && s.good == mostRows {
		return
	}
	out.eventJSON = s.event(&row.Event)
	switch {
	case s.bytes < mostBytes:
		out.Changes = s.changes(row.Changes)
		if bad {
			out.Cells = s.cells(row.Cells, out.Problems)
		}
	case bad || len(row.Changes) > 0:
		s.narrow = true
	}
	text, err := json.Marshal(&out)
	s.fail = errors.Join(s.fail, err)
	s.bytes += len(text)
	if !bad {
		s.good++
	}
	s.rows = append(s.rows, rowText{text, bad})
}

// Problem takes a problem of a whole file.
func (s *Sink) Problem(problem schema.Problem) {
	if p, carried := s.problem(&problem); carried {
		s.files = append(s.files, p)
	}
}

// End writes the page.
func (s *Sink) End(summary *finding.Summary) error {
	if err := cmp.Or(s.fail, s.write(summary)); err != nil {
		return fmt.Errorf("writing the report page: %w", err)
	}
	return nil
}

// problem counts a problem and reports whether the page carries it.
func (s *Sink) problem(p *schema.Problem) (out problemJSON, carried bool) {
	s.severity[p.Severity]++
	g := s.groups.Add(p)
	if s.problems >= mostProblems && (g.N > always || g.Index >= mostGroups) {
		return out, false
	}
	s.problems++
	return problemJSON{
		Group: g.Index, Message: s.text(s.message(p.Message), textMost), Hint: s.text(s.hint(p.Severity, p.Hint), textMost),
		Value: s.text(p.Value, textMost), Instead: s.text(p.Proposal, textMost),
		Number: p.Place.Row, Line: p.Place.Line,
	}, true
}

// cells returns the cells of a row with problems. A value that its cell shows is
// taken from the problem.
func (s *Sink) cells(cells []string, problems []problemJSON) []string {
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > mostCells {
		cells, s.wide = cells[:mostCells], true
	}
	list := make([]string, len(cells))
	for i, text := range cells {
		most := cellMost
		if slices.ContainsFunc(problems, func(p problemJSON) bool { return s.groups.All[p.Group].Column == i }) {
			most = textMost
		}
		list[i] = s.text(text, most)
	}
	for i := range problems {
		p := &problems[i]
		if c := s.groups.All[p.Group].Column; c >= 0 && c < len(list) && list[c] == p.Value {
			p.Value = ""
		}
	}
	return list
}

// carried returns the rows of the page in their order: those with problems, and as
// many others as there is room for.
func (s *Sink) carried() []json.RawMessage {
	list := []json.RawMessage{}
	room := mostRows - (len(s.rows) - s.good)
	for _, row := range s.rows {
		if !row.bad {
			if room--; room < 0 {
				continue
			}
		}
		list = append(list, row.json)
	}
	return list
}

// notes says what of all that was found is not in the page.
func (s *Sink) notes(rows int) []string {
	rest := ""
	if s.For == Engineer {
		rest = " The CSV report has the rest: --report FILE.csv."
	}
	var notes []string
	if problems := s.severity[0] + s.severity[1]; s.problems < problems {
		notes = append(notes, "The page lists "+printable.Number(s.problems)+" of "+printable.Count(problems, "problem")+
			"; the counts are of all of them."+rest)
	}
	if rows < s.read {
		first := ""
		if s.good < len(s.rows) {
			first = ", those with problems first"
		}
		notes = append(notes, "The page carries "+printable.Number(rows)+" of "+printable.Count(s.read, "row")+first+"."+rest)
	}
	if s.narrow {
		notes = append(notes, "To keep the page small, later rows show only their offending cells, and no changes.")
	}
	if s.cut {
		notes = append(notes, "Cells of more than "+printable.Number(cellMost)+" characters are cut.")
	}
	if s.wide {
		notes = append(notes, "Rows show their first "+printable.Number(mostCells)+" cells and the offending ones.")
	}
	return notes
}

// text returns a text as the page shows it, at most so many characters of it.
func (s *Sink) text(text string, most int) string {
	short := cut(text, most)
	s.cut = s.cut || len(short) < len(text)
	return visible(short)
}
