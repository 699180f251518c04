package mapping

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// bases are the baselines of the rows of an export, by the id of the record.
type bases map[string]string

// basesOf reads the sheet of a workbook that holds its baselines; nil where there is none.
func basesOf(ctx context.Context, f *sheet.File) (bases, error) {
	book := f.Book()
	if book == nil {
		return nil, nil
	}
	i := slices.IndexFunc(book.Entries(), func(e sheet.Entry) bool { return e.OwnName == sheet.BaseSheet })
	if i < 0 {
		return nil, nil
	}
	again, err := f.Again(ctx) // the sheets of rows are read beside it
	if err != nil {
		return nil, err
	}
	all := bases{}
	for row, err := range again.Rows(ctx, book.Entries()[i].Name) {
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		for _, cell := range row.Cells {
			text.WriteString(cell.Text)
		}
		if base, ok := baseline.Parse(text.String()); ok {
			all[strings.Clone(base.ID)] = text.String()
		}
	}
	return all, nil
}

// Exported reports whether the rows, or some of them, come with a baseline. It is asked
// before the results are read.
func (r *Reading) Exported(ctx context.Context) bool {
	return slices.ContainsFunc(r.inputs, func(in *input) bool {
		if book := in.file.Book(); book != nil && slices.ContainsFunc(book.Entries(), func(e sheet.Entry) bool {
			return e.OwnName == sheet.BaseSheet
		}) {
			return true
		}
		return slices.ContainsFunc(in.names, func(name string) bool {
			return slices.ContainsFunc(in.head(ctx, name), func(row sheet.Row) bool {
				return slices.ContainsFunc(row.Cells, func(c sheet.Cell) bool { return c.Text == sheet.BaseColumn })
			})
		})
	})
}

// base returns the baseline of the row: it counts only beside the id of its own record.
func (w *worker) base() (base baseline.Base, ok bool) {
	id := baseline.ID(w.draft)
	text := w.b.bases[id]
	if text == "" {
		text = w.cell(w.b.base)
	}
	if id == "" || strings.TrimSpace(text) == "" {
		return base, false
	}
	base, ok = baseline.Parse(text)
	if ok && base.ID == id {
		w.draft.Base = text
		return base, true
	}
	if column := w.b.base; column >= 0 && text != "" {
		message := "the baseline is damaged, and not used: every cell of the row counts as touched"
		if ok {
			message = "the baseline is that of " + quoted(base.ID) + ", and not used: every cell of the row counts as touched"
		}
		w.problems = append(w.problems, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeForeignBase, Place: w.placeOf(column), Value: text, Message: message,
			Hint: "if the row is a copy of another, blank the cells that should stay as they are",
		})
	}
	return base, false
}

// compare marks the settings that say what the export of the row said. A cell that the
// export had filled and that is blank now is warned of: it clears nothing.
func (w *worker) compare() {
	base, ok := w.base()
	if !ok {
		return
	}
	d := w.draft
	same := func(f *feed) {
		s, field := d.Get(f.field.ID), f.field
		switch {
		case field.ID == schema.FieldCalendarID:
			if d.Calendar != "" && f.column() >= 0 && base.Filled(field) && !base.On(d.Calendar) {
				d.Moved = f.column() + 1
			}
		case d.Resource.Names(field) || !base.Filled(field):
			return
		case s != nil && base.Says(s), f.column() >= 0 && base.Holds(field, w.cell(f.column())):
			w.problems = append(w.problems[:w.first], slices.DeleteFunc(
				w.problems[w.first:], func(p schema.Problem) bool { return p.Field == field.Path },
			)...)
			if s != nil {
				s.Untouched = true
			}
		}
	}
	if w.b.zone != nil {
		same(w.b.zone)
	}
	for i := range w.b.list {
		same(&w.b.list[i])
	}
	for i := range w.b.list {
		f := &w.b.list[i]
		if f.field.ID == schema.FieldCalendarID {
			continue
		}
		if base.Filled(f.field) && !d.Has(f.field.ID) && f.column() >= 0 && strings.TrimSpace(w.cell(f.column())) == "" {
			w.blanked(f)
		}
	}
}

// blanked warns of a cell that was emptied since the export, unless another part of its
// object says what it shall be.
func (w *worker) blanked(f *feed) {
	if whole, part := f.field.Object(); part && slices.ContainsFunc(w.draft.Settings, func(s schema.Setting) bool {
		return !s.Untouched && s.Field.Field().Of == whole.ID
	}) {
		return
	}
	hint := "leave it blank if nothing is meant; "
	switch {
	case f.field.Nullable:
		hint += "write " + clearMark + " to take the value away"
	case f.field.Empty:
		hint += "write " + emptyMark + " to make the text empty"
	default:
		hint += f.field.Path + " cannot be taken away"
	}
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeBlankedCell, Field: f.field.Path, Place: w.placeOf(f.column()),
		Message: "the export had a value here, and a blank cell leaves it as it is", Hint: hint,
	})
}

// Beside names a sheet that is not read though it may hold rows of the same kind: it is
// hidden, or nobody has said which sheets to read, and it has the header of one that is
// read. It is empty where there is none, and is asked for before the results are read.
func (r *Reading) Beside(ctx context.Context) string {
	for _, in := range r.inputs {
		if len(in.unread) == 0 {
			continue
		}
		known := map[string]bool{}
		for _, name := range in.names {
			for _, row := range in.head(ctx, name) {
				known[strings.Join(headerTexts(&row), "\x00")] = true
			}
		}
		for _, name := range in.unread {
			for _, row := range in.head(ctx, name) {
				if texts := headerTexts(&row); len(texts) > 1 && known[strings.Join(texts, "\x00")] {
					return name
				}
			}
		}
	}
	return ""
}
