package template

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Form is the form for an operation: every field that the operation takes, and
// the columns that steer this tool. It follows from the table of fields.
func Form(op schema.Actions) sheet.Form {
	fields := Fields(op)
	form := sheet.Form{Sheet: "Events", Page: page(op, fields), Frozen: 2}
	for _, f := range fields {
		form.Columns = append(form.Columns, column(f, op))
	}
	for _, example := range examples {
		row := make([]sheet.Out, len(fields))
		for i, f := range fields {
			row[i] = example[f.ID]
		}
		form.Examples = append(form.Examples, row)
	}
	return form
}

// first are the columns that most events need, in the order in which a person
// thinks of them. The others follow in the order of the table of fields.
var first = []schema.ID{
	schema.FieldKey, schema.FieldName, schema.FieldStartAt, schema.FieldEndAt, schema.FieldTimezone, schema.FieldAddress,
	schema.FieldMeetingURL, schema.FieldDescriptionMD, schema.FieldVisibility, schema.FieldMaxCapacity, schema.FieldAction,
}

// Fields lists the fields of an operation's form, in the order of its columns. A
// field that is deprecated has its successor there.
func Fields(op schema.Actions) []*schema.Field {
	var head, rest []*schema.Field
	for _, f := range schema.Events.Columns() {
		switch {
		case f.Deprecated || !f.Local && f.On&op == 0:
		case f.ID == schema.FieldEventID && op == schema.OnUpdate:
			head = append(head, f)
		case !slices.Contains(first, f.ID):
			rest = append(rest, f)
		}
	}
	for _, id := range first {
		if f := id.Field(); f.Local || f.On&op != 0 {
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

func column(f *schema.Field, op schema.Actions) sheet.FormColumn {
	c := sheet.FormColumn{
		Header: f.Path, Note: note(f, op), Kind: kind(f), Choices: choices(f, op), Free: f.Kind == schema.Zone, Width: width(f),
	}
	switch {
	case required(f, op):
		c.Weight = sheet.Required
	case !slices.Contains(first, f.ID) && f.ID != schema.FieldEventID || f.ID == schema.FieldEventID && op != schema.OnUpdate:
		c.Weight = sheet.Rare
	}
	return c
}

func kind(f *schema.Field) sheet.FormKind {
	switch f.Kind {
	case schema.Timestamp:
		return sheet.FormMoment
	case schema.Integer:
		return sheet.FormWhole
	case schema.Markdown:
		return sheet.FormLong
	case schema.Bool, schema.Number:
		return sheet.FormFree
	}
	return sheet.FormText
}

// choices are what the cells of a field offer.
func choices(f *schema.Field, op schema.Actions) []string {
	var values []string
	switch f.Kind {
	case schema.Bool:
		values = []string{"true", "false"}
	case schema.Zone:
		values = schema.ZoneNames
	case schema.Verb:
		for _, name := range schema.Events.Verbs() {
			action, _ := schema.ParseAction(name, f.Values)
			switch {
			case op == schema.OnCreate && (action == schema.Update || action == schema.Cancel), op == schema.OnUpdate &&
				action == schema.Create:
			default:
				values = append(values, name)
			}
		}
	default:
		values = f.Values
	}
	if len(values) > 0 && f.Nullable {
		values = append(slices.Clone(values), "<clear>")
	}
	return values
}

// width is room for a usual value and for the header.
func width(f *schema.Field) float64 {
	room := map[schema.Kind]float64{
		schema.Text: 34, schema.Markdown: 44, schema.Timestamp: 18, schema.URL: 34, schema.Zone: 24, schema.Object: 30, schema.Array: 30,
		schema.Verb: 12, schema.Identifier: 16,
	}[f.Kind]
	return max(room, float64(len(f.Path))*1.15+4)
}

// note explains a field in a few lines.
func note(f *schema.Field, op schema.Actions) string {
	lines := []string{sentence(f.Doc)}
	say := func(word, text string) {
		if text != "" {
			lines = append(lines, word+text)
		}
	}
	switch {
	case f.ID == schema.FieldEventID:
	case required(f, op) && op == schema.OnBoth:
		lines = append(lines, "Required for a new event.")
	case required(f, op):
		lines = append(lines, "Required.")
	}
	say("Rule: ", f.Rule)
	if n := len(f.Values); n > 0 && n <= 5 {
		say("One of: ", strings.Join(choices(f, op), ", "))
	} else if n > 5 || f.Kind == schema.Zone {
		lines = append(lines, "Pick one from the list.")
	}
	say("If blank: ", blankMeans(f, op))
	say("Example: ", f.Example)
	if f.Kind == schema.Timestamp {
		lines = append(lines, "A date cell such as 2027-05-12 18:30 is read in the row's timezone.")
	}
	if f.Nullable {
		lines = append(lines, "<clear> takes away what is set.")
	}
	if f.Empty {
		lines = append(lines, "<empty> makes the text empty.")
	}
	return strings.Join(lines, "\n")
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
