package annotate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// bookEdit is a workbook that is being annotated.
type bookEdit struct {
	*ooxml.Workbook
	book   *sheet.Book
	macros bool
	sheets []*sheetEdit
	colors [2]int // the formats of marks, by severity
	// wrapped is the format of what is said of a row.
	wrapped string
}

// sheetEdit is one sheet of it.
type sheetEdit struct {
	*bookEdit
	entry  sheet.Entry
	marked *Sheet // nil: earlier marks are taken out, and that is all

	proposals map[int]string // by physical row

	facts    sheetFacts
	columns  [2]ownColumn
	notes    *notes
	legacy   string // id of the drawing of notes that the sheet has to name; empty: as it is
	unlegacy bool   // the sheet names a drawing that is no more
}

func openEdit(ctx context.Context, book *sheet.Book) (*bookEdit, error) {
	w, err := book.Workbook()
	if err != nil {
		return nil, err
	}
	e := &bookEdit{Workbook: w, book: book}
	kind, err := w.TypeOf(w.Root)
	if err != nil {
		return nil, err
	}
	e.macros = strings.Contains(kind, "macroEnabled")
	for _, entry := range book.Entries() {
		e.sheets = append(e.sheets, &sheetEdit{bookEdit: e, entry: entry, columns: noColumns})
	}
	return e, ctx.Err()
}

// edit takes earlier marks out and puts the new ones in.
func (e *bookEdit) edit(ctx context.Context, problems []schema.Problem) error {
	if err := e.dropProblems(); err != nil {
		return err
	}
	for _, s := range e.sheets {
		if !s.entry.HasRows {
			continue
		}
		if err := s.look(ctx); err != nil {
			return err
		}
		if s.marked != nil {
			if err := e.paint(len(s.marked.Marks) > 0); err != nil {
				return err
			}
		}
		if err := s.plan(); err != nil {
			return fmt.Errorf("annotating sheet %s: %w", s.entry.Name, err)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return e.addProblems(problems)
}

// paint makes our formats known to the workbook: that of what is said of a row, and
// those of marks where there are any.
func (e *bookEdit) paint(marks bool) error {
	content, err := e.Styles()
	if err != nil {
		return err
	}
	content, n := ooxml.Interned(content, "cellXfs", wrappedLook, ooxml.StyleOrder)
	e.wrapped = strconv.Itoa(n)
	for severity, look := range markLooks {
		if !marks {
			break
		}
		content, e.colors[severity] = ooxml.Interned(content, "dxfs", look, ooxml.StyleOrder)
	}
	e.SetStyles(content)
	return nil
}

// dropProblems takes the sheet of problems of an earlier call out.
func (e *bookEdit) dropProblems() error {
	i := slices.IndexFunc(e.sheets, func(s *sheetEdit) bool { return s.entry.OwnName == sheet.AnnotationSheet })
	if i < 0 {
		return nil
	}
	gone := e.sheets[i]
	e.sheets = slices.Delete(slices.Clone(e.sheets), i, i+1)
	content, err := e.Read(e.Root)
	if err != nil {
		return err
	}
	for _, n := range slices.Backward(ooxml.Items(content, "definedNames")) {
		tag := n.Tag(content)
		local := ooxml.AttrOf(tag, "localSheetId")
		at, err := strconv.Atoi(local)
		switch {
		case ooxml.AttrOf(tag, "name") == sheet.AnnotationSheet, err == nil && at == i:
			content = ooxml.Without(content, n)
		case err == nil && at > i:
			content = ooxml.Splice(content, n.From, n.Open, string(ooxml.WithAttr(tag, "localSheetId", strconv.Itoa(at-1))))
		}
	}
	if n, prefix, ok := ooxml.Child(content, "definedNames"); ok && len(ooxml.Within(content, n, prefix)) == 0 {
		content = ooxml.Without(content, n)
	}
	if n := ooxml.Items(content, "sheets"); i < len(n) {
		content = ooxml.Without(content, n[i])
	}
	for _, n := range slices.Backward(ooxml.Items(content, "bookViews")) {
		tag := n.Tag(content)
		for _, name := range []string{"activeTab", "firstSheet"} {
			if at, err := strconv.Atoi(ooxml.AttrOf(tag, name)); err == nil && at >= i && at > 0 {
				tag = ooxml.WithAttr(tag, name, strconv.Itoa(at-1))
			}
		}
		content = ooxml.Splice(content, n.From, n.Open, string(tag))
	}
	e.Set(e.Root, content)
	return e.Forget(e.Root, gone.entry.Part)
}

// addProblems adds the sheet that lists them, behind all others.
func (e *bookEdit) addProblems(problems []schema.Problem) error {
	name := "Problems"
	taken := func(s *sheetEdit) bool { return strings.EqualFold(s.entry.Name, name) }
	for n := 2; slices.ContainsFunc(e.sheets, taken); n++ {
		name = "Problems " + strconv.Itoa(n)
	}
	content, err := e.Styles()
	if err != nil {
		return err
	}
	list := problemList{book: e, name: name, problems: problems}
	e.SetStyles(list.dress(content))

	part := e.Free("xl/worksheets/sheet", ".xml")
	e.Set(part, list.xml())
	if err := e.Declare(part, ooxml.OfficeType+"spreadsheetml.worksheet+xml"); err != nil {
		return err
	}
	id, err := e.Link(e.Root, e.Base, "worksheet", part)
	if err != nil {
		return err
	}
	book, err := e.Read(e.Root)
	if err != nil {
		return err
	}
	number := 1
	for _, n := range ooxml.Items(book, "sheets") {
		if used, err := strconv.Atoi(ooxml.AttrOf(n.Tag(book), "sheetId")); err == nil {
			number = max(number, used+1)
		}
	}
	_, prefix := ooxml.RootOf(book)
	// The namespace is declared in the element itself, as the root may lack it
	// or have it under another prefix.
	line := ooxml.Prefixed(
		`<sheet name="`+ooxml.EscapeAttr(name)+`" sheetId="`+strconv.Itoa(number)+`" ob:id="`+id+`" xmlns:ob="`+
			strings.TrimSuffix(e.Base, "/")+`"/>`,
		prefix,
	)
	n, _, _ := ooxml.Child(book, "sheets")
	book = ooxml.Splice(book, n.Close, n.Close, line)
	place := ooxml.QuoteSheet(name)
	book, _ = ooxml.Appended(book, "definedNames", `<definedName name="_xlnm._FilterDatabase" localSheetId="`+strconv.Itoa(len(e.sheets))+
		`" hidden="1">`+ooxml.EscapeText(place+"!"+list.filter())+`</definedName>`, ooxml.BookOrder)
	book, _ = ooxml.Appended(
		book, "definedNames",
		`<definedName name="`+sheet.AnnotationSheet+`" hidden="1">`+ooxml.EscapeText(place+"!$A$1")+`</definedName>`, ooxml.BookOrder,
	)
	e.Set(e.Root, book)
	return nil
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

// ours reports whether a formula is that of a mark.
func ours(formula []byte) bool { return bytes.Contains(formula, []byte(`"eventbatch`)) }
