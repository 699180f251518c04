package desk

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// found is what was found in a file so far: its rows, as they are edited, and what a check has said of them. The edits and the
// rows lock themselves. The rest is for who has mu, and what a check has said of the sheets for everybody once all rows were told.
type found struct {
	edits *Edits // that are laid over the rows; nil where nothing is edited
	rows  *spool
	kept  Reader
	ended chan struct{} // closed once all rows were told

	mu sync.Mutex
	checked
	views  map[View][]int32
	events []entry // all, in the order of their starts; nil until they are asked for
}

// passed are the rows that nothing is sent for though they have no mistake: what the file leaves out, and rows that are part of
// the event of another.
type passed struct{ skipped, joined int }

// checked is what a check has said of the file.
type checked struct {
	passed

	read    int
	groups  finding.Groups
	of      map[int]map[string][]int32 // rows of each group, by sheet
	sources []plan.Sheet
	totals  finding.Totals
	exit    finding.Exit
	parts   map[string]map[int][]int // of the events of several rows, the further ones, by sheet and the first
}

// Reader reads rows of a file once more than they were read by it, with other cells.
type Reader interface {
	// Again tells each of what rows of a source are. It reports false where a row cannot be read without the others.
	Again(ctx context.Context, source int, rows []sheet.Row, each func(*finding.Row)) bool
	// ActionColumn returns the column in which a row says what it does, and whether that is a new one.
	ActionColumn(source int) (column int, adds bool, err error)
	// NameColumn returns the column that has the names of the rows; not ok where none has them.
	NameColumn(source int) (column int, ok bool)
	Close()
}

// count notes that there is a row.
func (c *checked) count(row *finding.Row) {
	c.read++
	if row.Of > 0 {
		if c.parts[row.Sheet] == nil {
			c.parts[row.Sheet] = map[int][]int{}
		}
		c.parts[row.Sheet][row.Of] = append(c.parts[row.Sheet][row.Of], row.Number)
	}
}

func (c *checked) add(p *schema.Problem, name string, row int) {
	g := c.groups.Add(p)
	if row < 0 {
		return
	}
	if c.of[g.Index] == nil {
		c.of[g.Index] = map[string][]int32{}
	}
	if list := c.of[g.Index][name]; len(list) == 0 || list[len(list)-1] != int32(row) {
		c.of[g.Index][name] = append(list, int32(row))
	}
}

// dates tells of each sheet whose rows are read whether its dates count from 1904.
func (c *checked) dates() map[string]bool {
	dates := map[string]bool{}
	for i := range c.sources {
		dates[c.sources[i].Sheet] = c.sources[i].Date1904
	}
	return dates
}

// source returns a sheet whose rows are read.
func (c *checked) source(name string) *plan.Sheet {
	i := slices.IndexFunc(c.sources, func(f plan.Sheet) bool { return f.Sheet == name })
	if i < 0 {
		return nil
	}
	return &c.sources[i]
}

// group returns the index of the group that a view shows. With an edit they may be others than the tab has shown.
func (c *checked) group(v View) int {
	is := func(g *finding.Group) bool { return kindOf(g) == v.In }
	if v.In == "" || v.Group >= 0 && v.Group < len(c.groups.All) && is(c.groups.All[v.Group]) {
		return v.Group
	}
	return slices.IndexFunc(c.groups.All, is)
}

// kindOf names the kind of mistakes that a group has.
func kindOf(g *finding.Group) string {
	of := g.First.Flat()
	return string(of.Code) + " " + of.Column
}

// skips returns what reports whether a row of a source has the action SKIP, and in which column.
func (f *found) skips(source int) func(row *sheet.Row) (column int, is bool) {
	if f.kept == nil {
		return func(*sheet.Row) (int, bool) { return 0, false }
	}
	column, _, err := f.kept.ActionColumn(source)
	return func(row *sheet.Row) (int, bool) {
		return column, err == nil && strings.EqualFold(strings.TrimSpace(row.Cell(column).Text), schema.Skip.String())
	}
}

// may returns what names the rule by which a row of a source is left out, or taken in again: none, where its file says that it is
// no event, and while the file is read.
func (f *found) may(source int) func(row *sheet.Row, state string) string {
	select {
	case <-f.ended:
	default:
		return func(*sheet.Row, string) string { return "" }
	}
	skips, name := f.skips(source), f.sources[source].Sheet
	return func(row *sheet.Row, state string) string {
		switch _, skipped := skips(row); {
		case skipped, f.edits.leaves(name, row.Number):
			return "in"
		case state == states[good], state == states[wrong]:
			return "skip"
		}
		return ""
	}
}

// rowsOut has rows be left out as they are, and with a row those of the same event.
func (f *found) rowsOut(name string, rows []int32) (list []fix.Change) {
	seen := map[int]bool{}
	out := func(number int) {
		if !seen[number] {
			seen[number] = true
			list = append(list, fix.Change{Sheet: name, Cell: strconv.Itoa(number)})
		}
	}
	x := f.rows.sheets[name]
	for _, i := range rows {
		number := int(x.marks[i] >> 2)
		out(number)
		for _, part := range f.parts[name][number] {
			out(part)
		}
	}
	return list
}

// row returns a row as it is edited.
func (f *found) row(cells *cursor, name string, at int64) (sheet.Row, error) {
	row, err := cells.row(at)
	if err == nil && f.edits != nil {
		f.edits.Lay(name, &row)
	}
	return row, err
}

// walk hands on rows of a sheet as they are now, until it fails.
func (f *found) walk(ctx context.Context, name string, rows []int32, do func(i int32, row *sheet.Row) error) error {
	x, cells := f.rows.sheets[name], f.rows.cursor()
	for n, i := range rows {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := f.row(cells, name, x.cells[i])
		if err == nil {
			err = do(i, &row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mistakeAt returns what is wrong with a cell, empty where nothing is.
func (f *found) mistakeAt(c *fix.Change) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	number, column, _ := c.Place()
	x := f.rows.sheets[c.Sheet]
	if x == nil {
		return "", nil
	}
	i, found := x.find(number)
	if !found {
		return "", nil
	}
	said, err := f.rows.cursor().said(x.told[i])
	for _, one := range said {
		problems, failed := one.problems()
		err = errors.Join(err, failed)
		for k := range problems {
			if p := &problems[k]; p.Column == schema.ColumnName(column) && *p.Severity == schema.Error {
				return p.Message, err
			}
		}
	}
	return "", err
}

// title names a row by its number, and by the cell that says what it is called.
func (f *found) title(row rowName) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	words, x := "row "+report.Number(row.Row), f.rows.sheets[row.Sheet]
	for i := range f.sources {
		source := &f.sources[i]
		if source.Sheet != row.Sheet || x == nil || f.kept == nil {
			continue
		}
		column, named := f.kept.NameColumn(i)
		if at, found := x.find(row.Row); named && found {
			cells, err := f.row(f.rows.cursor(), row.Sheet, x.cells[at])
			if err != nil {
				return "", err
			}
			cell := cells.Cell(column)
			if text := fix.Shown(&cell, source.Date1904); text != "" {
				words += " (" + text + ")"
			}
		}
	}
	return words, nil
}
