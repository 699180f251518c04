package sheet

import (
	"context"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// workbook is an open .xlsx file: a source whose sheets have names.
type workbook struct {
	sheetList
	archive *ooxml.Archive
	limits  Limits
	strings *ooxml.Part // nil for a file without shared strings
	shared  *sharedStrings
	styles  []cellStyle
	from04  bool // serial dates count from 1904
}

// readBook finds the workbook part and reads what it and its styles say.
func (w *workbook) readBook(ctx context.Context) error {
	roots, err := w.archive.Relations(ctx, "")
	if err != nil {
		return err
	}
	for _, r := range roots {
		if r.Kind == "officeDocument" {
			return w.readBookPart(ctx, r.Target)
		}
	}
	if w.archive.Has("mimetype") && w.archive.Has("content.xml") {
		return ooxml.Flawf(schema.CodeUnknownFormat, ooxml.HintResave, "the file is an OpenDocument file, not an .xlsx workbook")
	}
	return ooxml.Flawf(schema.CodeUnknownFormat, ooxml.HintResave, "the file is a zip archive, but no workbook")
}

func (w *workbook) readBookPart(ctx context.Context, name string) error {
	if strings.HasSuffix(name, ".bin") {
		return ooxml.Flawf(schema.CodeUnknownFormat, ooxml.HintResave, "the file is a binary .xlsb workbook")
	}
	relations, err := w.archive.Relations(ctx, name)
	if err != nil {
		return err
	}
	err = w.archive.Read(ctx, name, func(x *ooxml.Scanner) error { return w.workbookPart(x, relations) })
	if err != nil {
		return err
	}
	for _, r := range relations {
		if !w.archive.Has(r.Target) {
			continue // a cell that needs it finds that out; a sheet was looked for before
		}
		switch r.Kind {
		case "sharedStrings":
			if w.strings, err = w.archive.Part(r.Target); err != nil {
				return err
			}
			if w.strings.Size()/2 > uint64(w.limits.StringBytes) { // tags take no memory
				return tooManyTexts(w.limits)
			}
		case "styles":
			if err := w.archive.Read(ctx, r.Target, func(x *ooxml.Scanner) (err error) {
				w.styles, err = readStyles(x)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// workbookPart reads the list of sheets and the date system.
func (w *workbook) workbookPart(x *ooxml.Scanner, relations map[string]ooxml.Relation) error {
	err := x.EachChild(ooxml.MainSpace, "workbook", func() error {
		if x.Space != ooxml.MainSpace {
			return x.Skip()
		}
		switch string(x.Local) {
		case "workbookPr":
			if v, ok := x.Attr("date1904"); ok {
				from04, err := ooxml.ParseBool(v)
				if err != nil {
					return err
				}
				w.from04 = from04
			}
		case "sheets":
			return x.Children(func() error { return w.sheetElement(x, relations) })
		case "definedNames":
			return x.Children(func() error { return w.definedName(x) })
		}
		return x.Skip()
	})
	if err == nil && len(w.entries) == 0 {
		err = ooxml.Flawf(schema.CodeMissingPart, ooxml.HintDamaged, "the workbook has no sheets")
	}
	return err
}

func (w *workbook) sheetElement(x *ooxml.Scanner, relations map[string]ooxml.Relation) error {
	if x.Space != ooxml.MainSpace || string(x.Local) != "sheet" {
		return x.Skip()
	}
	name, _ := x.Attr("name")
	state, _ := x.Attr("state")
	id, _ := x.AttrIn(ooxml.RelatedSpace, "id")
	s := &bookSheet{Info: Info{Name: string(name), Hidden: len(state) > 0 && string(state) != "visible"}}
	if len(id) > 0 { // old macros and dialogs have none
		r, ok := relations[string(id)]
		if !ok {
			return ooxml.Flawf(schema.CodeMissingPart, ooxml.HintDamaged, "sheet %q points to no part", s.Name)
		}
		var err error
		if s.part, err = w.archive.Part(r.Target); err != nil {
			return err
		}
		s.kind = r.Kind
	}
	if err := w.add(s); err != nil {
		return err
	}
	return x.Skip()
}

// definedName looks for the names that say which sheets are ours and hold no rows.
func (w *workbook) definedName(x *ooxml.Scanner) error {
	name, _ := x.Attr("name")
	own := string(name)
	if !x.Is("definedName") || !strings.HasPrefix(own, OwnPrefix) {
		return x.Skip()
	}
	target, err := bareText(x, nil)
	if err != nil {
		return err
	}
	sheet, _, found := strings.Cut(string(target), "!")
	if n := len(sheet); n > 1 && sheet[0] == '\'' {
		// A quoted name may have the mark in it.
		end := strings.LastIndex(string(target), "'!")
		sheet = strings.ReplaceAll(string(target[1:max(end, 1)]), "''", "'")
	}
	if s := w.entry(strings.TrimPrefix(sheet, "$")); found && s != nil {
		s.own, s.Own = own, true
	}
	return nil
}
