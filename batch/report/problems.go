package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// What the screen names of a group: so many different messages, each with so many
// cells, or so many cells where all of them say the same.
const (
	shownMessages = 5
	shownPlaces   = 5
	fewPlaces     = 3
)

// Problems gathers problems for the screen: by sheet, and there by rule and column.
// What it keeps does not grow with the number of problems.
type Problems struct {
	groups   map[group]*gathered
	rows     map[section]int // of the sheets that were read
	read     []section       // the same, in the order of the input
	named    []section       // by a problem, in their order
	Errors   int
	Warnings int
}

// section is a sheet, or a file without sheets. Its name is said once, above its
// problems.
type section struct{ file, sheet string }

// group is what problems of one kind have in common.
type group struct {
	section
	severity schema.Severity
	code     schema.Code
	field    string
	column   int // -1 where the problems are of several columns, or of none
}

type gathered struct {
	group
	n        int
	first    schema.Problem
	variants []variant
	hints    int    // problems with another hint than the first
	rest     string // of each message, behind the value that it begins with; empty where they differ
	values   bool   // problems have several values
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

// Source adds a sheet that was read, in the order of the input. It is shown with
// its rows, with and without problems.
func (p *Problems) Source(file, sheet string, rows int) {
	name := section{file, sheet}
	if p.rows == nil {
		p.rows = map[section]int{}
	}
	p.rows[name] += rows
	if !slices.Contains(p.read, name) {
		p.read = append(p.read, name)
	}
}

// Add takes one problem.
func (p *Problems) Add(problem schema.Problem) {
	if problem.Severity == schema.Error {
		p.Errors++
	} else {
		p.Warnings++
	}
	key := group{
		section{problem.Place.File, problem.Place.Sheet}, problem.Severity, problem.Code, problem.Field, problem.Place.Column,
	}
	if slices.Contains(headerCodes, key.code) {
		key.field, key.column = "", -1
	}
	if p.groups == nil {
		p.groups = map[group]*gathered{}
	}
	if !slices.Contains(p.named, key.section) {
		p.named = append(p.named, key.section)
	}
	g := p.groups[key]
	if g == nil {
		g = &gathered{group: key, first: problem, rest: behind(problem.Message)}
		p.groups[key] = g
	}
	g.add(&problem)
}

func (g *gathered) add(p *schema.Problem) {
	g.n++
	if p.Hint != g.first.Hint {
		g.hints++
	}
	if behind(p.Message) != g.rest {
		g.rest = ""
	}
	g.values = g.values || p.Value != g.first.Value
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

// Unmapped names the first file of which the headers do not say what the columns
// are: none names a field, or none the name or the start of an event while others
// feed nothing. It is empty where there is none. No mapping helps a sheet without rows.
func (p *Problems) Unmapped() (file string) {
	seen := func(name section, code schema.Code, field schema.ID) bool {
		for _, g := range p.groups {
			empty := g.code == schema.CodeNoHeader && g.first.Place.Row == 0
			if g.section == name && g.code == code && (field == 0 || g.field == field.Path()) && !empty {
				return true
			}
		}
		return false
	}
	for _, name := range p.named {
		missing := seen(name, schema.CodeMissingColumn, schema.FieldName) || seen(name, schema.CodeMissingColumn, schema.FieldStartAt)
		if seen(name, schema.CodeNoHeader, 0) || missing && seen(name, schema.CodeUnmatchedColumn, 0) {
			return name.file
		}
	}
	return ""
}

// behind is what a message says of the value that it begins with.
func behind(message string) string {
	value, err := strconv.QuotedPrefix(message)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(message[len(value):], " ")
}

// blocks are the groups of a section in the order in which they are shown: errors
// before warnings, then by place. Those of one rule with one hint are a block.
func (p *Problems) blocks(name section, quiet bool) [][]*gathered {
	var groups []*gathered
	for _, g := range p.groups {
		if g.section == name && (g.severity == schema.Error || !quiet) {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(a, b *gathered) int {
		return cmp.Or(
			cmp.Compare(a.severity, b.severity), cmp.Compare(a.first.Place.Row, b.first.Place.Row), cmp.Compare(a.column, b.column),
			strings.Compare(string(a.code), string(b.code)), strings.Compare(a.field, b.field),
		)
	})
	var blocks [][]*gathered
	for _, g := range groups {
		i := slices.IndexFunc(blocks, func(block []*gathered) bool { return block[0].together(g) })
		if i < 0 {
			blocks = append(blocks, []*gathered{g})
			continue
		}
		blocks[i] = append(blocks[i], g)
	}
	for _, block := range blocks {
		slices.SortStableFunc(block, func(a, b *gathered) int { return cmp.Compare(a.column, b.column) })
	}
	return blocks
}

// together reports whether one hint helps against both groups.
func (g *gathered) together(other *gathered) bool {
	return g.severity == other.severity && g.code == other.code && g.first.Hint == other.first.Hint && g.hints+other.hints == 0
}
