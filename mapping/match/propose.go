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
// and a further sheet of venues is a table of venues whose columns stand behind those of the rows.
// When the columns are settled, each [Shape] of their cells is read by the code that reads
// the rows; one that cannot be read is asked about with a reading of package reads.
package match

import (
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
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
	Named     yamldoc.Map[string] // names of the columns that have no header
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
	At      string   `json:"at"`      // path in the mapping: name, timezone.column, date_order
	Columns []string `json:"columns"` // headers
	Basis   Basis    `json:"basis"`
	Score   int      `json:"score,omitempty"` // percent, of a similar header
	Reason  string   `json:"reason"`
	Doubt   string   `json:"doubt,omitempty"` // cells that will not be read; empty where there are none
}

// Ignored is a column that feeds nothing, and why.
type Ignored struct {
	Header string `json:"header"`
	Reason string `json:"reason"`
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
	beside := p.File // what the mapping says but for its columns
	beside.Version, beside.Columns, beside.Key = 0, nil, nil
	beside.Calendar.Column, beside.Timezone.Column = "", ""
	beside.Encoding, beside.RowsAt = "", "" // how the file is opened, which flags say too
	text, err := beside.Encode()
	if err != nil || string(text) != "{}\n" || p.Source != "" || p.Open() > 0 || len(p.Ignored) > 0 || len(p.LeftOut) > 0 {
		return false
	}
	for _, l := range p.Lines {
		if l.Basis != ByPath && l.Basis != ByAlias || l.Doubt != "" {
			return false
		}
		for _, h := range l.Columns {
			if m, ok := Field(described, h); !ok || m.Path != l.At && !strings.HasPrefix(l.At, "timezone") && !(l.At == "end_at" &&
				m.ID == catalog.FieldStartAt) {
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
	b := c.builder(o)
	b.p.File.Version = mapfile.Version
	b.p.File.Sheet, b.p.File.HeaderRow, b.p.File.Named = o.Sheet, o.HeaderRow, o.Named
	sheetStep{b}.sheets()
	sheetStep{b}.sayNamed()
	switch {
	case o.Resource != nil && !o.Resource.Keyed():
		recordStep{b}.record(o.Resource)
	case presetStep{b}.source():
	case presetStep{b}.records():
	case gridStep{b}.unreadable():
	default:
		sheetStep{b}.lookups()
		b.readHeaders()
		keyStep{b}.eventID()
		gridStep{b}.grid()
		timeStep{b}.when()
		textStep{b}.words()
		placeStep{b}.place()
		gridStep{b}.gridRoom()
		textStep{b}.links()
		textStep{b}.plain()
		choiceStep{b}.choices()
		keyStep{b}.identity()
		choiceStep{b}.status()
		choiceStep{b}.allVisible()
		zoneStep{b}.zone()
		zoneStep{b}.order()
	}
	rowStep{b}.rows()
	rowStep{b}.filled()
	sheetStep{b}.unjoined()
	shapeStep{b}.cells()
	b.rest()
	if b.p.Source == "" {
		b.columns()
	}
	for _, id := range slices.Sorted(maps.Keys(o.Answers)) {
		switch {
		case !b.taken[id]:
			b.p.Unused = append(b.p.Unused, id)
		case b.p.Open() > 0:
			b.p.File.Answered = append(b.p.File.Answered, yamldoc.Item[string]{Key: id, Value: o.Answers[id]})
		}
	}
	b.p.File.Encoding, b.p.File.RowsAt = o.Encoding, o.RowsAt
	slices.SortStableFunc(b.p.File.Columns, func(x, y yamldoc.Item[mapfile.Column]) int { return o.rank(x.Key) - o.rank(y.Key) })
	return b.p
}

func (c *Columns) builder(o Config) *builder {
	return &builder{meanings: meanings{
		inquiry: inquiry{
			sketch: sketch{config: o, all: c, p: &Proposal{}, used: map[int]bool{}, about: map[int]bool{}}, taken: map[string]bool{},
		},
		claims: map[int]claim{}, misfit: map[int]string{},
	}}
}

// rank is the place of a field among those of its resource.
func (o *Config) rank(path string) int {
	if f, ok := catalog.RowsOf(o.Resource).ByPath(path); ok {
		return int(f.ID)
	}
	return len(catalog.Fields)
}

// builder makes a proposal in steps, each of which is a type of its own that knows the builder and one part of
// an event. Below it stand what the headers mean, the questions, and the mapping as far as it is made.
type builder struct {
	meanings

	times  []*column   // that dates are read from
	linked []*column   // of places, some cells of which are links
	years  reads.Years // of dates without one, as far as a column has been settled
	both   bool        // dates that cannot be in the order of the mapping are in the other
}
