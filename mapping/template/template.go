package template

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// OfSeason is the name of the template that has a sheet for each resource.
const OfSeason = "season"

// Names are what templates are called: after what their rows do to events, or after their resource.
func Names() []string {
	return append([]string{"create", "update", "upsert", OfSeason}, catalog.ResourceNames()...)
}

// Named returns the template of a name.
func Named(name string) *Template {
	if name == OfSeason {
		return Season()
	}
	resource, _ := catalog.ResourceNamed(name)
	op, ok := schema.ParseActions(name)
	if !ok {
		op = schema.OnBoth
	}
	return For(resource, op)
}

// For returns the template of a resource's rows for the actions: every field that their
// operations take, and the columns that steer this tool. It follows from the table of fields.
func For(r *schema.Resource, op schema.Actions) *Template {
	fields := fieldsOf(r, op)
	t := &Template{sheet: r.Title(), instructions: page(r, op, fields)}
	for _, f := range fields {
		t.Columns = append(t.Columns, column(r, f, op))
	}
	if !r.Keyed() {
		t.Examples = [][]sheet.Out{example(r, fields)}
		return t
	}
	for _, example := range examples {
		row := make([]sheet.Out, len(fields))
		for i, f := range fields {
			row[i] = example[f.ID]
		}
		t.Examples = append(t.Examples, row)
	}
	return t
}

// example returns a row of each field's example, but for those that exclude others, and the id, which
// nobody makes up. The row is left out.
func example(r *schema.Resource, fields []*schema.Field) []sheet.Out {
	out := map[schema.ID]bool{schema.FieldCalendarID: true}
	if id, ok := r.ByPath(r.ID); ok {
		out[id.ID] = true
	}
	for _, f := range fields {
		if amount, ok := r.ByPath(f.Becomes); ok {
			out[amount.ID] = true
		}
	}
	for again := true; again; {
		d := schema.NewDraft(r, schema.Place{})
		for _, f := range fields {
			var s schema.Setting
			if f.ID >= catalog.FieldEventID && !out[f.ID] && f.Kind != schema.Timestamp && value.Parse(f, &s, f.Example) == nil {
				d.Put(s)
			}
		}
		again = false
		d.Conflicts(func(id schema.ID, _ *schema.Fault) { again, out[id] = true, true })
	}
	row := make([]sheet.Out, len(fields))
	for i, f := range fields {
		switch {
		case f.ID == schema.FieldAction:
			row[i] = text("SKIP")
		case !out[f.ID] && f.Kind != schema.Timestamp:
			row[i] = text(f.Example)
		}
	}
	return row
}

// first are the columns that most events need, in the order in which a person
// thinks of them. The others follow in the order of the table of fields.
var first = []schema.ID{
	schema.FieldKey, catalog.FieldName, catalog.FieldStartAt, catalog.FieldEndAt, catalog.FieldTimezone, catalog.FieldAddress,
	catalog.FieldMeetingURL, catalog.FieldDescriptionMD, catalog.FieldVisibility, catalog.FieldMaxCapacity, schema.FieldAction,
}

// fieldsOf lists the fields of an operation's template, in the order of its columns. A
// field that is deprecated has its successor there.
func fieldsOf(r *schema.Resource, op schema.Actions) []*schema.Field {
	var head, rest []*schema.Field
	if !r.Keyed() {
		for _, f := range r.Columns() {
			if f.ID >= catalog.FieldEventID && (f.Local || f.On&op != 0) && !f.Kind.JSON() {
				rest = append(rest, f)
			}
		}
		return append(rest, catalog.Field(schema.FieldCalendarID), catalog.Field(schema.FieldAction))
	}
	for _, f := range r.Columns() {
		switch {
		case f.Deprecated || !f.Local && f.On&op == 0:
		case f.ID == catalog.FieldEventID && op == schema.OnUpdate:
			head = append(head, f)
		case !slices.Contains(first, f.ID):
			rest = append(rest, f)
		}
	}
	for _, id := range first {
		if f := catalog.Field(id); f.Local || f.On&op != 0 {
			head = append(head, f)
		}
	}
	return append(head, rest...)
}

// required reports whether a row of the operation cannot do without the field.
func required(f *schema.Field, op schema.Actions) bool {
	if op == schema.OnUpdate {
		return f.Required.Has(schema.OnUpdate)
	}
	return f.Required.Has(schema.OnCreate)
}

