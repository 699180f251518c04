package mapping

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/check"
	"eventbatch/mapping/moment"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// The marks that a cell may hold in the place of a value.
const (
	clearMark = "<clear>" // send null
	emptyMark = "<empty>" // send ""
)

// worker turns rows into drafts. It belongs to one goroutine.
type worker struct {
	b     *binding
	zones moment.Zones
	envs  map[*program]map[string]any

	// The row at hand.
	row       *sheet.Row
	draft     *schema.Draft
	problems  []schema.Problem
	zone      string // the row's own, empty where it names none
	badZone   bool
	midnights []int // columns of spreadsheet dates that are taken for midnight
	first     int   // index in problems of the row's first
	checked   int   // likewise, of the first that package check has found

	unnamedColumns []int           // without a header, warned of in this job
	text           strings.Builder // where texts that are made are kept
	scratch        []byte
	parts          []string
	emit           func(schema.Problem)
}

func newWorker() *worker {
	w := &worker{zones: moment.Zones{Load: schema.LoadZone}}
	w.emit = w.place
	return w
}

// read makes the row's draft. It returns why the row is skipped, empty where it
// is not; its problems are appended to w.problems.
func (w *worker) read(ctx context.Context, row *sheet.Row, d *schema.Draft) (skipped string) {
	b := w.b
	w.row, w.draft, w.zone, w.badZone, w.midnights = row, d, "", false, w.midnights[:0]
	d.Reset(schema.Place{File: b.file, Sheet: b.sheet, Row: row.Number, Line: row.Line, Column: -1})
	d.Action = b.options.action
	if b.filter != nil && !w.filtered(ctx) {
		d.Action = schema.Skip
		return "the filter leaves it out"
	}
	var s schema.Setting
	if b.action != nil && w.feed(ctx, b.action, &s) {
		w.action(s.Text)
	}
	if d.Action == schema.Skip {
		return "the row says SKIP"
	}
	before := len(w.problems)
	if b.zone != nil && w.feed(ctx, b.zone, &s) {
		w.zone = s.Text
		d.Put(s)
	}
	w.badZone = len(w.problems) > before
	for i := range b.feeds {
		if f := &b.feeds[i]; w.feed(ctx, f, &s) {
			w.put(f.field, &s)
		}
	}
	w.complete()
	if len(b.blind) > 0 || len(row.Cells) > len(b.header) {
		w.unseen()
	}
	w.checked = len(w.problems)
	check.Row(d, &b.options.Rules, w.emit)
	return ""
}

// put takes a setting into the draft.
func (w *worker) put(field *schema.Field, s *schema.Setting) {
	switch field.ID {
	case schema.FieldCalendarID:
		w.draft.Calendar = s.Text
	case schema.FieldKey:
		w.draft.Key = s.Text
	case schema.FieldTimezone: // of an expression
		w.zone = s.Text
		w.draft.Put(*s)
	case schema.FieldAction:
		w.action(s.Text)
	default:
		w.draft.Put(*s)
	}
}

// action takes the row's verb, which has to fit the operation that was asked for.
func (w *worker) action(verb string) {
	action, _ := schema.ParseAction(verb) // it was parsed when the cell was read
	asked := w.b.options.Operation
	switch {
	case asked == schema.OnCreate && (action == schema.Update || action == schema.Cancel),
		asked == schema.OnUpdate && action == schema.Create:
		w.fault(schema.FieldAction.Field(), w.b.byID[schema.FieldAction].column(), verb, &schema.Fault{
			Code: schema.CodeWrongOperation, Message: "the row says " + verb + ", and only " + asked.String() + " is asked for", Hint: "say --operation upsert",
		})
		return
	case action == schema.Upsert:
		return // the operation asked for is as much as that, or stricter
	}
	w.draft.Action = action
}

// complete fills what follows from elsewhere: the event id of a results file, and
// the zone of an event that has none and may be created.
func (w *worker) complete() {
	d, b := w.draft, w.b
	if b.resultID >= 0 && b.resultID < len(w.row.Cells) && !d.Has(schema.FieldEventID) {
		if cell := &w.row.Cells[b.resultID]; cell.Kind != sheet.Blank {
			var s schema.Setting
			s.Column = b.resultID
			if fault := schema.FieldEventID.Field().Parse(&s, cell.Text); fault == nil {
				d.Put(s)
			}
		}
	}
	if b.options.zone != "" && !w.badZone && !d.Has(schema.FieldTimezone) && !d.Has(schema.FieldEventID) &&
		(d.Action == schema.Create || d.Action == schema.Upsert) {
		d.Put(schema.Setting{Field: schema.FieldTimezone, State: schema.Set, Column: -1, Text: b.options.zone})
	}
}

