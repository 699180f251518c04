package mapping

import (
	"cmp"
	"context"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// worker turns rows into drafts. It belongs to one goroutine. What it stands on feeds fields, reads
// times, makes instants of them, reads cells, and reports what is wrong with the row.
type worker struct {
	fields

	held    gatekeeper
	export  comparison
	lacking string // see Result
	unknown bool   // likewise
	emit    func(schema.Problem)

	proposed map[mistake]string // by the mistake
}

func newWorker() *worker {
	w := &worker{}
	w.held.fields, w.export.fields = &w.fields, &w.fields
	w.emit, w.formulas = w.place, formula.NewRunner(rowView{&w.fields})
	return w
}

// read makes the row's draft. It returns why the row is skipped, empty where it
// is not; its problems are appended to w.problems.
func (w *worker) read(ctx context.Context, row *sheet.Row, d *schema.Draft) (skipped string) {
	w.begin(row, d)
	skipped, said := w.skips(ctx)
	switch {
	case skipped != "":
		return skipped
	case row.Problem != nil:
		w.unreadable(ctx)
		return ""
	}
	before := len(w.problems)
	w.fill(ctx)
	if !said && !w.b.options.Raw {
		if why := w.held.byName(); why != nil {
			w.problems = w.problems[:before]
			w.begin(row, d)
			w.problems = append(w.problems, *why)
			w.skip(ctx)
			return why.Message
		}
	}
	w.infer()
	w.export.row()
	w.check(ctx)
	return ""
}

// skips returns why the row is skipped before its fields are read, empty where it is not. It reports whether the row
// says what it asks for: that counts more than what it says of itself.
func (w *worker) skips(ctx context.Context) (why string, said bool) {
	b, d, raw := w.b, w.draft, w.b.options.Raw
	if b.verdict >= 0 && b.verdict < len(w.row.Cells) && w.row.Cells[b.verdict].Kind != sheet.Blank && emptied(w.row, b.header) {
		d.Action = schema.Skip
		return "the row holds nothing but an earlier check's verdict", false
	}
	if w.note != nil {
		if why = w.noted(); why != "" {
			if b.times >= 0 && b.shape.Group != nil {
				w.repeated()
			}
			w.leaveOut()
			return why, false
		}
	}
	// An occurrence no longer says on which days it takes place, so that the filter
	// counts for the row that it was made of.
	if b.filter != nil && !raw && w.row.Problem == nil && !w.held.admitted() && (w.note == nil || !w.note.Admitted) {
		w.skip(ctx)
		return w.held.filteredOut(), false
	}
	if b.action != nil {
		if s := d.Next(); w.feed(ctx, b.action, s) {
			w.action(s.Text)
			said = true
		}
	}
	switch {
	case d.Action == schema.Skip && !raw:
		why = "the row says SKIP"
	case !said && w.row.Problem == nil:
		if why = w.held.back(); raw {
			why = ""
		}
	}
	if why != "" {
		w.skip(ctx)
	}
	return why, said
}

// leaveOut makes the row one that asks for nothing. Its dates are proofs like any other.
func (w *worker) leaveOut() {
	w.draft.Action = schema.Skip
	w.end = w.b.dates.leftOut(w.row)
}

// skip leaves the row out, and takes what it is known by.
func (w *worker) skip(ctx context.Context) {
	w.leaveOut()
	w.identify(ctx)
}

// fill takes what feeds the fields of the draft.
func (w *worker) fill(ctx context.Context) {
	b, d, before := w.b, w.draft, len(w.problems)
	if b.zone != nil {
		if s := d.Next(); w.feed(ctx, b.zone, s) {
			w.zone = s.Text
			d.Take()
		}
	}
	w.badZone = len(w.problems) > before
	if strings.HasPrefix(w.zone, "Etc/") {
		w.fixedZone(b.zone.column())
	}
	if b.allDay != nil {
		w.allDay = w.wholeDays()
	}
	for i := range b.list {
		f, s := &b.list[i], d.Next()
		if w.feed(ctx, f, s) {
			w.accept(f.field, s)
		}
	}
}

// infer completes the draft by what follows from its fields.
func (w *worker) infer() {
	w.ofAnother()
	w.checked = len(w.problems)
	w.placeLink()
	if w.b.times >= 0 {
		w.untyped()
	}
	if w.draft.Resource == catalog.Coupons {
		discounted(w.draft)
	}
	w.checked = len(w.problems)
	w.endOfRange(w.draft)
	w.complete()
}

// check finds what is wrong with the draft as a whole.
func (w *worker) check(ctx context.Context) {
	b, d := w.b, w.draft
	if len(b.blind) > 0 || len(w.row.Cells) > len(b.header) {
		w.unseen()
	}
	w.checked = len(w.problems)
	w.endDay(d)
	w.otherOrder(d)
	if !d.Untouched() {
		check.Row(d, &b.options.Rules, w.emit)
	}
	if w.needsZone {
		w.noZone(ctx)
	}
	if len(b.joins) > 0 || len(b.grid) > 0 {
		for i := range d.Settings {
			d.Settings[i].Column = w.placeOf(d.Settings[i].Column).Column
		}
		for i := range d.Answered {
			d.Answered[i] = w.placeOf(d.Answered[i]).Column
		}
	}
}

// begin makes a row and an empty draft of it the ones that are read.
func (w *worker) begin(row *sheet.Row, d *schema.Draft) {
	b := w.b
	w.row, w.draft, w.zone, w.badZone, w.midnights, w.end = row, d, "", false, w.midnights[:0], nil
	w.started.HasDate, w.until.HasDate, w.firstDay.HasDate = false, false, false
	w.needsZone, w.lacking, w.unread, w.unknown = false, "", w.unread[:0], false
	w.formulas.Begin()
	d.Reset(b.options.Resource, schema.Place{File: b.file, Sheet: b.sheet, Row: row.Number, Line: row.Line, Column: -1})
	d.Action = b.options.action
}

// identify takes what a row that asks for nothing is known by. What is wrong with it keeps
// nobody from anything.
func (w *worker) identify(ctx context.Context) {
	before := len(w.problems)
	if zone := w.b.zone; zone != nil {
		if s := w.draft.Next(); w.feed(ctx, zone, s) {
			w.zone = s.Text
			w.draft.Take()
		}
	}
	for i := range w.b.list {
		f := &w.b.list[i]
		id := f.field.ID
		if r := w.draft.Resource; !r.Keyed() && (f.field.Path == r.Parent || f.field.Path == r.Named) {
			id = schema.FieldKey // as a key does, it says what the row is about
		}
		switch id {
		case schema.FieldCalendarID, schema.FieldKey, catalog.FieldEventID, catalog.FieldSlug, catalog.FieldName, catalog.FieldStartAt:
			if s := w.draft.Next(); w.feed(ctx, f, s) {
				w.accept(f.field, s)
			}
		}
	}
	several := w.b.shape.Group != nil || w.b.shape.Unroll != nil // a row may stand for events that nothing makes of it
	w.unknown = len(w.problems) > before || several
	w.problems, w.midnights = w.problems[:before], w.midnights[:0]
}

// unreadable reports why the row cannot be read, and takes what it is known by.
func (w *worker) unreadable(ctx context.Context) {
	p := *w.row.Problem
	if c := p.Place.Column; c >= 0 && c < w.b.width {
		p.Place.Header = w.b.header[c]
	}
	w.problems = append(w.problems, p)
	for i := range w.b.list {
		f := &w.b.list[i]
		if f.field.ID != schema.FieldKey && f.field.ID != catalog.FieldName {
			continue
		}
		if s := w.draft.Next(); w.feed(ctx, f, s) {
			w.accept(f.field, s)
		}
	}
	w.checked = len(w.problems)
}

// accept takes the draft's next setting, or what it says of the row.
func (w *worker) accept(field *schema.Field, s *schema.Setting) {
	switch field.ID {
	case schema.FieldCalendarID:
		w.draft.Calendar = s.Text
	case schema.FieldKey:
		w.draft.Key = s.Text
	case schema.FieldAction:
		w.action(s.Text)
	default:
		if field.Kind == schema.Zone { // of an expression
			w.zone = s.Text
		}
		w.draft.Take()
	}
}

// action takes the row's verb, which has to fit the operation that was asked for.
func (w *worker) action(verb string) {
	action, fault := value.ParseAction(verb, w.b.options.Resource.Verbs())
	asked := w.b.options.Operation
	switch {
	case fault != nil:
		column := w.b.byID[schema.FieldAction].column()
		if cell := strings.TrimSpace(w.cell(column)); cell != "" {
			_, fault = value.ParseAction(cell, w.b.options.Resource.Verbs())
		}
		w.fault(catalog.Field(schema.FieldAction), column, verb, fault)
		return
	case asked == schema.OnCreate && action != schema.Create && action != schema.Upsert && action != schema.Skip,
		asked == schema.OnUpdate && action == schema.Create:
		w.fault(catalog.Field(schema.FieldAction), w.b.byID[schema.FieldAction].column(), verb, &schema.Fault{
			Code: schema.CodeWrongOperation, Message: "the row says " + verb + ", and only " + asked.String() + " is asked for",
			Hint: "say --operation upsert",
		})
		return
	case action == schema.Upsert:
		return // the operation asked for is as much as that, or stricter
	}
	w.draft.Action = action
}

// complete fills what follows from elsewhere: the zone of an event that has none and
// may be created, and the event id of a results file.
func (w *worker) complete() {
	d, b := w.draft, w.b
	// A row of a results file asks for what it asked for when it had no id: the zone
	// comes before the id, lest the same row looks like a change.
	zone := cmp.Or(w.zone, b.options.zone)
	if zone != "" && d.Resource.Timed() && !w.badZone && !d.Has(catalog.FieldTimezone) && !d.Has(catalog.FieldEventID) &&
		(d.Action == schema.Create || d.Action == schema.Upsert) {
		d.Put(schema.Setting{Field: catalog.FieldTimezone, State: schema.Set, Column: -1, Text: zone})
	}
	if b.resultID >= 0 && b.resultID < len(w.row.Cells) && d.Resource.Keyed() && !d.Has(catalog.FieldEventID) {
		if cell := &w.row.Cells[b.resultID]; cell.Kind != sheet.Blank {
			var s schema.Setting
			s.Column = b.resultID
			if fault := value.Parse(catalog.Field(catalog.FieldEventID), &s, cell.Text); fault == nil {
				d.Put(s)
			}
		}
	}
}
