package mapping

import (
	"cmp"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// faults is the row at hand with what is wrong with it.
type faults struct {
	b    *binding
	row  *sheet.Row
	note *reshape.Note // nil where rows are not reshaped

	problems  []schema.Problem
	first     int         // index in problems of the row's first
	checked   int         // likewise, of the first that package check has found
	unread    []schema.ID // fields whose cells could not be read
	needsZone bool        // the row needs a time zone and names none

	unnamedColumns []int // without a header, warned of in this job

	worded map[timeMistake]schema.Fault
}

// cell returns the text of a cell for a report.
func (w *faults) cell(column int) string {
	if column < 0 || column >= len(w.row.Cells) {
		return ""
	}
	return w.row.Cells[column].Text
}

// kind returns the kind of a cell, which is blank where the row ends before it.
func (w *faults) kind(column int) sheet.CellKind {
	if column < 0 || column >= len(w.row.Cells) {
		return sheet.Blank
	}
	return w.row.Cells[column].Kind
}

// fault reports what is wrong with a value; a nil one is none. It reports whether
// the value is good.
func (w *faults) fault(field *schema.Field, column int, value string, fault *schema.Fault) bool {
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
func (w *faults) place(p schema.Problem) {
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
		case p.Code == schema.CodeMissingValue && field.ID == catalog.FieldTimezone:
			w.needsZone = true
			return
		case f == nil && p.Code == schema.CodeMissingValue && field.ID != catalog.FieldEventID:
			p.Code, p.Message = schema.CodeMissingColumn, "no column feeds "+p.Field+", and "+
				w.b.options.Resource.Some()+" cannot be created without it"
			if p.Hint = "add a column " + p.Field; p.Field != w.b.options.Resource.Named { // which each row has for itself
				p.Hint += ", or say --set " + p.Field + "=…"
			}
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
func (w *faults) partOf(whole *schema.Field) (fed *feed) {
	for i := range w.b.list {
		f := &w.b.list[i]
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
func (w *faults) reported(path string) bool {
	if slices.ContainsFunc(w.unread, func(id schema.ID) bool { return path == "" || catalog.Path(id) == path }) {
		return true
	}
	return slices.ContainsFunc(w.problems[w.first:w.checked], func(p schema.Problem) bool {
		return p.Severity == schema.Error && (p.Field == path || path == "")
	})
}

// misnamed reports whether what names the row's event was bad: what the row needs
// beyond that cannot be told then.
func (w *faults) misnamed() bool {
	return w.reported(
		catalog.Path(catalog.FieldEventID),
	) || w.reported(catalog.Path(schema.FieldKey)) || w.reported(catalog.Path(catalog.FieldSlug)) || w.reported(catalog.Path(
		schema.FieldAction,
	))
}

// placeOf returns the place of the row's cell; of one that a grid adds, that of the cell which it is.
func (w *faults) placeOf(column int) schema.Place {
	if len(w.b.grid) > 0 && w.note != nil {
		if j := w.b.joinOf(column); j != nil {
			column = j.on
		}
		if w.b.ofGrid(column) {
			column = w.note.Column
		}
	}
	return w.b.place(w.row, column)
}

// misread notes that cells feed a field and say nothing because something is wrong
// with them, or with what they need: the field is not missing then.
func (w *faults) misread(field *schema.Field) {
	if !slices.Contains(w.unread, field.ID) {
		w.unread = append(w.unread, field.ID)
	}
}

// noted takes what was said of a row when it was reshaped. It tells why the row is
// skipped, empty where it is not.
func (w *faults) noted() (skipped string) {
	for _, p := range w.note.Problems {
		p.Place = w.placeOf(p.Place.Column)
		w.problems = append(w.problems, p)
	}
	return w.note.Skip
}

// elsewhere adds to a problem of a joined cell where the cell itself is.
func (w *faults) elsewhere(p *schema.Problem, column int) {
	j := w.b.joinOf(column)
	if j == nil || w.note == nil {
		return
	}
	for i := range w.b.joins {
		if &w.b.joins[i] != j {
			continue
		}
		at := j.columns[column-j.first]
		if from := w.note.From[i]; from > 0 {
			p.Message += ", in " + quoted(at) + " of row " + strconv.Itoa(from) + " of " + j.title
		}
	}
}

// unseen reports cells that no header names. In a text file a cell beyond the
// header most often means that a delimiter stands in a text without quotes, so
// that the values before it have moved too: that is an error of the row. Any other
// is warned of once a job.
func (w *faults) unseen() {
	width := len(w.b.header)
	for column := width; column < len(w.row.Cells); column++ {
		if w.row.Line > 0 && w.kind(column) != sheet.Blank {
			w.problems = append(w.problems, schema.Problem{
				Code: schema.CodeRaggedRow, Place: w.placeOf(column), Value: w.row.Cells[column].Text,
				Message: "the row has more cells than the header has columns",
				Hint:    "put a text with the delimiter in it between quotes, or give the column a header",
			})
			return
		}
	}
	for _, column := range w.b.blind {
		w.unnamed(column)
	}
	for column := width; column < len(w.row.Cells); column++ {
		w.unnamed(column)
	}
}

func (w *faults) unnamed(column int) {
	if w.kind(column) == sheet.Blank || slices.Contains(w.unnamedColumns, column) {
		return
	}
	w.unnamedColumns = append(w.unnamedColumns, column)
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeEmptyHeader, Place: w.placeOf(column), Value: w.row.Cells[column].Text,
		Message: "the column has cells and no header, and is not read", Hint: "give the column a header, or empty it",
	})
}
