package sheet

import (
	"context"
	"errors"
	"iter"
	"slices"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// sheets lists the sheets that have rows.
func (w *workbook) sheets() []Info {
	var all []Info
	for _, s := range w.entries {
		if s.hasRows() {
			all = append(all, s.Info)
		}
	}
	return all
}

func (w *workbook) batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		place := w.place(sheet)
		s, err := w.find(sheet)
		if err != nil {
			yield(nil, at(place, err))
			return
		}
		parts := []*ooxml.Part{s.part}
		if w.strings != nil && w.shared == nil {
			parts = []*ooxml.Part{w.strings, s.part}
		}
		f := ooxml.StartFeed(ctx, parts...)
		defer f.Stop()
		if len(parts) == 2 {
			shared, err := readStrings(f, w.limits)
			if err != nil {
				yield(nil, at(w.place(""), err))
				return
			}
			w.shared = shared
		}
		r := newSheetReader(w, place, ooxml.NewScanner(f), yield)
		switch err := r.read(); {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(nil, at(r.place, err))
		default:
			s.notes, s.merged, s.unseen = r.notes(r.place.File, sheet), r.merged, r.hiddenColumns()
		}
	}
}

// place is that of a whole sheet, or of the whole file.
func (w *workbook) place(sheet string) schema.Place {
	return schema.Place{File: w.name, Sheet: sheet, Column: -1}
}

func (w *workbook) find(sheet string) (*bookSheet, error) {
	i := slices.IndexFunc(w.entries, func(s *bookSheet) bool { return s.Name == sheet })
	switch {
	case i < 0:
		return nil, ooxml.Flawf(schema.CodeNoSheet, "", "the workbook has no such sheet")
	case w.entries[i].part == nil:
		return nil, ooxml.Flawf(schema.CodeNoSheet, "name a sheet that has rows", "the workbook lists the sheet, but holds nothing of it")
	case !w.entries[i].hasRows():
		return nil, ooxml.Flawf(schema.CodeNoSheet, "name a sheet that has rows", "the sheet is a %s, which has no rows", w.entries[i].kind)
	}
	return w.entries[i], nil
}

func (w *workbook) notes() []schema.Problem {
	var all []schema.Problem
	for _, s := range w.entries {
		all = append(all, s.notes...)
	}
	return all
}

func (w *workbook) merges(sheet string) []Merge {
	if s, err := w.find(sheet); err == nil {
		return s.merged
	}
	return nil
}

func (w *workbook) hiddenColumns(sheet string) []int {
	if s, err := w.find(sheet); err == nil {
		return s.unseen
	}
	return nil
}

func (w *workbook) ownSheet(own string) string {
	for _, s := range w.entries {
		if s.own == own {
			return s.Name
		}
	}
	return ""
}

func (w *workbook) date1904() bool { return w.from04 }
