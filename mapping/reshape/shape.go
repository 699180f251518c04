package reshape

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Shape says what becomes of the rows of one sheet. Columns are zero-based, those
// of joined tables begin at Width.
type Shape struct {
	Width  int   // columns of the header
	Split  Split // of no columns: no cell lists times
	Grid   *Grid // nil: no cell is an event of its own
	Joins  []Join
	Group  *Group  // nil: every row is an event of its own
	Unroll *Unroll // nil: every event takes place once
	// Admit reports whether a row counts at all, nil for all that do. It sees the row
	// with its joined cells. A row that does not is passed on as it is.
	Admit func(row *sheet.Row) bool
}

// chunkRows bounds how many rows are given out at once.
const chunkRows = 1024

// Shaper reshapes the rows of one sheet in their order. It belongs to one goroutine.
type Shaper struct {
	shape  Shape
	extra  int // joined columns
	groups groups
	out    chunk
}

// chunk is rows that are given out together, with a note each.
type chunk struct {
	rows  []sheet.Row
	notes []Note
	cells []sheet.Cell
}

// New makes a Shaper.
func New(shape Shape) *Shaper {
	s := &Shaper{shape: shape}
	if shape.Grid != nil {
		s.extra = shape.Grid.added()
	}
	for _, j := range shape.Joins {
		s.extra += len(j.Columns)
	}
	if shape.Group != nil {
		s.groups = groups{}
	}
	return s
}

// Rows yields the rows anew, some at a time, with a note for each. They keep their
// physical places: what becomes several rows has several of the same. The rows
// given out are the caller's; those taken in are not kept, their texts may be.
func (s *Shaper) Rows(rows []sheet.Row) iter.Seq2[[]sheet.Row, []Note] {
	return func(yield func([]sheet.Row, []Note) bool) {
		flush := func() bool {
			if len(s.out.rows) == 0 {
				return true
			}
			out := s.out
			s.out = chunk{}
			return yield(out.rows, out.notes)
		}
		for i := range rows {
			row, note := s.widen(&rows[i])
			note.Admitted = s.shape.Admit != nil && s.shape.Admit(&row)
			switch {
			case row.Problem != nil, s.shape.Admit != nil && !note.Admitted:
				s.give(row, note)
			case s.shape.Grid != nil:
				if !s.cells(&row, &note, flush) {
					return
				}
			case s.shape.Group != nil && s.repeats(&row, &note):
				s.give(row, note)
			case len(s.shape.Split.Columns) > 0:
				for part := range s.shape.Split.rows(&row) {
					s.give(part, note)
				}
			case s.shape.Unroll != nil:
				for occurrence := range s.shape.Unroll.occurrences(&row, &note) {
					s.give(occurrence, note)
					note.Problems = nil // said at the first
					if len(s.out.rows) >= chunkRows && !flush() {
						return
					}
				}
			default:
				s.give(row, note)
			}
			if len(s.out.rows) >= chunkRows && !flush() {
				return
			}
		}
		flush()
	}
}

func (s *Shaper) give(row sheet.Row, note Note) {
	s.out.rows, s.out.notes = append(s.out.rows, row), append(s.out.notes, note)
}

// widen copies a row, with the cells of the joined tables behind those of the
// header, and what no header names behind them.
func (s *Shaper) widen(row *sheet.Row) (sheet.Row, Note) {
	width := s.shape.Width
	n := max(len(row.Cells), width) + s.extra
	if cap(s.out.cells)-len(s.out.cells) < n {
		s.out.cells = make([]sheet.Cell, 0, max(n, 64*n))
	}
	from := len(s.out.cells)
	s.out.cells = s.out.cells[:from+n]
	cells := s.out.cells[from : from+n : from+n]
	named := min(len(row.Cells), width)
	copy(cells, row.Cells[:named])
	copy(cells[width+s.extra:], row.Cells[named:])
	out := *row
	out.Cells = cells
	note := Note{From: make([]int, 0, len(s.shape.Joins))}
	if s.shape.Grid == nil {
		s.join(cells, width, &note)
	} else {
		note.From = note.From[:len(s.shape.Joins)] // each of its events is looked up
	}
	return out, note
}

// join fills the cells of the joined tables, which begin at a column.
func (s *Shaper) join(cells []sheet.Cell, at int, note *Note) {
	for i := range s.shape.Joins {
		j := &s.shape.Joins[i]
		j.look(cells, at, note)
		at += len(j.Columns)
	}
}

