package page

import (
	"strings"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// What is kept of a row at most: the page cuts further where it has to.
const (
	keptCells  = 64       // a row
	keptCell   = 300      // characters
	keptWords  = 600      // characters of an offending cell, a message, a hint
	keptBytes  = 24 << 20 // of all texts; past it, rows keep their offending cells only
	keptGroups = 1000     // kinds of problems by column; past it, columns are not told apart
	always     = 5        // problems of each kind that are carried whatever the limit
)

// kept is what the page needs of one row.
type kept struct {
	source, number, line int
	action, status       string
	reason               string
	event                finding.Event
	cells                []string // nil where none are kept
	changes              []finding.Change
	problems             []keptProblem
}

// keptProblem is what the page needs of one problem. Its group says the rest.
type keptProblem struct {
	group                int
	message, hint, value string
	row, line            int // of a problem that no row has brought
}

// keep takes what the page may need of a row. Rows past the limit are only
// counted, unless they have a problem of a kind that is hardly there yet.
func (s *Sink) keep(row *finding.Row) {
	var problems []keptProblem
	rare := false
	for i := range row.Problems {
		p := &row.Problems[i]
		s.words[p.Severity&1]++
		g, n := s.groups.of(row.Source, p)
		rare = rare || n <= always
		if len(problems) < s.config.Problems {
			problems = append(problems, s.problem(g, p))
		}
	}
	if len(problems) > 0 {
		if s.bad >= s.config.Rows && !rare {
			return
		}
		s.bad++
	} else if len(s.rows)-s.bad >= s.config.Rows {
		return
	}
	k := &kept{
		source: row.Source, number: row.Number, line: row.Line, problems: problems,
		action: s.texts.keep(row.Action, keptCell), status: s.texts.keep(row.Status, keptCell),
		reason: s.texts.keep(row.Reason, keptCell),
		event: finding.Event{
			Calendar: s.texts.keep(row.Event.Calendar, keptCell), Key: s.texts.keep(row.Event.Key, keptCell),
			ID: s.texts.keep(row.Event.ID, keptCell), URL: s.texts.keep(row.Event.URL, keptWords),
			Name: s.texts.keep(row.Event.Name, keptCell), Start: row.Event.Start, End: row.Event.End,
		},
	}
	if s.texts.bytes < keptBytes {
		for _, c := range row.Changes[:min(len(row.Changes), keptCells)] {
			k.changes = append(k.changes, finding.Change{
				Field: s.texts.keep(c.Field, keptCell), Known: c.Known,
				Before: s.texts.keep(c.Before, keptWords), After: s.texts.keep(c.After, keptWords),
			})
		}
		if len(problems) > 0 {
			s.cells(k, row)
		}
	}
	s.rows = append(s.rows, k)
}

// cells keeps the cells that are shown beside the row's problems.
func (s *Sink) cells(k *kept, row *finding.Row) {
	list := row.Cells
	for len(list) > 0 && list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	if len(list) > keptCells {
		list, s.wild = list[:keptCells], true
	}
	k.cells = make([]string, len(list))
	for i, text := range list {
		k.cells[i] = s.texts.keep(text, keptCell)
	}
	for i := range k.problems {
		if c := s.groups.list[k.problems[i].group].column; c >= 0 && c < len(list) {
			k.cells[c] = s.texts.keep(row.Cells[c], keptWords)
		}
	}
}

func (s *Sink) problem(g int, p *schema.Problem) keptProblem {
	return keptProblem{
		group: g, message: s.texts.keep(p.Message, keptWords), hint: s.texts.keep(p.Hint, keptWords),
		value: s.texts.keep(p.Value, keptWords), row: p.Place.Row, line: p.Place.Line,
	}
}

// group is what problems of one kind have in common: the rule and the column.
type group struct {
	severity    schema.Severity
	code        schema.Code
	source      int // -1 where file and sheet say it
	file, sheet string
	column      int // -1 where none is concerned
	field       string
}

// counted is a group with the number of its problems, carried or not.
type counted struct {
	group
	header string
	n      int
}

type groups struct {
	list  []counted
	index map[group]int
}

// of counts a problem. It gives its group and how many the group has with it.
func (gs *groups) of(source int, p *schema.Problem) (index, n int) {
	g := group{severity: p.Severity & 1, code: p.Code, source: source, column: p.Place.Column, field: p.Field}
	if source < 0 {
		g.file, g.sheet = p.Place.File, p.Place.Sheet
		if p.Place.Row <= 0 && p.Place.Header == "" && g.column == 0 {
			g.column = -1 // the zero Column of a problem that is at no cell
		}
	}
	if gs.index == nil {
		gs.index = map[group]int{}
	}
	i, known := gs.index[g]
	if !known && len(gs.list) >= keptGroups {
		g = group{severity: g.severity, code: g.code, source: -1, column: -1}
		i, known = gs.index[g]
	}
	if !known {
		i = len(gs.list)
		g.file, g.sheet, g.field = strings.Clone(g.file), strings.Clone(g.sheet), strings.Clone(g.field)
		gs.index[g] = i
		gs.list = append(gs.list, counted{group: g, header: cut(p.Place.Header, keptCell)})
	}
	gs.list[i].n++
	return i, gs.list[i].n
}
