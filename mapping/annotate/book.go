package annotate

import (
	"context"
	"fmt"
	"path/filepath"
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
	macros bool
	sheets []*sheetEdit
	looks  looks
}

func openEdit(ctx context.Context, book *sheet.Book) (*bookEdit, error) {
	w, err := book.Workbook()
	if err != nil {
		return nil, err
	}
	e := &bookEdit{Workbook: w}
	kind, err := w.TypeOf(w.Root)
	if err != nil {
		return nil, err
	}
	e.macros = strings.Contains(kind, "macroEnabled")
	for _, entry := range book.Entries() {
		e.sheets = append(e.sheets, &sheetEdit{Workbook: w, book: book, looks: &e.looks, entry: entry, columns: noColumns})
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
	e.looks.wrapped = strconv.Itoa(n)
	for severity, look := range markLooks {
		if !marks {
			break
		}
		content, e.looks.colors[severity] = ooxml.Interned(content, "dxfs", look, ooxml.StyleOrder)
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
	list := problemList{namespace: e.Namespace(), sheets: e.sheets, problems: problems}
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

// fits refuses a name whose extension says something else than the content,
// which spreadsheet programs would refuse to open.
func (e *bookEdit) fits(out string) error {
	ext := strings.ToLower(filepath.Ext(out))
	switch {
	case e.macros && ext != ".xlsm":
		return refused(out, "the workbook has macros, and its copy keeps them", "give the copy a name that ends in .xlsm")
	case !e.macros && ext == ".xlsm":
		return refused(out, "the workbook has no macros", "give the copy a name that ends in .xlsx")
	}
	return nil
}

// take notes what is to be shown in one sheet.
func (e *bookEdit) take(m *Sheet, problems []schema.Problem) error {
	for _, s := range e.sheets {
		if !s.entry.HasRows || m.Name != s.entry.Name && (m.Name != "" || s.entry.Hidden || s.entry.Own) {
			continue
		}
		if s.marked != nil {
			return fmt.Errorf("annotating sheet %s: it is given twice", s.entry.Name)
		}
		s.marked, s.proposals = m, m.proposals(problems)
		return nil
	}
	return fmt.Errorf("annotating sheet %q: the workbook has no such sheet", m.Name)
}
