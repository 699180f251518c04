package template

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Season returns the template of a whole season: a sheet for each resource, of which those of
// what belongs to events offer the keys of the sheet of events.
func Season() *Template {
	t := For(catalog.Events, schema.OnBoth)
	resources := seasonal()
	keys := filledCells(t.sheet, slices.IndexFunc(t.Columns, func(c Column) bool { return c.path == catalog.Path(schema.FieldKey) }))
	for _, r := range resources[1:] {
		each := For(r, schema.OnBoth)
		for i := range each.Columns {
			if c := &each.Columns[i]; c.path == r.Parent {
				c.free, c.offered = true, keys
				each.Examples[0][i] = text("example-1")
			}
		}
		t.behind = append(t.behind, each)
	}
	t.instructions = seasonPage(resources)
	return t
}

// filledCells returns the formula of the cells of a column that have been filled in.
func filledCells(sheet string, column int) string {
	letter := schema.ColumnName(column)
	from := sheet + "!$" + letter + "$2"
	return "OFFSET(" + from + ",0,0,MAX(1,COUNTA(" + from + ":$" + letter + "$" + strconv.Itoa(checkedRows+1) + ")),1)"
}

// seasonal lists the resources as a person fills them in: events, what belongs to them, the rest.
func seasonal() []*schema.Resource {
	place := func(r *schema.Resource) int {
		switch {
		case r.Keyed():
			return 0
		case r.Parent != "":
			return 1
		}
		return 2
	}
	list := slices.Clone(catalog.Resources)
	slices.SortStableFunc(list, func(a, b *schema.Resource) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// Size returns the numbers of columns and of example rows, of all sheets.
func (t *Template) Size() (columns, examples int) {
	columns, examples = len(t.Columns), len(t.Examples)
	for _, each := range t.behind {
		c, e := each.Size()
		columns, examples = columns+c, examples+e
	}
	return columns, examples
}

// seasonPage explains the season. What a column is for stands in the note of its header.
func seasonPage(resources []*schema.Resource) instructions {
	p := instructions{widths: []float64{22, 46, 34, 46}}
	add := func(look look, cells ...string) { p.lines = append(p.lines, line{look, cells}) }
	add(lookTitle, "A season: events, and all that belongs to them")
	add(lookText, "One row is one event, one guest and so on. Fill in the sheets that you need, save the file, and try it before "+
		"anything is sent:")
	add(lookText, "    eventbatch check FILE            what is wrong, cell by cell; nothing is sent")
	add(lookText, "    eventbatch import FILE           shows what is going to happen, then asks")

	add(lookHeading, "The sheets")
	add(lookTable, "Sheet", "Its rows are", "Known by", "What they can ask for")
	for _, r := range resources {
		named := "Key, Event id or Slug"
		if name := nameOf(r); name != "" {
			named = name
			if parent, ok := r.ByPath(r.Parent); ok {
				named = parent.Title() + " and " + named
			}
		}
		add(lookRow, r.Title(), sentence(r.Doc), named, strings.Join(r.Verbs(), ", "))
	}

	add(lookHeading, "How to fill it in")
	for i, step := range []string{
		"Sheets that you do not need may stay as they are, or be deleted. Their names, and those in the headers, have to stay.",
		"The rows below the headers are examples. They say SKIP in the column Action and are left out: overwrite or delete them, or " +
			"let them stand.",
		"Give each event a key that stays the same for good, such as spring-017. The column Event of the other sheets offers these " +
			"keys; the id or the slug of an event that exists can stand there too.",
		"Point at a header to read what its column is for. Orange ones are required; a blank cell leaves its field alone.",
		"The rarer columns of the sheet Events are folded away: press the + above the column letters, or 2 at the left.",
		"Write dates with their time, such as 2027-05-12 18:30. They are read in the zone of the column Time zone.",
	} {
		add(lookText, strconv.Itoa(i+1)+".  "+step)
	}
	return p
}
