package sheet

import (
	"errors"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// sheetList has the sheets of a workbook of either form, with what was met in those that were read to their end.
type sheetList struct {
	name    string // of the file
	entries []*bookSheet
}

// bookSheet is one entry of a workbook's list of sheets.
type bookSheet struct {
	Info
	kind string      // what the relationship of an .xlsx file calls it; only a worksheet has rows
	part *ooxml.Part // nil for a sheet that is listed and nothing more, as old macros are
	own  string      // the name that says that it is one of ours

	notes  []schema.Problem
	merged []Merge
	unseen []int // hidden columns
}

func (s *bookSheet) hasRows() bool { return s.kind == "worksheet" }

// ended takes what a reader has met that has come to the end of the sheet, or hands on why it has not.
func (s *bookSheet) ended(r *sheetReader, err error) {
	switch {
	case errors.Is(err, errStopped):
	case err != nil:
		r.yield(nil, at(r.place, err))
	default:
		s.notes, s.merged, s.unseen = r.notes(r.place.File, s.Name), r.merged, r.hiddenColumns()
	}
}

// place is that of a whole sheet, or of the whole file.
func (l *sheetList) place(sheet string) schema.Place {
	return schema.Place{File: l.name, Sheet: sheet, Column: -1}
}

// entry returns a sheet, nil where there is none of the name.
func (l *sheetList) entry(name string) *bookSheet {
	if i := slices.IndexFunc(l.entries, func(s *bookSheet) bool { return s.Name == name }); i >= 0 {
		return l.entries[i]
	}
	return nil
}

// add adds a sheet.
func (l *sheetList) add(s *bookSheet) error {
	if slices.ContainsFunc(l.entries, func(other *bookSheet) bool { return strings.EqualFold(other.Name, s.Name) }) {
		return ooxml.Flawf(schema.CodeBadXML, ooxml.HintDamaged, "two sheets are named %q", s.Name)
	}
	l.entries = append(l.entries, s)
	return nil
}

func (l *sheetList) notes() []schema.Problem {
	var all []schema.Problem
	for _, s := range l.entries {
		all = append(all, s.notes...)
	}
	return all
}

func (l *sheetList) merges(sheet string) []Merge {
	if s := l.entry(sheet); s != nil {
		return s.merged
	}
	return nil
}

func (l *sheetList) hiddenColumns(sheet string) []int {
	if s := l.entry(sheet); s != nil {
		return s.unseen
	}
	return nil
}

func (l *sheetList) ownSheet(own string) string {
	for _, s := range l.entries {
		if s.own == own {
			return s.Name
		}
	}
	return ""
}
