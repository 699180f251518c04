package report

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// shownPlaces is how many cells of a group the screen names.
const shownPlaces = 5

// Problems gathers problems for the screen, grouped by rule and column. What it
// keeps does not grow with the number of problems.
type Problems struct {
	groups   map[group]*gathered
	sheets   map[[2]string]int // file and sheet, in the order in which they came
	Errors   int
	Warnings int
}

// group is what problems of one kind have in common.
type group struct {
	severity    schema.Severity
	code        schema.Code
	file, sheet string
	field       string
	column      int // -1 where the problems are of several columns, or of none
}

type gathered struct {
	group
	order int // of the sheet
	n     int
	first []schema.Problem
	hints int // problems with another hint than the first
	words int // problems with another message than the first
}

// headerCodes are what is wrong with headers: a file has one problem a column,
// and they belong together.
var headerCodes = []schema.Code{
	schema.CodeUnmatchedColumn, schema.CodeDeprecatedName, schema.CodeEmptyHeader, schema.CodeDuplicateHeader,
}

// Add takes one problem.
func (p *Problems) Add(problem schema.Problem) {
	if p.groups == nil {
		p.groups, p.sheets = map[group]*gathered{}, map[[2]string]int{}
	}
	if problem.Severity == schema.Error {
		p.Errors++
	} else {
		p.Warnings++
	}
	key := group{
		problem.Severity, problem.Code, problem.Place.File, problem.Place.Sheet, problem.Field, problem.Place.Column,
	}
	if slices.Contains(headerCodes, key.code) {
		key.field, key.column = "", -1
	}
	g := p.groups[key]
	if g == nil {
		g = &gathered{group: key, order: p.sheet(key)}
		p.groups[key] = g
	}
	g.n++
	if len(g.first) < shownPlaces {
		g.first = append(g.first, problem)
	}
	if problem.Hint != g.first[0].Hint {
		g.hints++
	}
	if problem.Message != g.first[0].Message {
		g.words++
	}
}

func (p *Problems) sheet(key group) int {
	name := [2]string{key.file, key.sheet}
	order, seen := p.sheets[name]
	if !seen {
		order = len(p.sheets)
		p.sheets[name] = order
	}
	return order
}

// Show prints the groups: errors before warnings, then by place. A quiet screen
// is shown errors only. It tells whether places were left out.
func (p *Problems) Show(s *Screen) (cut bool) {
	groups := make([]*gathered, 0, len(p.groups))
	for _, g := range p.groups {
		if g.severity == schema.Error || !s.quiet {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(a, b *gathered) int {
		return cmp.Or(
			cmp.Compare(a.severity, b.severity), cmp.Compare(a.order, b.order),
			cmp.Compare(a.first[0].Place.Row, b.first[0].Place.Row), cmp.Compare(a.column, b.column),
			strings.Compare(string(a.code), string(b.code)), strings.Compare(a.field, b.field),
		)
	})
	for _, g := range groups {
		s.group(g)
		cut = cut || g.n > len(g.first)
	}
	return cut
}

// group prints one group: a line for what it is, a line a cell.
func (s *Screen) group(g *gathered) {
	first := &g.first[0]
	word := s.red("error")
	if g.severity == schema.Warning {
		word = s.yellow("warning")
	}
	if g.n == 1 {
		s.Printf("%s: %s: %s %s\n", place(first.Place), word, Clean(first.Message), s.dim("["+string(g.code)+"]"))
		s.hint(first.Hint, "  ")
		return
	}
	s.Printf("%s: %s: %s, %s %s\n", where(g), word, s.title(g), Count(g.n, "time"), s.dim("["+string(g.code)+"]"))
	more := ""
	if n := g.n - len(g.first); n > 0 {
		more = "and " + Number(n) + " more"
	}
	if g.words == 0 && g.hints == 0 {
		s.Printf("  %s\n", strings.TrimSpace(strings.Join(cells(g), ", ")+" "+s.dim(more)))
	} else {
		s.places(g, more)
	}
	if g.hints == 0 {
		s.hint(first.Hint, "  ")
	}
}

// places prints the first cells of a group, each with its own words.
func (s *Screen) places(g *gathered, more string) {
	names := cells(g)
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	for i := range g.first {
		p := &g.first[i]
		s.Printf("  %-*s  %s\n", width, names[i], Clean(p.Message))
		if g.hints > 0 {
			s.hint(p.Hint, strings.Repeat(" ", width+4))
		}
	}
	if more != "" {
		s.Printf("  %s\n", s.dim(more))
	}
}

// cells names the first places of a group.
func cells(g *gathered) []string {
	names := make([]string, len(g.first))
	for i := range g.first {
		place := &g.first[i].Place
		if names[i] = place.Cell(); place.Column < 0 && names[i] != "" {
			names[i] = "row " + names[i]
		}
	}
	return names
}

// title is what the group's problems have in common, in words.
func (s *Screen) title(g *gathered) string {
	if g.words == 0 {
		return s.bold(Clean(g.first[0].Message))
	}
	words := string(g.code)
	if info, ok := schema.Lookup(g.code); ok {
		words = info.Title
	}
	if g.field != "" {
		words = g.field + ": " + words
	}
	return s.bold(words)
}

// where names the column that a group of problems is in.
func where(g *gathered) string {
	p := g.first[0].Place
	words := Clean(p.File)
	if p.Sheet != "" {
		words += ":" + Clean(p.Sheet)
	}
	if g.column >= 0 {
		words += " column " + schema.ColumnName(g.column)
		if p.Header != "" {
			words += " (" + shorten(Clean(p.Header), 40) + ")"
		}
	}
	return words
}

// place names the one cell that a problem is at.
func place(p schema.Place) string {
	p.File, p.Sheet = Clean(p.File), Clean(p.Sheet)
	return p.String()
}
