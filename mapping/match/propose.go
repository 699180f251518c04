// Package match finds out which columns feed which fields.
//
// Everything that is known of words stands in events.txt: the headers that people and
// their programs write, by what such a column is to an event (its semantic type) and by the
// field that it feeds; headers of columns that no field takes, with the reason; and the
// words for yes, no and the values of a field. The tables are made of it when they are first
// asked for.
//
// It is used at two degrees of certainty. [Bind] takes the headers that are exactly a
// field's path or one of the few other names that mean one thing in any file: that is
// how a file is read without a mapping. [Columns] infers a mapping for a file that was
// never meant for this tool. It is given the rows one by one and keeps of each column,
// in bounded memory, what its cells look like (their value types), which different
// texts they hold, whether they name the rows, and what they prove of the order of day
// and month. [Columns.Propose] then reads each header: the first of its meanings that
// the cells allow is the column's claim. Claims of the same kind are compared by what
// they rest on, from the field's own path to a likeness of words. What is certain
// becomes a line of the mapping with its reason; what is not becomes a [Question], and
// the proposal is made again with the answers. A column that feeds the wrong field is
// the worst that can come of it, so that in doubt it asks.
//
// Rows that are no events are told apart by package reshape before any column is judged,
// and a further sheet of venues is a [Lookup] whose columns stand behind those of the rows.
// When the columns are settled, each [Shape] of their cells is read by the code that reads
// the rows; one that cannot be read is asked about with a reading of package reads.
package match

