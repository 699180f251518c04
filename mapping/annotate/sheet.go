package annotate

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// sheetEdit is one sheet of a workbook that is being annotated.
type sheetEdit struct {
	*ooxml.Workbook
	book   *sheet.Book
	looks  *looks // of the whole workbook
	entry  sheet.Entry
	marked *Sheet // nil: earlier marks are taken out, and that is all

	proposals map[int]string // by physical row

	facts    sheetFacts
	columns  [2]ownColumn
	notes    *notes
	legacy   string // id of the drawing of notes that the sheet has to name; empty: as it is
	unlegacy bool   // the sheet names a drawing that is no more
}

// look learns what has to be known of a sheet before it is written.
func (s *sheetEdit) look(ctx context.Context) error {
	f := &s.facts
	f.own, f.headerEnd = [2]int{-1, -1}, -1
	if s.marked != nil && s.marked.Verdicts != nil && s.marked.HeaderRow > 0 {
		if err := s.lookAtRows(ctx); err != nil {
			return err
		}
	}
	in, err := s.Open(s.entry.Part)
	if err != nil {
		return err
	}
	if err := f.scan(ooxml.NewMarkup(in), s.headerRow()); err != nil {
		return ooxml.InPart(s.entry.Part, err)
	}
	return nil
}

func (s *sheetEdit) headerRow() int {
	if s.marked == nil {
		return 0
	}
	return s.marked.HeaderRow
}

// lookAtRows finds the columns that hold anything, and ours among them.
func (s *sheetEdit) lookAtRows(ctx context.Context) error {
	f := &s.facts
	for batch, err := range s.book.Batches(ctx, s.entry.Name) {
		if err != nil {
			return err
		}
		for i := range batch.Rows {
			row := &batch.Rows[i]
			for c := range row.Cells {
				if row.Cells[c].Kind == sheet.Blank {
					continue
				}
				f.use(c)
				if row.Number == s.marked.HeaderRow {
					f.headerEnd = c
					for i := range ownColumns {
						if row.Cells[c].Text == ownColumns[i].header {
							f.own[i] = c
						}
					}
				}
			}
		}
		batch.Release()
	}
	return nil
}

// plan decides what the sheet is to hold, and has its part made so.
func (s *sheetEdit) plan() error {
	notes, err := noteEdit{s}.read()
	if err != nil {
		return err
	}
	s.notes, notes.space = notes, s.Namespace()
	cleared := notes.clear()
	if s.marked != nil {
		s.placeColumns()
		notes.add(noteEdit{s}.of(s.marked.Marks))
	}
	if cleared || notes.added {
		if err := (noteEdit{s}).write(); err != nil {
			return err
		}
	}
	if s.marked == nil && !s.facts.painted && !cleared {
		return nil
	}
	s.Make(s.entry.Part, func(ctx context.Context, w io.Writer) error {
		in, err := s.Open(s.entry.Part)
		if err != nil {
			return err
		}
		return s.copy(ctx, ooxml.NewMarkup(in), w)
	})
	return nil
}

// placeColumns finds where they stand: in those of an earlier call, else in the first behind
// the header that hold nothing. There is none for proposals where there are none.
func (s *sheetEdit) placeColumns() {
	f := &s.facts
	if s.marked.Verdicts == nil || s.marked.HeaderRow <= 0 {
		return
	}
	free := f.headerEnd + 1
	for i := range s.columns {
		column := &s.columns[i]
		if i == proposals && len(s.proposals) == 0 && f.own[i] < 0 {
			continue
		}
		if column.at = f.own[i]; column.at < 0 {
			for free < len(f.used) && f.used[free] {
				free++
			}
			column.at = free
			free++
		}
		if column.at >= ooxml.ColumnsPerSheet {
			column.at = -1
			continue
		}
		column.texts = map[int]string{s.marked.HeaderRow: ownColumns[i].header}
	}
	for row, verdict := range s.marked.Verdicts {
		s.say(verdicts, row, verdict)
	}
	for row, words := range s.proposals {
		s.say(proposals, row, words)
	}
}

