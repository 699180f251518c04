// Package match proposes a mapping for a file that was never meant for this tool.
//
// It is given the columns of a file: their headers, and what their cells look like.
// What is certain becomes a mapping, each line with its reason; what is not becomes
// a question. A column that feeds the wrong field is the worst that can come of it,
// so that in doubt it asks.
package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// Config says what is known beside the columns.
type Config struct {
	Sheet     string // to be named in the mapping; empty: the first
	HeaderRow int    // likewise; 0: found
	// Answers are given by the id of their question. One that no question takes
	// is left over in [Proposal.Unused].
	Answers map[string]string
	// Zone is where the person sits, as a suggestion; empty: not known.
	Zone string
}

// Proposal is a mapping with the reasons for it.
type Proposal struct {
	File      mapfile.File
	Source    string // name of the preset whose headers these are; empty where none
	Near      string // name of the preset whose headers these nearly are
	Lines     []Line
	Questions []Question // that are open, in the order in which they are best asked
	Ignored   []Ignored
	Unused    []string // ids of answers that no question takes
}

// Line is the reason for one line of the mapping.
type Line struct {
	At      string   // path in the mapping: name, timezone.column, date_order
	Columns []string // headers
	Basis   Basis
	Score   int // percent, of BySimilar
	Reason  string
	Doubt   string // cells that will not be read; empty where there are none
}

// Ignored is a column that feeds nothing, and why.
type Ignored struct {
	Header string
	Reason string
}

// Open counts the questions that have to be answered before the mapping is whole.
func (p *Proposal) Open() int {
	n := 0
	for i := range p.Questions {
		if !p.Questions[i].Optional {
			n++
		}
	}
	return n
}

// Needless reports whether the headers say all by themselves, so that the file can
// be read without a mapping.
func (p *Proposal) Needless() bool {
	if p.Source != "" || p.Open() > 0 || len(p.Ignored) > 0 || p.File.Filter != "" || p.File.DateOrder != "" ||
		p.File.Timezone.Default != "" || p.File.Sheet != "" {
		return false
	}
	for _, l := range p.Lines {
		if l.Basis != ByPath && l.Basis != ByAlias || l.Doubt != "" {
			return false
		}
		for _, h := range l.Columns {
			if m, ok := Field(schema.Events, h); !ok || m.Path() != l.At && !strings.HasPrefix(l.At, "timezone") && !(l.At == "end_at" &&
				m == schema.FieldStartAt) {
				return false
			}
		}
	}
	for _, item := range p.File.Columns {
		if c := item.Value; c.Expr != "" || c.HTML || len(c.Values) > 0 || c.Value != nil || c.Range != "" || len(c.From) > 2 {
			return false
		}
	}
	return true
}

// Propose makes the mapping of what was gathered. It may be called again with
// more answers.
func (c *Columns) Propose(o Config) *Proposal {
	b := &builder{config: o, all: c, p: &Proposal{}, used: map[int]bool{}, about: map[int]bool{}, taken: map[string]bool{}}
	b.p.File.Version = mapfile.Version
	b.p.File.Sheet, b.p.File.HeaderRow = o.Sheet, o.HeaderRow
	switch {
	case b.source():
	case b.guests():
	default:
		b.settle()
		b.eventID()
		b.when()
		b.words()
		b.place()
		b.links()
		b.plain()
		b.choices()
		b.identity()
		b.status()
		b.zone()
		b.order()
	}
	b.rest()
	for id := range o.Answers {
		if !b.taken[id] {
			b.p.Unused = append(b.p.Unused, id)
		}
	}
	slices.Sort(b.p.Unused)
	slices.SortStableFunc(b.p.File.Columns, func(x, y yamldoc.Item[mapfile.Column]) int { return fieldRank(x.Key) - fieldRank(y.Key) })
	return b.p
}

func fieldRank(path string) int {
	if f, ok := schema.Events.ByPath(path); ok {
		return int(f.ID)
	}
	return len(schema.Fields)
}

// builder makes a proposal.
type builder struct {
	config  Config
	all     *Columns
	p       *Proposal
	settled []settled
	used    map[int]bool    // columns that feed something
	about   map[int]bool    // columns that an open question is about
	taken   map[string]bool // ids of answers that a question took
	misfit  map[int]string  // columns whose cells are not what their header says
	times   []*column       // that dates are read from
	updates bool            // rows name events that exist, and need not describe them
}

// settled is a column with the one thing that it may be.
type settled struct {
	*column
	claim
}

// settle finds for each column the first meaning of its header that its cells allow.
func (b *builder) settle() {
	b.misfit = map[int]string{}
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if c.header == "" || c.twice {
			continue
		}
		claims := claimsOf(c.header)
		at := slices.IndexFunc(claims, func(cl claim) bool { return c.fits(cl) })
		if at >= 0 {
			b.settled = append(b.settled, settled{c, claims[at]})
			continue
		}
		if len(claims) > 0 && claims[0].role != roleAside && claims[0].basis != BySimilar {
			b.misfit[i] = claims[0].role.path(claims[0].field)
		}
	}
}

// having gives the columns of some roles that nothing has taken, of the surest
// basis that one of them has. Those of a lesser basis are spoken for by them.
func (b *builder) having(roles ...role) []settled {
	var found []settled
	for _, s := range b.settled {
		if slices.Contains(roles, s.role) && !b.used[s.index] && !b.about[s.index] {
			found = append(found, s)
		}
	}
	return found
}

// surest keeps those of the surest basis.
func surest(found []settled) []settled {
	var kept []settled
	for _, s := range found {
		switch {
		case len(kept) == 0 || s.rank() < kept[0].rank():
			kept = []settled{s}
		case s.rank() == kept[0].rank():
			kept = append(kept, s)
		}
	}
	return kept
}

// rank is how sure a claim is, 0 the surest.
func (c *claim) rank() int {
	switch {
	case c.basis == ByPath:
		return 0
	case c.basis == ByAlias:
		return 1
	}
	return 2 + (100 - c.score)
}

// sure reports whether a claim needs no question: a header that only resembles a
// word needs cells that could be nothing else.
func (s *settled) sure() bool {
	return s.basis != BySimilar || s.score >= 90 || s.score >= 80 && s.telling()
}

// telling reports whether the cells by themselves say what kind of thing they are.
func (s *settled) telling() bool {
	return s.most(shapeDate, shapeMoment, shapeClock, shapeSpan, shapeHours) || s.most(shapeZone) || s.most(shapeURL) || s.most(shapeBool)
}

// set feeds a field, and says why.
func (b *builder) set(path string, value mapfile.Column, line Line, columns ...*column) {
	b.p.File.Columns = append(b.p.File.Columns, yamldoc.Item[mapfile.Column]{Key: path, Value: value})
	b.say(path, line, columns...)
}

// say records the reason of a line.
func (b *builder) say(at string, line Line, columns ...*column) {
	line.At = at
	for _, c := range columns {
		b.used[c.index] = true
		delete(b.about, c.index)
		line.Columns = append(line.Columns, c.header)
	}
	b.p.Lines = append(b.p.Lines, line)
}

// ignore leaves a column out.
func (b *builder) ignore(c *column, reason string) {
	b.used[c.index] = true
	delete(b.about, c.index)
	b.p.Ignored = append(b.p.Ignored, Ignored{c.header, reason})
}

// ignoreAll leaves the columns out that another one speaks for.
func (b *builder) ignoreAll(all []settled, by string) {
	for _, s := range all {
		if !b.used[s.index] && !b.about[s.index] {
			b.ignore(s.column, by)
		}
	}
}
