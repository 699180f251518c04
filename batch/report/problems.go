package report

import (
	"cmp"
	"slices"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Problems is the sink that shows problems on a screen, at its end: by sheet, and
// there by rule and column. What it keeps does not grow with the number of problems.
type Problems struct {
	Screen   *Screen
	Sheets   bool          // each sheet is shown with the number of its rows, also without a problem
	Rest     func() string // says where those are that are not named, as a hint
	Warnings int
	First    func() // called before anything is shown; may be nil
	Most     int    // kinds of problems that are shown; 0 shows all
	// Log is told of the problems instead of the screen, once of all that say the same; it may be nil.
	Log func(Kind)

	groups finding.Groups
	rows   map[section]int // of the sheets that were read
	read   []section       // the same, in the order of the input
	more   []section       // of which a mapping would take more columns, or ask what becomes of rows
}

// section is a sheet, or a file without sheets. Its name is said once, above its
// problems.
type section struct{ file, sheet string }

// Row takes the problems of a row.
func (p *Problems) Row(row *finding.Row) {
	for i := range row.Problems {
		p.Problem(row.Problems[i])
	}
}

// Problem takes one problem.
func (p *Problems) Problem(problem schema.Problem) {
	if problem.Severity == schema.Warning {
		p.Warnings++
	}
	code, field := problem.Code, problem.Field
	if code == schema.CodeUnmatchedColumn && field != "" || code == schema.CodeHeldBack && field == "" {
		if name := (section{problem.Place.File, problem.Place.Sheet}); !slices.Contains(p.more, name) {
			p.more = append(p.more, name)
		}
	}
	p.groups.JoinHeaders = true
	p.groups.Add(&problem)
}

// End shows the problems. Words that cannot be written are no error.
func (p *Problems) End(summary *finding.Summary) error {
	p.rows = map[section]int{}
	for _, s := range summary.Sources {
		if name := (section{s.File, s.Sheet}); p.Sheets {
			p.rows[name] += s.Rows
			if !slices.Contains(p.read, name) {
				p.read = append(p.read, name)
			}
		}
	}
	if p.First != nil {
		p.First()
	}
	if p.Log != nil {
		p.log()
		return nil
	}
	if p.show(p.Screen) {
		p.Screen.Hint(p.Rest())
	}
	return nil
}

// Kind is problems that say the same, as a log has them.
type Kind struct {
	schema.Problem // the first
	Times          int
	Cells          string // the first few
}

// log tells of the problems, kind by kind.
func (p *Problems) log() {
	for _, name := range p.sections() {
		for _, block := range p.blocks(name, false) {
			for _, g := range block {
				for i := range g.Messages {
					m := &g.Messages[i]
					kind := Kind{Problem: g.First, Times: m.N}
					kind.Message, kind.Value, kind.Hint = m.Text, m.Value, m.Hint
					if !m.Values {
						kind.Message = WithValue(&kind.Problem)
					}
					kind.Cells, _ = namesOf(m, shownPlaces)
					p.Log(kind)
				}
			}
		}
	}
}

// sections are the sheets in the order in which they are shown: those that were
// read, then those that only a problem names.
func (p *Problems) sections() []section {
	names := slices.Clone(p.read)
	for _, g := range p.groups.All {
		if name := sectionOf(g); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func sectionOf(g *finding.Group) section { return section{g.First.Place.File, g.First.Place.Sheet} }

// leavesOut are the rules that tell of rows and sheets about which a mapping may know better.
var leavesOut = []schema.Code{schema.CodeHeldBack, schema.CodeHiddenRows, schema.CodeStruckRows, schema.CodeSheetsLeftOut}

// Unmapped names the first file of which the headers do not say what the columns
// are: none names a field, or none the name or the start of an event while others
// feed nothing; or of which a mapping would take more columns, or ask what becomes of rows
// that are left out. Where there is none it names the first in which something is wrong, or
// that has rows which a mapping might leave out: whether a mapping helps there has to be
// tried. It is empty where nothing is wrong. No mapping helps a sheet without rows.
func (p *Problems) Unmapped() (file string, helps bool) {
	seen := func(name section, code schema.Code, field schema.ID) bool {
		for _, g := range p.groups.All {
			empty := code == schema.CodeNoHeader && g.First.Place.Row == 0
			if sectionOf(g) == name && g.First.Code == code && (field == 0 || g.Field == catalog.Path(field)) && !empty {
				return true
			}
		}
		return false
	}
	for _, name := range p.sections() {
		missing := seen(name, schema.CodeMissingColumn, catalog.FieldName) || seen(name, schema.CodeMissingColumn, catalog.FieldStartAt)
		if slices.Contains(p.more, name) || seen(name, schema.CodeNoHeader, 0) || missing && seen(name, schema.CodeUnmatchedColumn, 0) {
			return name.file, true
		}
	}
	at := slices.IndexFunc(p.groups.All, func(g *finding.Group) bool {
		code := g.First.Code
		return g.First.Severity == schema.Error || slices.Contains(leavesOut, code)
	})
	if at < 0 {
		return "", false
	}
	return p.groups.All[at].First.Place.File, false
}

// blocks are the groups of a section in the order in which they are shown: errors
// before warnings, then by place. Those of one rule with one hint are a block.
func (p *Problems) blocks(name section, quiet bool) [][]*finding.Group {
	var groups []*finding.Group
	for _, g := range p.groups.All {
		if sectionOf(g) == name && (g.First.Severity == schema.Error || !quiet) {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(a, b *finding.Group) int {
		return cmp.Or(
			cmp.Compare(a.First.Severity, b.First.Severity), cmp.Compare(a.First.Place.Row, b.First.Place.Row),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.First.Code, b.First.Code), cmp.Compare(a.Field, b.Field),
		)
	})
	var blocks [][]*finding.Group
	for _, g := range groups {
		i := slices.IndexFunc(blocks, func(block []*finding.Group) bool { return oneHint(block[0], g) })
		if i < 0 {
			blocks = append(blocks, []*finding.Group{g})
			continue
		}
		blocks[i] = append(blocks[i], g)
	}
	for _, block := range blocks {
		slices.SortStableFunc(block, func(a, b *finding.Group) int { return cmp.Compare(a.Column, b.Column) })
	}
	return blocks
}

// oneHint reports whether both groups are of one rule, with one hint for all problems.
func oneHint(a, b *finding.Group) bool {
	return a.First.Severity == b.First.Severity && a.First.Code == b.First.Code && a.First.Hint == b.First.Hint && !a.Hints && !b.Hints
}