// cells gives a row out once for each filled cell of the grid, which is the only one of the grid that
// is left in it. It reports whether more rows are wanted.
func (s *Shaper) cells(row *sheet.Row, note *Note, flush func() bool) bool {
	g, given := s.shape.Grid, false
	for i, column := range g.Columns {
		if blank(&row.Cells[column]) {
			continue
		}
		texts := []string{row.Cells[column].Text}
		if g.Time {
			texts = timedLines(texts[0])
		}
		heading, problem := g.heading(row, i)
		for _, text := range texts {
			out, own := *row, *note
			own.From = nil
			out.Cells = slices.Clone(row.Cells)
			for _, other := range g.Columns {
				if other != column {
					out.Cells[other] = sheet.Cell{}
				}
			}
			at := s.shape.Width
			out.Cells[at] = sheet.Cell{Kind: sheet.Text, Text: heading}
			out.Cells[at+1] = row.Cells[column]
			if g.Time {
				clock, rest, _ := CutTime(text)
				out.Cells[at+1].Text, out.Cells[at+2] = rest, sheet.Cell{Kind: sheet.Text, Text: clock, Line: row.Cells[column].Line}
			}
			if own.Column = column; problem != nil {
				own.Problems = append(slices.Clip(own.Problems), *problem)
			}
			if !strings.ContainsFunc(row.Cells[column].Text, wordRune) { // a dash says that there is nothing
				own.Skip = "the cell of the grid has no letter and no digit"
			}
			s.join(out.Cells, at+g.added(), &own)
			s.give(out, own)
			given = true
		}
		if len(s.out.rows) >= chunkRows && !flush() {
			return false
		}
	}
	if !given {
		note.Skip = "no cell of the grid is filled"
		s.give(*row, *note)
	}
	return true
}

// Collect notes the items that a row has in the lists of its event. It is called for all rows
// before the first is given out.
func (s *Shaper) Collect(row *sheet.Row) {
	g := s.shape.Group
	wide, _ := s.widen(row)
	s.out.cells = s.out.cells[:0]
	key, blank := g.key(&wide)
	if blank || row.Problem != nil || s.shape.Admit != nil && !s.shape.Admit(&wide) {
		return
	}
	if g.items == nil {
		g.items = map[string][]string{}
	}
	if g.items[key] == nil {
		g.items[key] = make([]string, len(g.Lists))
	}
	for i := range g.Lists {
		text := g.Lists[i].item(&wide)
		if g.Times >= 0 {
			if _, ok := Times(wide.Cells[g.Times].Text); !ok {
				continue // the row says so itself
			}
			text = Often(text, wide.Cells[g.Times].Text)
		}
		switch all := &g.items[key][i]; {
		case text == "":
		case *all == "":
			*all = strings.Clone(text)
		default:
			*all += "; " + text
		}
	}
}

// repeats reports whether an earlier row has made the row's event. A row that nothing
// names is an event of its own.
func (s *Shaper) repeats(row *sheet.Row, note *Note) bool {
	g := s.shape.Group
	key, blank := g.key(row)
	if blank {
		return false
	}
	before := s.groups[key]
	if before == nil {
		before = &first{number: row.Number, texts: make([]string, len(g.Compare))}
		for i, column := range g.Compare {
			before.texts[i] = strings.Clone(strings.TrimSpace(row.Cells[column].Text))
		}
		s.groups[key] = before
		for i, items := range g.items[key] {
			for _, column := range g.Lists[i].Columns[1:] {
				row.Cells[column] = sheet.Cell{}
			}
			row.Cells[g.Lists[i].Columns[0]].Text = items
		}
		return false
	}
	one := cmp.Or(g.One, "event")
	note.Skip, note.Of = "same "+one+" as row "+strconv.Itoa(before.number), before.number
	for i, column := range g.Compare {
		if text := strings.TrimSpace(row.Cells[column].Text); text != before.texts[i] {
			same, said := "row "+strconv.Itoa(before.number)+" is the same "+one, short(before.texts[i])
			p := schema.Problem{
				Severity: schema.Warning, Code: schema.CodeGroupDiffers, Place: schema.Place{Column: column}, Value: row.Cells[column].Text,
				Message: same + " and says " + said + ", which is read", Hint: "write the same into all rows of the " + one,
			}
			if text != "" && slices.Contains(g.Starts, column) && !sameMoment(text, before.texts[i]) {
				p.Severity, p.Message = schema.Error, same+" and starts otherwise: "+said
				p.Hint += "; for events of their own give each what the rows are grouped by, such as an id"
			}
			note.Problems = append(note.Problems, p)
		}
	}
	return true
}

// sameMoment reports whether two texts are one moment, written in two ways.
func sameMoment(a, b string) bool {
	one, fault := datetime.Scan(a, datetime.DayFirst)
	other, also := datetime.Scan(b, datetime.DayFirst)
	return fault == datetime.OK && also == datetime.OK && bytes.Equal(one.Append(nil), other.Append(nil))
}
