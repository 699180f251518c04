package file

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// firstPlaces is how many cells of a group are named.
const firstPlaces = 5

// groups gathers problems by rule and column. What it keeps does not grow with
// the number of problems.
type groups struct {
	by  map[groupKey]*group
	all []*group // in the order in which they came
}

type groupKey struct {
	severity           schema.Severity
	code               schema.Code
	file, sheet, field string
	column             int
}

type group struct {
	first  schema.Problem
	n      int
	alike  bool // all say the same
	places []schema.Place
}

func (g *groups) row(row *finding.Row) {
	for i := range row.Problems {
		g.add(&row.Problems[i])
	}
}

func (g *groups) add(p *schema.Problem) {
	if g.by == nil {
		g.by = map[groupKey]*group{}
	}
	key := groupKey{p.Severity, p.Code, p.Place.File, p.Place.Sheet, p.Field, p.Place.Column}
	one := g.by[key]
	if one == nil {
		one = &group{first: *p, alike: true}
		g.by[key] = one
		g.all = append(g.all, one)
	}
	one.n++
	one.alike = one.alike && one.first.Message == p.Message
	if len(one.places) < firstPlaces {
		one.places = append(one.places, p.Place)
	}
}

// of gives the groups of a severity, the largest first.
func (g *groups) of(severity schema.Severity) (list []*group, problems int) {
	for _, one := range g.all {
		if one.first.Severity == severity {
			list = append(list, one)
			problems += one.n
		}
	}
	slices.SortStableFunc(list, func(a, b *group) int { return cmp.Compare(b.n, a.n) })
	return list, problems
}

// cells names the first cells of the group: F19, F22 and 3 more.
func (g *group) cells() string {
	var names []string
	for _, p := range g.places {
		if name := p.Cell(); name != "" {
			names = append(names, name)
		}
	}
	text := strings.Join(names, ", ")
	if more := g.n - len(g.places); more > 0 {
		text += " and " + number(more) + " more"
	}
	return text
}