func (s *sheetEdit) say(column, row int, words string) {
	if row > 0 && row != s.marked.HeaderRow && s.columns[column].at >= 0 {
		s.columns[column].texts[row] = strings.Join(strings.Fields(words), " ")
	}
}

// sorted gives the marks that can be shown, in order, at the columns where they are.
func (s *sheetEdit) sorted(marks []Mark) []Mark {
	shown := make([]Mark, 0, len(marks))
	for _, m := range marks {
		if m.Column < 0 {
			m.Column = max(s.columns[verdicts].at, 0)
		}
		if m.Row > 0 && m.Row <= ooxml.RowsPerSheet && m.Column < ooxml.ColumnsPerSheet {
			shown = append(shown, m)
		}
	}
	slices.SortStableFunc(shown, func(a, b Mark) int {
		if a.Row != b.Row {
			return a.Row - b.Row
		}
		return a.Column - b.Column
	})
	return shown
}

// sheetFacts is what is known of a sheet before it is written.
type sheetFacts struct {
	prefix    string
	used      []bool // columns that hold anything, or lie under merged cells
	own       [2]int // our columns of an earlier call, -1 for none
	headerEnd int    // the last column that the header names
	style     string // format of that cell of the header
	priority  int    // the highest among the user's conditional formats; 0 for none
	drawing   string // id of the drawing of notes
	painted   bool   // there are marks of an earlier call
	pages     bool   // the sheet says how it is printed
}

func (f *sheetFacts) use(column int) {
	if column >= len(f.used) {
		f.used = append(f.used, make([]bool, column+1-len(f.used))...)
	}
	f.used[column] = true
}

// scan reads a sheet's part for what the rows do not tell.
func (f *sheetFacts) scan(m *ooxml.Markup, header int) error {
	row, column := 0, -1
	for m.Next() {
		switch {
		case m.Depth == 0 && (m.Kind == ooxml.PieceOpen || m.Kind == ooxml.PieceEmpty):
			f.prefix, _, _ = strings.Cut(ooxml.TagName(m.Raw), ":")
			if f.prefix == ooxml.TagName(m.Raw) {
				f.prefix = ""
			}
		case m.Depth == 2 && m.Begins(f.prefix, "row"):
			row, column = ooxml.RowOf(m.Raw, row), -1
		case m.Depth == 3 && row == header && m.Begins(f.prefix, "c"):
			if column = ooxml.ColumnOf(m.Raw, column); column <= f.headerEnd && !slices.Contains(f.own[:], column) {
				f.style = ooxml.AttrOf(m.Raw, "s")
			}
		case m.Begins(f.prefix, "mergeCell"):
			f.merged(ooxml.AttrOf(m.Raw, "ref"))
		case m.Begins(f.prefix, "pageSetup") || m.Begins(f.prefix, "pageSetUpPr"):
			f.pages = true
		case m.Depth == 1 && m.Begins(f.prefix, "legacyDrawing"):
			f.drawing = ooxml.RelatedID(m.Raw)
		case m.Kind != ooxml.PieceClose && m.Kind != ooxml.PieceOther && strings.HasSuffix(ooxml.TagName(m.Raw), "cfRule"):
			n, err := strconv.Atoi(ooxml.AttrOf(m.Raw, "priority"))
			if m.Is(f.prefix, "cfRule") && ours([]byte(ooxml.Resolved(m.Whole()))) {
				f.painted = true
			} else if err == nil && (f.priority == 0 || n < f.priority) {
				f.priority = n
			}
		}
	}
	return m.Err()
}

// merged counts the columns under merged cells as used, but for those of a range
// that is wider than tables are.
func (f *sheetFacts) merged(ref string) {
	if area, ok := ooxml.ParseRange([]byte(ref)); ok && area.Right-area.Left < 64 {
		for c := area.Left; c <= area.Right; c++ {
			f.use(c)
		}
	}
}
