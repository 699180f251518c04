package match

import (
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
)

// OutRows are rows that a mapping leaves out, or asks about, and the headers by themselves do not.
type OutRows struct {
	Rows   int
	What   string // one of them is: heading; empty where a column says it
	Column string // that says so by one of some values; one that is empty is a missing mark
	Values []string
}

// aboutRows are the lines of a mapping that take no value from the columns that they are about.
var aboutRows = []string{"date_order", "filter", "skip_rows", "hidden_rows", "struck_rows", "fill"}

// AboutRows reports whether the line takes no value from the columns that it is about.
func (l *Line) AboutRows() bool { return slices.Contains(aboutRows, l.At) }

// More returns the columns that the proposal takes and the headers by themselves do not, in the
// order of the file, and the rows that only it leaves out or asks about.
func (c *Columns) More(p *Proposal) (columns []string, rows []OutRows) {
	headers, taken := make([]string, len(c.columns)), map[string]bool{}
	for i := range c.columns {
		headers[i] = c.columns[i].header
	}
	for i := range p.Lines {
		if p.Lines[i].AboutRows() {
			continue
		}
		for _, h := range p.Lines[i].Columns {
			taken[h] = true
		}
	}
	resource, _ := catalog.ResourceNamed(p.File.Resource)
	bound, _, _ := Bind(resource, headers, func(i int) bool { return sheet.OwnColumn(headers[i]) })
	for _, b := range bound {
		for _, at := range b.Columns {
			delete(taken, headers[at])
		}
	}
	for _, h := range headers {
		if taken[h] && !slices.Contains(columns, h) {
			columns = append(columns, h)
		}
	}
	for i := range p.LeftOut {
		// A row of another resource may well have one cell alone.
		if l := &p.LeftOut[i]; resource.Keyed() && slices.Contains(p.File.SkipRows, l.Kind.Word()) {
			rows = append(rows, OutRows{Rows: l.Count, What: l.Kind.One()})
		}
	}
	for _, l := range []*reshape.LeftOut{&c.hidden, &c.struck} {
		if l.Count > 0 {
			rows = append(rows, OutRows{Rows: l.Count, What: l.Kind.One()})
		}
	}
	return columns, append(rows, p.held...)
}
