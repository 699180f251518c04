package template

import (
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// page explains the template on a sheet of its own.
func page(op schema.Actions, fields []*schema.Field) instructions {
	p := instructions{widths: []float64{34, 14, 58, 46, 40}}
	add := func(look look, cells ...string) {
		p.lines = append(p.lines, line{look, cells})
	}
	add(lookTitle, map[schema.Actions]string{
		schema.OnCreate: "New events", schema.OnUpdate: "Changes to events", schema.OnBoth: "Events: new ones and changes",
	}[op])
	add(lookText, "One row is one event. Fill in the sheet Events, save the file, and try it before anything is sent:")
	add(lookText, "    eventbatch check FILE            what is wrong, cell by cell; nothing is sent")
	add(lookText, "    eventbatch import FILE           shows what is going to happen, then asks")

	add(lookHeading, "How to fill it in")
	for i, step := range steps(op) {
		add(lookText, strconv.Itoa(i+1)+".  "+step)
	}

	add(lookHeading, "Colours of the header")
	if op == schema.OnUpdate {
		add(
			lookKey, "required", "",
			"The row needs it to find its event. Where key or slug is filled in and known, event_id may stay blank.",
		)
	} else {
		add(lookKey, "required", "", "A new event cannot do without it.")
	}
	add(lookRow, "usual", "", "Most events have it. A blank cell leaves the matter as it is.")
	add(lookRare, "rarer", "", "Folded away: press the + above the column letters to see these columns, or 2 at the left.")

	add(lookHeading, "What a cell can say beside a value")
	add(
		lookRow, "(blank)", "",
		"The field is left alone: a new event gets the service's default, an event that exists keeps what it has.",
	)
	add(lookRow, "<clear>", "", "Takes away what is set. Only where the note of the column says so.")
	add(lookRow, "<empty>", "", "Makes a text empty. Only where the note of the column says so.")

	add(lookHeading, "What a row can ask for (column action)")
	for _, word := range choices(schema.FieldAction.Field(), op) {
		add(lookRow, word, "", verbs[word])
	}

	add(lookHeading, "The columns")
	add(lookTable, "Column", "Required", "What it is", "Rule", "Example")
	for _, f := range fields {
		look, need := lookRow, ""
		if required(f, op) {
			look, need = lookKey, "yes"
			if op == schema.OnBoth {
				need = "new events"
			}
		}
		add(look, f.Path, need, sentence(f.Doc), rule(f), f.Example)
	}
	return p
}

// verbs explains the words of the action column.
var verbs = map[string]string{
	"UPSERT": "Changes the event that the row's key stands for; where there is none yet, creates it. This holds where the cell is blank.",
	"CREATE": "Creates an event. An error where the key stands for one already.",
	"UPDATE": "Changes an event. An error where the key stands for none.",
	"CANCEL": "Cancels the event. Every guest is told, and it cannot be taken back.",
	"SKIP":   "Leaves the row out, as with the two examples.",
}

func steps(op schema.Actions) []string {
	all := []string{
		"Rows 2 and 3 are examples. They say SKIP in the column action and are left out: overwrite them, delete them, or let them stand.",
		"Point at a header to read what its column is for. Cells with a list show it when they are selected.",
		"Write dates with their time, such as 2027-05-12 18:30. They are read in the zone of the column timezone.",
	}
	if op == schema.OnUpdate {
		return append(
			all,
			"Say which event a row is about: its event_id, or the key or slug that it was imported with. Fill in just what is to change.",
		)
	}
	return append(all,
		"Give each row a key that stays the same for good, such as spring-017. Importing the file again then changes the same event and "+
			"never makes a second one.",
		"Columns may be moved or deleted, and columns of your own may be added. The names in the header have to stay as they are.",
	)
}

// rule gives a field's rule in words, with the values that it may have.
func rule(f *schema.Field) string {
	var parts []string
	if f.Rule != "" {
		parts = append(parts, f.Rule)
	}
	if n := len(values(f)); n > 0 && n <= 8 {
		parts = append(parts, strings.Join(values(f), ", "))
	} else if n > 0 {
		parts = append(parts, "one of the list of "+strconv.Itoa(n))
	}
	if f.Kind == schema.Bool {
		parts = append(parts, "true or false")
	}
	if f.Default != "" {
		parts = append(parts, "if blank: "+f.Default)
	}
	return strings.Join(parts, "; ")
}
