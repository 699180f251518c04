package report

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
)

// What the screen names of a group: so many different messages, each with so many
// cells, or so many cells where all of them say the same.
const (
	shownMessages = 5
	shownPlaces   = 5
	fewPlaces     = 3
)

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
	order    int // of the sheet
	n        int
	first    schema.Problem
	variants []variant
	hints    int // problems with another hint than the first
}

// variant is one message of a group.
type variant struct {
	message, hint string
	n             int
	places        []schema.Place // the first
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
		g = &gathered{group: key, order: p.sheet(key), first: problem}
		p.groups[key] = g
	}
	g.add(&problem)
}

func (g *gathered) add(p *schema.Problem) {
	g.n++
	if p.Hint != g.first.Hint {
		g.hints++
	}
	i := slices.IndexFunc(g.variants, func(v variant) bool { return v.message == p.Message })
	if i < 0 {
		if len(g.variants) == shownMessages {
			return
		}
		i = len(g.variants)
		g.variants = append(g.variants, variant{message: p.Message, hint: p.Hint})
	}
	v := &g.variants[i]
	v.n++
	if len(v.places) < shownPlaces {
		v.places = append(v.places, p.Place)
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
			cmp.Compare(a.first.Place.Row, b.first.Place.Row), cmp.Compare(a.column, b.column),
			strings.Compare(string(a.code), string(b.code)), strings.Compare(a.field, b.field),
		)
	})
	for _, g := range groups {
		cut = s.group(g) || cut
	}
	return cut
}

// group prints one group: a line for what it is, a line a message. It tells
// whether places were left out.
func (s *Screen) group(g *gathered) (cut bool) {
	word := s.red("error")
	if g.severity == schema.Warning {
		word = s.yellow("warning")
	}
	code := s.dim("[" + string(g.code) + "]")
	if g.n == 1 {
		s.Printf("%s: %s: %s %s\n", place(g.first.Place), word, printable.Clean(g.first.Message), code)
		s.hint(g.first.Hint, "  ")
		return false
	}
	s.Printf("%s: %s: %s, %s %s\n", where(g), word, s.title(g), Count(g.n, "time"), code)
	if g.alike() {
		names, cut := g.variants[0].names(shownPlaces)
		s.Printf("  %s\n", names)
		s.hint(g.first.Hint, "  ")
		return cut
	}
	cut = s.variants(g)
	if g.hints == 0 {
		s.hint(g.first.Hint, "  ")
	}
	return cut
}

// variants prints the messages of a group, each with its first cells.
func (s *Screen) variants(g *gathered) (cut bool) {
	names := make([]string, len(g.variants))
	width, more := 0, g.n
	for i := range g.variants {
		v := &g.variants[i]
		shortened := false
		names[i], shortened = v.names(fewPlaces)
		cut = cut || shortened
		width = max(width, len(names[i]))
		more -= v.n
	}
	for i := range g.variants {
		s.Printf("  %-*s  %s\n", width, names[i], printable.Clean(g.variants[i].message))
		if g.hints > 0 {
			s.hint(g.variants[i].hint, strings.Repeat(" ", width+4))
		}
	}
	if more > 0 {
		s.Printf("  %s\n", s.dim("and "+Number(more)+" more"))
	}
	return cut || more > 0
}

// alike tells whether all problems of the group say the same.
func (g *gathered) alike() bool { return g.hints == 0 && g.variants[0].n == g.n }

// names names the first cells of a message.
func (v *variant) names(most int) (text string, cut bool) {
	var names []string
	for i := range v.places[:min(most, len(v.places))] {
		p := &v.places[i]
		switch {
		case p.Row <= 0:
		case p.Column < 0:
			names = append(names, "row "+p.Cell())
		default:
			names = append(names, p.Cell())
		}
	}
	text = strings.Join(names, ", ")
	if n := v.n - len(names); n > 0 && text != "" {
		return text + " and " + Number(n) + " more", true
	}
	return text, false
}

// title is what the group's problems have in common, in words.
func (s *Screen) title(g *gathered) string {
	if g.alike() {
		return s.bold(printable.Clean(g.first.Message))
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
	p := &g.first.Place
	words := printable.Clean(p.File)
	if p.Sheet != "" {
		words += ":" + printable.Clean(p.Sheet)
	}
	if g.column >= 0 {
		words += " column " + schema.ColumnName(g.column)
		if p.Header != "" {
			words += " (" + printable.Shorten(printable.Clean(p.Header), 40) + ")"
		}
	}
	return words
}

// place names the one cell that a problem is at.
func place(p schema.Place) string {
	p.File, p.Sheet = printable.Clean(p.File), printable.Clean(p.Sheet)
	return p.String()
}
