package sheet

import (
	"context"
	"iter"

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
		s.ended(r, r.read())
	}
}

func (w *workbook) find(sheet string) (*bookSheet, error) {
	s := w.entry(sheet)
	switch {
	case s == nil:
		return nil, ooxml.Flawf(schema.CodeNoSheet, "", "the workbook has no such sheet")
	case s.part == nil:
		return nil, ooxml.Flawf(schema.CodeNoSheet, "name a sheet that has rows", "the workbook lists the sheet, but holds nothing of it")
	case !s.hasRows():
		return nil, ooxml.Flawf(schema.CodeNoSheet, "name a sheet that has rows", "the sheet is a %s, which has no rows", s.kind)
	}
	return s, nil
}

func (w *workbook) date1904() bool { return w.from04 }
