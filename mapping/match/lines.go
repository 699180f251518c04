package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// sketch is the mapping as far as it is made, with the columns that it is made of.
type sketch struct {
	config  Config
	all     *Columns
	p       *Proposal
	used    map[int]bool // columns that feed something
	about   map[int]bool // columns that an open question is about
	updates bool         // rows name events that exist, and need not describe them
	given   bool         // the mapping is there: nothing is proposed or asked
}

// set feeds a field, and says why.
func (s *sketch) set(path string, value mapfile.Column, line Line, columns ...*column) {
	s.p.File.Columns = append(s.p.File.Columns, yamldoc.Item[mapfile.Column]{Key: path, Value: value})
	s.say(path, line, columns...)
}

// say records the reason of a line.
func (s *sketch) say(at string, line Line, columns ...*column) {
	line.At = at
	for _, c := range columns {
		s.used[c.index] = true
		delete(s.about, c.index)
		line.Columns = append(line.Columns, c.header)
	}
	s.p.Lines = append(s.p.Lines, line)
}

// ignore leaves a column out.
func (s *sketch) ignore(c *column, reason string) {
	s.used[c.index] = true
	delete(s.about, c.index)
	s.p.Ignored = append(s.p.Ignored, Ignored{c.header, reason})
}

// said returns what the mapping says of the date of all cells of a column.
func (s *sketch) said(c *column) (fill reshape.Fill, ok bool) {
	word, _ := s.p.File.Fill.Get(c.header)
	fill, ok = reshape.ParseFill(word)
	return fill, ok && fill.Above != (reshape.Above{}) || !fill.Week.IsZero()
}

// completes reports whether the mapping says a date for all cells of a column.
func (s *sketch) completes(c *column) bool {
	_, ok := s.said(c)
	return ok
}

// splits reports whether the cells of a column are split.
func (s *sketch) splits(c *column) bool { return slices.Contains(s.p.File.Split, c.header) }

// bareHeader returns a header as its own sheet has it, without the name of a joined table.
func (s *sketch) bareHeader(c *column) string {
	if s.joined(c) {
		_, bare, _ := strings.Cut(c.header, ".")
		return bare
	}
	return c.header
}

// joined reports whether a column is of a table that rows are looked up in.
func (s *sketch) joined(c *column) bool { return len(s.config.Joins) > 0 && c.index >= s.config.Width }

// unusedName returns a name that no column has.
func (s *sketch) unusedName(name string) string {
	for slices.ContainsFunc(s.all.columns, func(c column) bool { return sheet.NormalHeader(c.header) == sheet.NormalHeader(name) }) {
		name = "Grid " + name
	}
	return name
}

// resource is what the rows are about.
func (s *sketch) resource() *schema.Resource {
	if r := s.config.Resource; r != nil {
		return r
	}
	r, _ := catalog.ResourceNamed(s.p.File.Resource)
	return r
}

// headed returns the columns that an answer names, two of them with a plus between them. It
// is nil where there is none.
func (s *sketch) headed(answer string) []*column {
	var found []*column
	for name := range strings.SplitSeq(answer, " + ") {
		at := slices.IndexFunc(s.all.columns, func(c column) bool { return !c.twice && fold(c.header) == fold(name) && fold(name) != "" })
		if at < 0 || len(found) == 2 {
			return nil
		}
		found = append(found, &s.all.columns[at])
	}
	return found
}

// outBy notes the rows that some values of a column leave out, or are asked about for.
func (s *sketch) outBy(c *column, values []string) {
	out := OutRows{Rows: c.timesOf(values), Column: c.header, Values: slices.Clone(values)}
	if slices.Contains(values, "") {
		out.Rows += s.all.rows - c.filled
	}
	s.p.held = append(s.p.held, out)
}

// needs reports whether no row can do without a field.
func (s *sketch) needs(path string) bool {
	f, ok := catalog.RowsOf(s.config.Resource).ByPath(path)
	return ok && f.Required != 0 && !s.updates
}

// ofWeek reports whether the columns of the grid are days of a week.
func (s *sketch) ofWeek() bool {
	columns := s.p.File.Grid.Columns
	return len(columns) > 0 && HeadDays(columns)
}