// unseen reports cells that no header names. In a text file a cell beyond the
// header most often means that a delimiter stands in a text without quotes, so
// that the values before it have moved too: that is an error of the row. Any other
// is warned of once a job.
func (w *worker) unseen() {
	width := len(w.b.header)
	for column := width; column < len(w.row.Cells); column++ {
		if w.row.Line > 0 && w.row.Cells[column].Kind != sheet.Blank {
			w.problems = append(w.problems, schema.Problem{
				Code: schema.CodeRaggedRow, Place: w.placeOf(column), Value: w.row.Cells[column].Text,
				Message: "the row has more cells than the header has columns", Hint: "put a text with the delimiter in it between quotes, or give the column a header",
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

func (w *worker) unnamed(column int) {
	if column >= len(w.row.Cells) || w.row.Cells[column].Kind == sheet.Blank || slices.Contains(w.unnamedColumns, column) {
		return
	}
	w.unnamedColumns = append(w.unnamedColumns, column)
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeEmptyHeader, Place: w.placeOf(column), Value: w.row.Cells[column].Text,
		Message: "the column has cells and no header, and is not read", Hint: "give the column a header, or empty it",
	})
}

// feed reads what feeds a field into a setting. It reports what is wrong, and
// tells whether there is a setting.
func (w *worker) feed(ctx context.Context, f *feed, s *schema.Setting) bool {
	switch {
	case f.program != nil:
		return w.compute(ctx, f, s)
	case f.constant != nil:
		return w.fixed(f, s, *f.constant)
	case f.field.Kind == schema.Timestamp && f.values == nil:
		return w.when(ctx, f, s)
	}
	column := f.columns[0]
	text, ok := "", true
	if len(f.columns) == 1 {
		text, ok = w.textOf(ctx, f.field, column)
	} else {
		text, ok = w.joined(ctx, f)
	}
	if !ok {
		return false
	}
	if text == "" || text[0] <= ' ' && strings.TrimSpace(text) == "" {
		return f.fallback != "" && w.fixed(f, s, f.fallback)
	}
	s.Column = column
	if text[0] == '<' || text[0] <= ' ' {
		if fault, done := mark(f.field, s, strings.TrimSpace(text)); done {
			return w.fault(f.field, column, text, fault)
		}
	}
	if f.values != nil {
		if text, ok = w.translate(f, column, text); !ok {
			return false
		}
		return w.fixedAt(f, s, text, column)
	}
	if fault := f.field.Parse(s, text); fault != nil {
		return w.fault(f.field, column, text, fault)
	}
	return true
}

// textOf gives a cell's text; not ok where the cell is bad, which is reported.
func (w *worker) textOf(_ context.Context, field *schema.Field, column int) (string, bool) {
	if column >= len(w.row.Cells) {
		return "", true
	}
	cell := &w.row.Cells[column]
	switch cell.Kind {
	case sheet.Blank, sheet.Text, sheet.Bool:
		return cell.Text, true
	case sheet.Number:
		if field.Kind == schema.Identifier && schema.LostDigits(cell.Text) {
			return "", w.fault(field, column, cell.Text, &schema.Fault{
				Code: schema.CodeLostDigits, Message: "the spreadsheet has already lost digits of this number",
				Hint: "format the column as text in the spreadsheet, and enter the ids again",
			})
		}
		return cell.Text, true
	case sheet.Date:
		return w.dateText(cell), true
	}
	return "", w.badCell(field, column)
}

// dateText writes a spreadsheet date as a person would.
func (w *worker) dateText(cell *sheet.Cell) string {
	m, fault := moment.Serial(cell.Text, w.b.d1904)
	if fault != moment.OK {
		return cell.Text
	}
	w.scratch = m.Append(w.scratch[:0])
	if len(w.scratch) > 10 && w.scratch[10] == 'T' {
		w.scratch[10] = ' '
	}
	return w.keep(w.scratch)
}

func (w *worker) badCell(field *schema.Field, column int) bool {
	cell := &w.row.Cells[column]
	fault := &schema.Fault{Code: schema.CodeCellError, Message: "the cell holds the error " + cell.Text, Hint: "correct the formula, or write the value"}
	if cell.Kind == sheet.NoCache {
		fault = &schema.Fault{Code: schema.CodeFormulaNoCache, Message: "the file holds a formula without its result", Hint: "open the file in a spreadsheet, let it calculate, and save it"}
	}
	return w.fault(field, column, cell.Text, fault)
}

// joined puts the texts of several cells together, leaving blank ones out.
func (w *worker) joined(ctx context.Context, f *feed) (string, bool) {
	w.parts = w.parts[:0]
	ok := true
	for _, column := range f.columns {
		text, good := w.textOf(ctx, f.field, column)
		if text = strings.TrimSpace(text); text != "" {
			w.parts = append(w.parts, text)
		}
		ok = ok && good
	}
	if f.field.ID == schema.FieldKey && ok && len(w.parts) > 0 && len(w.parts) < len(f.columns) {
		return "", w.fault(f.field, f.columns[0], "", &schema.Fault{Code: schema.CodeMissingValue, Message: "a part of the key is blank", Hint: "fill all columns of the key"})
	}
	return strings.Join(w.parts, f.join), ok
}

// translate looks a cell up among the values of the mapping.
func (w *worker) translate(f *feed, column int, text string) (string, bool) {
	if v, ok := f.values[text]; ok {
		return v, true
	}
	if v, ok := f.values[normalize(text)]; ok {
		return v, true
	}
	if f.hasOther {
		return f.other, true
	}
	var s schema.Setting
	if len(f.field.Values) > 0 && f.field.Parse(&s, text) == nil {
		return text, true // it is one of the field's own values
	}
	known := make([]string, 0, len(f.values))
	for v := range f.values {
		known = append(known, v)
	}
	hint := didYouMean(text, known)
	if hint == "" {
		hint = "add it to values in the mapping file"
	}
	return "", w.fault(f.field, column, text, &schema.Fault{Code: schema.CodeUnmappedValue, Message: quoted(text) + " is not among the values of the mapping", Hint: hint})
}

// fixed reads a text that stands in no cell.
func (w *worker) fixed(f *feed, s *schema.Setting, text string) bool {
	return w.fixedAt(f, s, text, -1)
}

func (w *worker) fixedAt(f *feed, s *schema.Setting, text string, column int) bool {
	if f.field.Kind == schema.Timestamp {
		ok := w.whenText(f, s, text)
		s.Column = column
		return ok
	}
	if strings.TrimSpace(text) == "" {
		return false
	}
	s.Column = column
	if fault, done := mark(f.field, s, strings.TrimSpace(text)); done {
		return w.fault(f.field, column, text, fault)
	}
	if fault := f.field.Parse(s, text); fault != nil {
		return w.fault(f.field, column, text, fault)
	}
	return true
}

// mark reads <clear> and <empty>; done where the text is one of them.
func mark(field *schema.Field, s *schema.Setting, text string) (fault *schema.Fault, done bool) {
	switch {
	case isMarker(text, clearMark):
		if field.Local {
			return &schema.Fault{Code: schema.CodeNotNullable, Message: field.Path + " cannot be cleared", Hint: "leave the cell blank"}, true
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

// compute evaluates a field's expression.
func (w *worker) compute(ctx context.Context, f *feed, s *schema.Setting) bool {
	before := len(w.problems)
	result, asked, err := f.program.run(w.env(ctx, f.program), func(column int) string { return w.exprCell(ctx, column) }, w.draft.Time)
	if err == nil && len(w.problems) == before {
		var text string
		var at time.Time
		var isTime bool
		text, at, isTime, err = textOf(result)
		switch {
		case err != nil:
		case !asked:
			return false
		case isTime && f.field.Kind == schema.Timestamp:
			return w.computedTime(f, s, at)
		default:
			return w.fixedAt(f, s, text, f.column())
		}
	}
	if err != nil {
		w.fault(f.field, f.column(), "", &schema.Fault{Code: schema.CodeBadExpression, Message: "expression of " + f.field.Path + ": " + err.Error()})
	}
	return false
}

func (w *worker) computedTime(f *feed, s *schema.Setting, at time.Time) bool {
	s.Field, s.State, s.Column, s.Instant = f.field.ID, schema.Set, f.column(), at.UnixMilli()
	if zone := cmp.Or(w.zone, w.b.options.zone); zone != "" {
		if location, err := schema.LoadZone(zone); err == nil {
			at = at.In(location)
		}
	}
	s.Text = at.Format("2006-01-02T15:04:05.999Z07:00")
	return true
}

func (w *worker) filtered(ctx context.Context) bool {
	before := len(w.problems)
	result, _, err := w.b.filter.run(w.env(ctx, w.b.filter), func(column int) string { return w.exprCell(ctx, column) }, w.draft.Time)
	if len(w.problems) > before {
		return true // a row whose filter cannot be told is not passed over
	}
	if err == nil {
		keep, isBool := result.(bool)
		if isBool {
			return keep
		}
		err = errors.New("its result is neither true nor false")
	}
	w.problems = append(w.problems, schema.Problem{
		Code: schema.CodeBadExpression, Place: w.placeOf(w.b.filter.first), Message: "filter: " + err.Error(),
	})
	return true
}

// env is a program's environment, with functions that look at the worker's row.
func (w *worker) env(ctx context.Context, p *program) map[string]any {
	env := w.envs[p]
	if env == nil {
		env = map[string]any{}
		if w.envs == nil {
			w.envs = map[*program]map[string]any{}
		}
		w.envs[p] = env
		env["now"] = func() time.Time { return w.b.options.Now }
		env["field"] = func(path string) string {
			switch path {
			case "key":
				return w.draft.Key
			case "calendar_id":
				return w.draft.Calendar
			}
			if field, ok := schema.ByPath(path); ok {
				return w.draft.Text(field.ID)
			}
			return ""
		}
	}
	env["col"] = func(name string) string { return w.exprCell(ctx, p.columns[name]) }
	return env
}

// exprCell is a cell as an expression sees it: its text without white space around it.
func (w *worker) exprCell(ctx context.Context, column int) string {
	text, _ := w.textOf(ctx, noField, column)
	return strings.TrimSpace(text)
}

// noField is whom a bad cell is reported for where an expression reads it.
var noField = &schema.Field{Kind: schema.Text}

// cell is the text of a cell for a report.
func (w *worker) cell(column int) string {
	if column < 0 || column >= len(w.row.Cells) {
		return ""
	}
	return w.row.Cells[column].Text
}

// fault reports what is wrong with a value; a nil one is none. It tells whether
// the value is good.
func (w *worker) fault(field *schema.Field, column int, value string, fault *schema.Fault) bool {
	if fault == nil {
		return true
	}
	w.problems = append(w.problems, schema.Problem{
		Code: fault.Code, Field: field.Path, Place: w.placeOf(column), Value: value, Message: fault.Message, Hint: fault.Hint,
	})
	return false
}

// follows are problems that a wrong cell makes by being left out.
var follows = map[schema.Code]bool{
	schema.CodeHalfCoordinate: true, schema.CodeIncompleteObject: true, schema.CodeDelayWithoutOn: true, schema.CodeEndNotMoved: true,
	schema.CodeNothingToDo: true,
}

// place completes a problem of package check: it knows the cells by column only.
func (w *worker) place(p schema.Problem) {
	if follows[p.Code] && w.reported("") || p.Code == schema.CodeMissingValue && w.misnamed() {
		return
	}
	column := p.Place.Column
	if column < 0 && p.Field != "" {
		field, _ := schema.ByPath(p.Field)
		f := w.b.byID[field.ID]
		switch {
		case f == nil && p.Code == schema.CodeMissingValue && field.ID != schema.FieldEventID:
			p.Code, p.Message = schema.CodeMissingColumn, "no column feeds "+p.Field+", and an event cannot be created without it"
			p.Hint = "add a column " + p.Field + ", or say --set " + p.Field + "=…"
		case f == nil:
		case p.Code == schema.CodeMissingValue && w.reported(p.Field):
			return // it is missing because it is wrong
		default:
			column = f.column()
		}
	}
	p.Place = w.placeOf(column)
	if cell := w.cell(column); cell != "" && p.Code != schema.CodeWrongImageHost {
		p.Value = cell
	}
	w.problems = append(w.problems, p)
}

// reported tells whether a cell of the field was bad; of any field for an empty path.
func (w *worker) reported(path string) bool {
	return slices.ContainsFunc(w.problems[w.first:w.checked], func(p schema.Problem) bool {
		return p.Severity == schema.Error && (p.Field == path || path == "")
	})
}

// misnamed tells whether what names the row's event was bad: what the row needs
// beyond that cannot be told then.
func (w *worker) misnamed() bool {
	return w.reported(schema.FieldEventID.Path()) || w.reported(schema.FieldKey.Path()) || w.reported(schema.FieldSlug.Path()) || w.reported(schema.FieldAction.Path())
}

func (w *worker) placeOf(column int) schema.Place {
	p := schema.Place{File: w.b.file, Sheet: w.b.sheet, Row: w.row.Number, Line: w.row.Line, Column: column}
	if column >= 0 && column < len(w.b.header) {
		p.Header = w.b.header[column]
	}
	if column >= 0 && column < len(w.row.Cells) {
		p.Line += int(w.row.Cells[column].Line)
	}
	return p
}

// keep makes a string of bytes that are used again. Strings are cut from one
// large text, so that making them takes next to no allocations.
func (w *worker) keep(b []byte) string {
	if w.text.Cap()-w.text.Len() < len(b) {
		w.text = strings.Builder{}
		w.text.Grow(max(16<<10, len(b)))
	}
	from := w.text.Len()
	w.text.Write(b)
	return w.text.String()[from:]
}
