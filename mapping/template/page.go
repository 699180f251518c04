package template

import (
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// page explains the template on a sheet of its own.
func page(r *schema.Resource, op schema.Actions, fields []*schema.Field) instructions {
	p := instructions{widths: []float64{34, 14, 58, 46, 40}}
	add := func(look look, cells ...string) {
		p.lines = append(p.lines, line{look, cells})
	}
	add(lookTitle, map[schema.Actions]string{
		schema.OnCreate: "New " + r.Name, schema.OnUpdate: "Changes to " + r.Name, schema.OnBoth: r.Title() + ": new ones and changes",
	}[op])
	add(lookText, "One row is one "+r.One+". Fill in the sheet "+r.Title()+", save the file, and try it before anything is sent:")
	add(lookText, "    eventbatch check FILE            what is wrong, cell by cell; nothing is sent")
	add(lookText, "    eventbatch import FILE           shows what is going to happen, then asks")

	add(lookHeading, "How to fill it in")
	for i, step := range steps(r, op) {
		add(lookText, strconv.Itoa(i+1)+".  "+catalog.Titled(step))
	}

	add(lookHeading, "Colours of the header")
	if op == schema.OnUpdate {
		add(
			lookKey, "required", "",
			"The row needs it to find its event. Where Key or Slug is filled in and known, Event id may stay blank.",
		)
	} else {
		add(lookKey, "required", "", "A new "+r.One+" cannot do without it.")
	}
	add(lookRow, "usual", "", "Most rows have it. A blank cell leaves the matter as it is.")
	add(lookRare, "rarer", "", "Folded away: press the + above the column letters to see these columns, or 2 at the left.")

	add(lookHeading, "What a cell can say beside a value")
	add(
		lookRow, "(blank)", "",
		"The field is left alone: a new "+r.One+" gets the service's default, one that exists keeps what it has.",
	)
	add(lookRow, "<clear>", "", "Takes away what is set. Only where the note of the column says so.")
	add(lookRow, "<empty>", "", "Makes a text empty. Only where the note of the column says so.")

	add(lookHeading, "What a row can ask for (column Action)")
	for _, word := range choices(r, catalog.Field(schema.FieldAction), op) {
		add(lookRow, word, "", verbs(r)[word])
	}

	add(lookHeading, "The columns")
	add(lookTable, "Column", "Required", "What it is", "Rule", "Example")
	for _, f := range fields {
		look, need := lookRow, ""
		if required(f, op) {
			look, need = lookKey, "yes"
			if op == schema.OnBoth {
				need = "new " + r.Name
			}
		}
		add(look, f.Title(), need, sentence(catalog.Titled(f.Doc)), rule(r, f), exampleOf(f))
	}
	return p
}

// verbs explains the words of the action column.
func verbs(r *schema.Resource) map[string]string {
	by := catalog.Field(schema.FieldKey).Title()
	if name := nameOf(r); name != "" {
		by = name
	}
	return map[string]string{
		"UPSERT": "Changes the " + r.One + " that the row's " + by +
			" stands for; where there is none yet, creates it. This holds where the cell is blank.",
		"CREATE": "Creates " + r.Some() + ". An error where the " + by + " stands for one already.",
		"UPDATE": "Changes " + r.Some() + ". An error where the " + by + " stands for none.",
		"CANCEL": "Cancels the " + r.One + ". Every guest is told, and it cannot be taken back.",
		"DELETE": "Removes the " + r.One + ".",
		"SKIP":   "Leaves the row out, as with the examples.",
	}
}

// nameOf returns the titles of what names a record, empty for events.
func nameOf(r *schema.Resource) string {
	f, named := r.ByPath(r.Named)
	if !named {
		return ""
	}
	if other, ok := r.ByPath(r.Or); ok {
		return f.Title() + " or " + other.Title()
	}
	return f.Title()
}

func steps(r *schema.Resource, op schema.Actions) []string {
	all := []string{
		"The rows below the header are examples. They say SKIP in the column Action and are left out: overwrite or delete them, or " +
			"let them stand.",
		"Point at a header to read what its column is for. Cells with a list show it when they are selected.",
		"Write dates with their time, such as 2027-05-12 18:30. They are read in the zone of the column timezone.",
	}
	if !r.Keyed() {
		return append(all, "Columns may be moved or deleted, and columns of your own may be added.")
	}
	if op == schema.OnUpdate {
		return append(
			all,
			"Say which event a row is about: its Event id, or the Key or Slug that it was imported with. Fill in just what is to change.",
		)
	}
	return append(all,
		"Give each row a key that stays the same for good, such as spring-017. Importing the file again then changes the same event and "+
			"never makes a second one.",
		"Columns may be moved or deleted, and columns of your own may be added. The names in the header have to stay as they are.",
	)
}

// rule returns a field's rule in words, with the values that it may have.
func rule(r *schema.Resource, f *schema.Field) string {
	var parts []string
	if f.Rule != "" {
		parts = append(parts, spoken(f.Rule))
	}
	if n := len(values(r, f)); n > 0 && n <= 8 {
		parts = append(parts, strings.Join(values(r, f), ", "))
	} else if n > 0 {
		parts = append(parts, "one of the list of "+strconv.Itoa(n))
	}
	if f.Kind == schema.Bool {
		parts = append(parts, "true or false")
	}
	if f.Default != "" {
		parts = append(parts, "if blank: "+catalog.Titled(f.Default))
	}
	return strings.Join(parts, "; ")
}