func column(r *schema.Resource, f *schema.Field, op schema.Actions) Column {
	c := Column{
		Header: f.Title(), path: f.Path, note: note(r, f, op), kind: kind(f), width: width(f),
		choices: choices(r, f, op), free: f.Kind == schema.Zone,
	}
	switch {
	case required(f, op):
		c.weight = weightRequired
	case r.Keyed() && !slices.Contains(first, f.ID) && f.ID != catalog.FieldEventID,
		f.ID == catalog.FieldEventID && op != schema.OnUpdate:
		c.weight = weightRare
	}
	return c
}

func kind(f *schema.Field) cellKind {
	if f.Becomes != "" {
		return cellPrice
	}
	switch f.Kind {
	case schema.Timestamp:
		return cellTime
	case schema.Integer:
		return cellWhole
	case schema.Markdown:
		return cellLong
	case schema.Bool:
		return cellBool
	case schema.Number:
		return cellFree
	}
	return cellText
}

// values returns the values that a field may have.
func values(r *schema.Resource, f *schema.Field) []string {
	if f.Kind == schema.Verb {
		return r.Verbs()
	}
	return f.Values
}

// choices returns what the cells of a field offer.
func choices(r *schema.Resource, f *schema.Field, op schema.Actions) []string {
	var offered []string
	switch f.Kind {
	case schema.Bool:
		offered = []string{"true", "false"}
	case schema.Zone:
		offered = datetime.ZoneNames()
	case schema.Verb:
		for _, name := range values(r, f) {
			action, _ := value.ParseAction(name, f.Values)
			switch {
			case op == schema.OnCreate && (action == schema.Update || action == schema.Cancel), op == schema.OnUpdate &&
				action == schema.Create:
			default:
				offered = append(offered, name)
			}
		}
	case schema.List: // a cell may have several
	default:
		offered = f.Values
	}
	if len(offered) > 0 && f.Nullable {
		offered = append(slices.Clone(offered), "<clear>")
	}
	return offered
}

// width returns room for a usual value and for the header.
func width(f *schema.Field) float64 {
	room := map[schema.Kind]float64{
		schema.Text: 34, schema.Markdown: 44, schema.Timestamp: 18, schema.URL: 34, schema.Zone: 24, schema.Object: 30, schema.Array: 30,
		schema.Verb: 12, schema.Identifier: 24, schema.Email: 30, schema.Slug: 26,
	}[f.Kind]
	return max(room, float64(len(f.Title()))*1.15+4)
}

// note explains a field in a few lines.
func note(r *schema.Resource, f *schema.Field, op schema.Actions) string {
	lines := []string{sentence(catalog.Titled(f.Doc))}
	say := func(word, text string) {
		if text != "" {
			lines = append(lines, word+text)
		}
	}
	switch {
	case f.ID == catalog.FieldEventID:
	case required(f, op) && op == schema.OnBoth:
		lines = append(lines, "Required for a new "+r.One+".")
	case required(f, op):
		lines = append(lines, "Required.")
	}
	say("Rule: ", spoken(f.Rule))
	if n := len(values(r, f)); n > 0 && n <= 5 {
		say("One of: ", strings.Join(choices(r, f, op), ", "))
	} else if n > 5 || f.Kind == schema.Zone {
		lines = append(lines, "Pick one from the list.")
	}
	say("If blank: ", catalog.Titled(blankMeans(f, op)))
	say("Example: ", exampleOf(f))
	if f.Nullable {
		lines = append(lines, "<clear> takes away what is set.")
	}
	if f.Empty {
		lines = append(lines, "<empty> makes the text empty.")
	}
	say("Field: ", f.Path)
	return strings.Join(lines, "\n")
}

// spoken returns a field's rule as people say it who fill in a workbook: they write local times.
func spoken(rule string) string {
	return catalog.Titled(strings.TrimPrefix(rule, "ISO 8601 with an offset; "))
}

// exampleOf returns what people write into a cell of the field.
func exampleOf(f *schema.Field) string {
	if f.Kind == schema.Timestamp {
		return "2027-05-12 18:30"
	}
	return f.Example
}

func blankMeans(f *schema.Field, op schema.Actions) string {
	if f.Local {
		return f.Default
	}
	if op == schema.OnUpdate {
		return ""
	}
	return f.Default
}

// sentence makes one of a field's words.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}
