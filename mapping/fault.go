package mapping

import (
	"cmp"
	"slices"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// cell returns the text of a cell for a report.
func (w *worker) cell(column int) string {
	if column < 0 || column >= len(w.row.Cells) {
		return ""
	}
	return w.row.Cells[column].Text
}

// fault reports what is wrong with a value; a nil one is none. It reports whether
// the value is good.
func (w *worker) fault(field *schema.Field, column int, value string, fault *schema.Fault) bool {
	if fault == nil {
		return true
	}
	p := schema.Problem{
		Code: fault.Code, Field: field.Path, Place: w.placeOf(column), Value: value, Message: fault.Message, Hint: fault.Hint,
	}
	if len(w.b.joins) > 0 {
		w.elsewhere(&p, column)
	}
	w.problems = append(w.problems, p)
	return false
}

// follows are problems that a wrong cell makes by being left out.
var follows = map[schema.Code]bool{
	schema.CodeHalfCoordinate: true, schema.CodeIncompleteObject: true, schema.CodeDelayWithoutOn: true, schema.CodeEndNotMoved: true,
	schema.CodeNothingToDo: true,
}

// place completes a problem of package check: it knows the cells by column only.
func (w *worker) place(p schema.Problem) {
	if follows[p.Code] && (w.reported("") || w.needsZone) || p.Code == schema.CodeMissingValue && w.misnamed() {
		return
	}
	column := p.Place.Column
	if column < 0 && p.Field != "" {
		field, _ := w.b.options.Resource.ByPath(p.Field)
		f := w.b.byID[field.ID]
		if part := w.partOf(field); f == nil && part != nil {
			if w.reported(part.field.Path) {
				return // it is missing because a part of it is wrong
			}
			f = part
		}
		switch {
		case p.Code == schema.CodeMissingValue && w.reported(p.Field):
			return // it is missing because it is wrong
		case p.Code == schema.CodeMissingValue && field.ID == schema.FieldTimezone:
			w.needsZone = true
			return
		case f == nil && p.Code == schema.CodeMissingValue && field.ID != schema.FieldEventID:
			p.Code, p.Message = schema.CodeMissingColumn, "no column feeds "+p.Field+", and "+
				w.b.options.Resource.Some()+" cannot be created without it"
			p.Hint = "add a column " + p.Field + ", or say --set " + p.Field + "=…"
		case f == nil:
		default:
			column = f.column()
		}
	}
	p.Place = w.placeOf(column)
	if len(w.b.joins) > 0 {
		w.elsewhere(&p, column)
	}
	if cell := w.cell(column); cell != "" && p.Code != schema.CodeWrongImageHost {
		p.Value = cell
	}
	w.problems = append(w.problems, p)
}

// partOf returns what feeds a part of an object, a part that is wrong before others;
// nil where no column does.
func (w *worker) partOf(whole *schema.Field) (fed *feed) {
	for i := range w.b.feeds {
		f := &w.b.feeds[i]
		if whole.Kind == schema.Object && f.field.Of == whole.ID && f.field.ID != schema.FieldCalendarID {
			if w.reported(f.field.Path) {
				return f
			}
			fed = cmp.Or(fed, f)
		}
	}
	return fed
}

// reported reports whether a cell of the field was bad; of any field for an empty path.
func (w *worker) reported(path string) bool {
	if slices.ContainsFunc(w.unread, func(id schema.ID) bool { return path == "" || id.Path() == path }) {
		return true
	}
	return slices.ContainsFunc(w.problems[w.first:w.checked], func(p schema.Problem) bool {
		return p.Severity == schema.Error && (p.Field == path || path == "")
	})
}

// misnamed reports whether what names the row's event was bad: what the row needs
// beyond that cannot be told then.
func (w *worker) misnamed() bool {
	return w.reported(
		schema.FieldEventID.Path(),
	) || w.reported(schema.FieldKey.Path()) || w.reported(schema.FieldSlug.Path()) || w.reported(schema.FieldAction.Path())
}

func (w *worker) placeOf(column int) schema.Place { return w.b.place(w.row, column) }

// place returns the place of a row's cell, or of the whole row where the column is -1.
func (b *binding) place(row *sheet.Row, column int) schema.Place {
	p := schema.Place{File: b.file, Sheet: b.sheet, Row: row.Number, Line: row.Line, Column: b.physical(column)}
	if p.Column >= 0 && p.Column < b.width {
		column, p.Header = p.Column, b.header[p.Column]
	}
	if column >= 0 && column < len(row.Cells) {
		p.Line += int(row.Cells[column].Line)
	}
	return p
}
