package formula

import (
	"math"
	"slices"

	"github.com/expr-lang/expr"

	"eventbatch/mapping/schema"
)

// Program is an expression bound to columns. Goroutines share it, each with code of
// its own.
type Program struct {
	text    string
	options []expr.Option
	columns map[string]int       // the names that it uses, and what they stand for
	times   map[string]schema.ID // likewise
	first   int                  // column of its first name, -1 if it uses none
	lengths bool                 // it makes lengths of time
}

// forget moves the columns that are missing to where no row has a cell.
func (p *Program) forget(width int) {
	for name, column := range p.columns {
		if column >= width {
			p.columns[name] = math.MaxInt
		}
	}
	if p.first >= width {
		p.first = -1
	}
}

// Column returns the column of the first cell that the expression reads, -1 where it reads none.
func (p *Program) Column() int { return p.first }

// Columns lists the columns that the expression reads, each once and in order. One
// that is missing is math.MaxInt.
func (p *Program) Columns() []int {
	var columns []int
	for _, column := range p.columns {
		columns = append(columns, column)
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// Lengthens returns the time to which the expression adds a length: the only one that it reads, if it makes a length.
func (p *Program) Lengthens() (id schema.ID, ok bool) {
	if !p.lengths || len(p.times) != 1 {
		return 0, false
	}
	for _, id = range p.times {
	}
	return id, true
}
