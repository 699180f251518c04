// Package page draws a report as one HTML file that needs nothing but a browser.
package page

import (
	"fmt"
	"io"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// Config bounds the page. A zero field takes its default.
type Config struct {
	// Bytes is how long the file may be. Where it would be longer, cells are cut
	// and rows without problems left out first, and the page says so.
	Bytes int
	// Rows is how many rows the page carries. All rows are counted; those with
	// problems are carried before others.
	Rows int
	// Problems is how many problems the page carries. All are counted, and of
	// each kind the first few are always there.
	Problems int
}

// The defaults of a Config: a page that a mail server takes and a telephone opens.
const (
	defaultBytes    = 1_950_000
	defaultRows     = 10_000
	defaultProblems = 10_000
)

// Sink gathers what the page needs, in memory that does not grow with the input
// past a few tens of megabytes.
type Sink struct {
	w      io.Writer
	config Config

	read   int // rows
	texts  texts
	groups groups
	days   days

	rows  []*kept // in the order in which they came
	bad   int     // of rows: those with problems
	wild  bool    // a row had more cells than are kept
	files []keptProblem
	words [2]int // problems by severity
}

var _ finding.Sink = (*Sink)(nil)

// New gives a sink that writes the page to w at End, in one go and not before, so
// that w may be opened by the first byte.
func New(w io.Writer, config Config) *Sink {
	for _, limit := range []struct {
		value *int
		usual int
	}{{&config.Bytes, defaultBytes}, {&config.Rows, defaultRows}, {&config.Problems, defaultProblems}} {
		if *limit.value <= 0 {
			*limit.value = limit.usual
		}
	}
	return &Sink{w: w, config: config}
}

// Row takes one row.
func (s *Sink) Row(row *finding.Row) error {
	s.read++
	s.days.add(row)
	s.keep(row)
	return nil
}

// Problem takes a problem of a whole file.
func (s *Sink) Problem(problem schema.Problem) error {
	s.words[problem.Severity&1]++
	g, n := s.groups.of(-1, &problem)
	if len(s.files) < s.config.Problems || n <= always {
		s.files = append(s.files, s.problem(g, &problem))
	}
	return nil
}

// End writes the page.
func (s *Sink) End(summary *finding.Summary) error {
	if err := s.write(summary); err != nil {
		return fmt.Errorf("writing the report page: %w", err)
	}
	return nil
}
