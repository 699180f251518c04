package mapping

import (
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/match"
	"eventbatch/mapping/richtext"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
)

// The marks that a cell may hold in the place of a value.
const (
	clearMark = "<clear>" // send null
	emptyMark = "<empty>" // send ""
)

// cells reads the cells of the row at hand as texts.
type cells struct {
	faults

	text    strings.Builder // where texts that are made are kept
	scratch []byte
	parts   []string
	html    richtext.Converter
}

// textOf returns a cell's text; not ok where the cell is bad, which is reported.
func (w *cells) textOf(field *schema.Field, column int) (string, bool) {
	if column >= len(w.row.Cells) {
		return "", true
	}
	cell := &w.row.Cells[column]
	switch cell.Kind {
	case sheet.Blank, sheet.Text, sheet.Bool:
		return cell.Text, true
	case sheet.Number:
		if field.Kind == schema.Identifier && value.LostDigits(cell.Text) {
			return "", w.fault(field, column, cell.Text, &schema.Fault{
				Code: schema.CodeLostDigits, Message: "the spreadsheet has already lost digits of this number",
				Hint: "format the column as text in the spreadsheet, and enter the ids again",
			})
		}
		return cell.Text, true
	case sheet.Date:
		return w.dateText(cell), true
	case sheet.Null:
		if field.Nullable {
			return cell.Text, true
		}
		return "", true
	case sheet.JSON:
		if field == exprField {
			return cell.Text, true
		}
		text, fault := value.FromJSON(field, cell.Text)
		return text, w.fault(field, column, cell.Text, fault)
	}
	return "", w.badCell(field, column)
}

// reread returns what the mapping says that a cell's text is read as. A number of a
// spreadsheet is one, whatever its shape.
func (w *cells) reread(f *feed, column int, text string) string {
	if column < len(w.row.Cells) && w.row.Cells[column].Kind != sheet.Text {
		text, _ = f.reads.Exact(text)
		return text
	}
	return f.reads.Apply(text)
}

// said reports whether the mapping says what the text of a cell stands for.
func (w *cells) said(f *feed, column int) bool {
	if f.reads == nil {
		return false
	}
	_, exact := f.reads.Exact(w.cell(column))
	return exact
}

// dateText writes a spreadsheet date as a person would.
func (w *cells) dateText(cell *sheet.Cell) string {
	m, fault := datetime.Serial(cell.Text, w.b.d1904)
	if fault != datetime.OK {
		return cell.Text
	}
	w.scratch = m.Append(w.scratch[:0])
	if len(w.scratch) > 10 && w.scratch[10] == 'T' {
		w.scratch[10] = ' '
	}
	return w.keep(w.scratch)
}

func (w *cells) badCell(field *schema.Field, column int) bool {
	cell := &w.row.Cells[column]
	fault := &schema.Fault{
		Code: schema.CodeCellError, Message: "the cell holds the error " + cell.Text,
		Hint: "correct the formula, or write the value",
	}
	if cell.Kind == sheet.NoCache {
		fault = &schema.Fault{
			Code: schema.CodeFormulaNoCache, Message: "the file holds a formula without its result",
			Hint: "open the file in a spreadsheet, let it calculate, and save it",
		}
	}
	return w.fault(field, column, cell.Text, fault)
}

// joined puts the texts of several cells together, leaving blank ones out.
func (w *cells) joined(f *feed) (string, bool) {
	w.parts = w.parts[:0]
	ok := true
	for _, column := range f.columns {
		text, good := w.textOf(f.field, column)
		if w.kind(column) == sheet.Null {
			continue
		}
		if f.reads != nil {
			text = w.reread(f, column, text)
		}
		if text = strings.TrimSpace(text); text != "" {
			w.parts = append(w.parts, text)
		}
		ok = ok && good
	}
	if f.field.ID == schema.FieldKey && ok && len(w.parts) > 0 && len(w.parts) < len(f.columns) {
		return "", w.fault(
			f.field, f.columns[0], "",
			&schema.Fault{Code: schema.CodeMissingValue, Message: "a part of the key is blank", Hint: "fill all columns of the key"},
		)
	}
	return strings.Join(w.parts, f.join), ok
}

// translate returns what the mapping has for the text of a cell.
func (w *cells) translate(f *feed, column int, text string) (string, bool) {
	if v, ok := f.values.Of(text); ok {
		return v, true
	}
	var s schema.Setting
	if (len(f.field.Values) > 0 || f.field.Kind == schema.Zone || f.field.Kind == schema.Bool) && match.Parse(f.field, &s, text) == nil {
		return text, true // it is one of the field's own values
	}
	hint := spelling.DidYouMean(text, slices.Collect(maps.Keys(f.values)))
	if hint == "" {
		hint = "add it to values in the mapping file"
	}
	return "", w.fault(
		f.field, column, text,
		&schema.Fault{Code: schema.CodeUnmappedValue, Message: quoted(text) + " is not among the values of the mapping", Hint: hint},
	)
}

// markdown turns a cell's HTML into Markdown.
func (w *cells) markdown(f *feed, column int, html string) (string, bool) {
	w.html.ImageBase = w.b.options.Rules.ImageBase
	text, err := w.html.Markdown(html)
	if err != nil {
		return "", w.fault(
			f.field, column, strings.ToValidUTF8(html[:min(len(html), 200)], "")+"…",
			&schema.Fault{Code: schema.CodeBadHTML, Message: err.Error(), Hint: "shorten it, or look for what is damaged in it"},
		)
	}
	return text, text != ""
}

// mark reads <clear> and <empty>; done where the text is one of them.
func mark(field *schema.Field, s *schema.Setting, text string) (fault *schema.Fault, done bool) {
	switch {
	case isMarker(text, clearMark):
		if field.Local {
			return &schema.Fault{
				Code: schema.CodeNotNullable, Message: field.Path + " cannot be cleared", Hint: "leave the cell blank",
			}, true
		}
		return field.Clear(s), true
	case isMarker(text, emptyMark):
		return field.SetEmpty(s), true
	}
	return nil, false
}

func isMarker(text, marker string) bool {
	return len(text) == len(marker) && text[0] == '<' && strings.EqualFold(text, marker)
}

// keep makes a string of bytes that are used again. Strings are cut from one
// large text, so that making them takes next to no allocations.
func (w *cells) keep(b []byte) string {
	if w.text.Cap()-w.text.Len() < len(b) {
		w.text = strings.Builder{}
		w.text.Grow(max(16<<10, len(b)))
	}
	from := w.text.Len()
	w.text.Write(b)
	return w.text.String()[from:]
}

// exprField stands for the field in problems of cells that no field reads, but an
// expression or the column of whole days.
var exprField = &schema.Field{Kind: schema.Text}