import (
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// Config says what is known beside the columns.
type Config struct {
	Resource  *schema.Resource    // what the rows are about; nil: events
	Sheet     mapfile.Names       // to be named in the mapping; none: the first
	HeaderRow int                 // likewise; 0: found
	Encoding  string              // likewise; empty: UTF-8
	RowsAt    string              // likewise; empty: found
	Named     yamldoc.Map[string] // names of the columns that have no header: see [Unheaded]
	Joins     []Join              // the sheets whose columns stand behind those of the rows
	Width     int                 // number of the rows' own columns, where there are such sheets
	Beside    []string            // columns that only some of the sheets have, and that say nothing of events
	// Answers are given by the id of their question. One that no question takes
	// is left over in [Proposal.Unused].
	Answers map[string]string
	// About is what the file is called by its name and its title, which may say a year.
	About string
	// Lies reports whether there is a picture of that path; nil: not known.
	Lies func(path string) bool
	// Now is when the person sits; zero: not known.
	Now time.Time
}

// Proposal is a mapping with the reasons for it.
type Proposal struct {
	File      mapfile.File
	Source    string // name of the preset whose headers these are; empty where none
	Near      string // name of the preset whose headers these nearly are
	Lines     []Line
	Questions []Question // that are open, in the order in which they are best asked
	Shapes    []Shape    // of the cells of the columns that are used, by column
	Settled   []Question // that are answered, or that nobody needs to be asked; Default is the answer
	Ignored   []Ignored
	Nameless  []int            // columns without a header, that no mapping can name, and that have cells
	LeftOut   reshape.LeftOuts // rows that are no events
	Unused    []string         // ids of answers that no question takes

	held []OutRows // that a column leaves out, or that are asked about
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
	if p.Source != "" || p.File.Resource != "" || p.Open() > 0 || len(p.Ignored) > 0 || p.File.Filter != "" || p.File.DateOrder != "" ||
		p.File.Timezone.Default != "" || len(p.File.Sheet) > 0 || len(p.File.Named) > 0 || len(p.File.Joins) > 0 || len(p.LeftOut) > 0 {
		return false
	}
	for _, l := range p.Lines {
		if l.Basis != ByPath && l.Basis != ByAlias || l.Doubt != "" {
			return false
		}
		for _, h := range l.Columns {
			if m, ok := Field(described, h); !ok || m.Path != l.At && !strings.HasPrefix(l.At, "timezone") && !(l.At == "end_at" &&
				m.ID == schema.FieldStartAt) {
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
	b := &builder{
		config: o, all: c, p: &Proposal{}, claims: map[int]claim{}, used: map[int]bool{}, about: map[int]bool{},
		taken: map[string]bool{}, misfit: map[int]string{},
	}
	b.p.File.Version = mapfile.Version
	b.p.File.Sheet, b.p.File.HeaderRow, b.p.File.Named = o.Sheet, o.HeaderRow, o.Named
	b.sheets()
	b.sayNamed()
	switch {
	case o.Resource != nil && !o.Resource.Keyed():
		recording{b}.record(o.Resource)
	case recognizing{b}.source():
	case recognizing{b}.guests():
	case b.month():
	default:
		b.lookups()
		b.readHeaders()
		keying{b}.eventID()
		b.grid()
		timing{b}.when()
		describing{b}.words()
		placing{b}.place()
		b.gridRoom()
		describing{b}.links()
		describing{b}.plain()
		choosing{b}.choices()
		keying{b}.identity()
		choosing{b}.status()
		choosing{b}.allVisible()
		zoning{b}.zone()
		zoning{b}.order()
	}
	b.rows()
	b.filled()
	b.unjoined()
	showing{b}.cells()
	b.rest()
	for id := range o.Answers {
		if !b.taken[id] {
			b.p.Unused = append(b.p.Unused, id)
		}
	}
	slices.Sort(b.p.Unused)
	b.p.File.Encoding, b.p.File.RowsAt = o.Encoding, o.RowsAt
	slices.SortStableFunc(b.p.File.Columns, func(x, y yamldoc.Item[mapfile.Column]) int { return o.rank(x.Key) - o.rank(y.Key) })
	return b.p
}

// rank is the place of a field among those of its resource.
func (o *Config) rank(path string) int {
	if f, ok := schema.RowsOf(o.Resource).ByPath(path); ok {
		return int(f.ID)
	}
	return len(schema.Fields)
}

// builder makes a proposal. What it infers is parted by concern: timing, zoning, placing,
// choosing, keying and describing each know the builder and one part of an event.
type builder struct {
	config  Config
	all     *Columns
	p       *Proposal
	claims  map[int]claim   // what the headers mean, by column
	used    map[int]bool    // columns that feed something
	about   map[int]bool    // columns that an open question is about
	taken   map[string]bool // ids of answers that a question took
	misfit  map[int]string  // columns whose cells are not what their header says
	times   []*column       // that dates are read from
	linked  []*column       // of places, some cells of which are links
	years   reads.Years     // of dates without one, as far as a column has been settled
	both    bool            // dates that cannot be in the order of the mapping are in the other
	updates bool            // rows name events that exist, and need not describe them
}

// settled is a column with the one thing that it may be.
type settled struct {
	*column
	claim
}

// readHeaders finds for each column the first meaning of its header that its cells allow.
func (b *builder) readHeaders() {
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if c.header == "" || c.twice {
			continue
		}
		claims := claimsOf(b.bareHeader(c))
		if at := slices.IndexFunc(claims, func(cl claim) bool { return c.fits(cl) }); at >= 0 {
			b.claims[i] = claims[at]
		} else if len(claims) > 0 && claims[0].semantic != typeAside && claims[0].basis != BySimilar {
			b.misfit[i] = claims[0].path()
		}
	}
	b.kindOfEvent()
	for _, s := range b.unnamed(func(c *column) bool {
		return words().in("who", c.header) && c.choice() && c.filled > 0 && c.meant(schema.FieldVisibility.Field()) == len(c.distinct)
	}) {
		b.claims[s.index] = claim{semantic: typeVisibility, field: schema.FieldVisibility.Field(), basis: ByAlias, word: fold(s.header)}
	}
}

// kindOfEvent takes the only column of texts whose header is a kind of event, such as Workshop, for the name where no other
// header says that it has it.
func (b *builder) kindOfEvent() {
	if slices.ContainsFunc(b.having(typeName), func(s settled) bool { return s.sure() }) {
		return
	}
	room := func(at int) bool { // Atelier beside Saal is one too, unless rooms stand below that, which are there again and again
		return b.claims[at].semantic == typeRoom && len(b.all.columns[at].distinct)*2 > b.all.columns[at].filled
	}
	kinds := b.unnamed(func(c *column) bool {
		kind := words().in("kind of event", c.header) && !c.blank() && c.fits(claim{semantic: typeName})
		return kind && !room(c.index-1) && !room(c.index+1)
	})
	if len(kinds) == 1 {
		b.claims[kinds[0].index] = claim{semantic: typeName, field: schema.FieldName.Field(), basis: ByAlias, word: fold(kinds[0].header)}
	}
}

// of returns a column with what its header means, or with what its cells alone say.
func (b *builder) of(c *column) settled {
	if cl, ok := b.claims[c.index]; ok {
		return settled{c, cl}
	}
	return settled{c, claim{basis: ByValues}}
}

// free lists the columns that nothing has taken, no question is about, and a mapping can name.
func (b *builder) free() []*column {
	var found []*column
	for i := range b.all.columns {
		if c := &b.all.columns[i]; !b.used[i] && !b.about[i] && c.header != "" && !c.twice {
			found = append(found, c)
		}
	}
	return found
}

// unnamed lists the free columns whose headers say nothing, as far as their cells are of a kind.
func (b *builder) unnamed(fits func(c *column) bool) []settled {
	var found []settled
	for _, c := range b.free() {
		if _, known := b.claims[c.index]; !known && fits(c) {
			found = append(found, b.of(c))
		}
	}
	return found
}

// having lists the free columns of some semantic types.
func (b *builder) having(types ...semantic) []settled {
	var found []settled
	for _, c := range b.free() {
		if cl, ok := b.claims[c.index]; ok && slices.Contains(types, cl.semantic) {
			found = append(found, settled{c, cl})
		}
	}
	return found
}

// surest keeps those of the surest basis.
func surest(found []settled) []settled {
	return least(found, func(s *settled) int { return s.rank() })
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
	return s.most(valueDate, valueMoment, valueClock, valueSpan, valueHours) || s.most(valueZone) || s.most(valueURL) || s.most(valueBool)
}

// feed feeds a field with a column as it stands.
func (b *builder) feed(path string, c *column) {
	b.set(path, mapfile.Column{From: mapfile.Names{c.header}}, b.reason(path, c), c)
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

// leave ignores the free columns of some semantic types.
func (b *builder) leave(reason string, types ...semantic) {
	for _, s := range b.having(types...) {
		b.ignore(s.column, reason)
	}
}

// hold keeps the columns of some semantic types from being ignored: a question that is
// open decides about them.
func (b *builder) hold(types ...semantic) {
	for _, s := range b.having(types...) {
		b.about[s.index] = true
	}
}
