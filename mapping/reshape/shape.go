package reshape

import (
	"iter"

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

// Note is what there is to say of a row that was given out.
type Note struct {
	Skip     string           // why the row is no event of its own; empty where it is
	Problems []schema.Problem // of the place they have the column only
	From     []Place          // of what was joined, by join; row 0 where the table has nothing
	Column   int              // of the grid, whose cell the row is of
	Admitted bool             // Admit has let the row through, as it was before it was reshaped
}

// Place is a row of a joined table.
type Place struct{ Row, Line int }

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
	note := Note{From: make([]Place, 0, len(s.shape.Joins))}
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
