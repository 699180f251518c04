package mapping

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// commonParent is the event that a flag names for all rows, in the place of columns that say it of each.
type commonParent struct {
	field   *schema.Field
	text    string
	columns []int
	join    string
	named   map[string]bool // what the columns say
}

// several notes the columns that name the event of each row, where a flag says it of all.
func (x *binder) several(a *assignment) {
	if x.resource().Parent == "" || a.field.Path != x.resource().Parent {
		return
	}
	for _, g := range x.given {
		columns := g.columns
		if g.program != nil {
			columns = g.program.Columns()
		}
		inSheet := !slices.ContainsFunc(columns, func(column int) bool { return column < 0 || column >= x.b.width })
		if g.field == a.field && len(columns) > 0 && inSheet {
			x.b.said = &commonParent{field: a.field, text: a.text, columns: columns, join: g.join, named: map[string]bool{}}
		}
	}
}

// ofSeveral reads a sheet ahead for the events that its rows name, where a flag says one for all. It reports whether
// the line still moves.
func (f *sheetFeeder) ofSeveral(ctx context.Context) bool {
	if f.b.said == nil {
		return true
	}
	_, ok := f.ahead(ctx, func(row *sheet.Row) {
		if name := f.b.said.of(row); name != "" && f.r.options.admits(f.b.sheet, row.Number) {
			f.b.said.named[strings.Clone(name)] = true
		}
	})
	return ok
}

// of returns what a row calls its event.
func (s *commonParent) of(row *sheet.Row) string {
	var texts []string
	for _, column := range s.columns {
		if column >= len(row.Cells) {
			continue
		}
		if text := strings.TrimSpace(row.Cells[column].Text); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, s.join)
}

// ofAnother refuses a row of a list of several events that names another than the one which a flag says of all.
func (w *faults) ofAnother() {
	said := w.b.said
	if said == nil || len(said.named) < 2 {
		return
	}
	if name := said.of(w.row); name != "" && !strings.EqualFold(name, said.text) {
		column := said.columns[0]
		w.fault(said.field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeExclusiveFields,
			Message: fmt.Sprintf("%s is one of %d events that the list names, and --set %s says one for all",
				quoted(name), len(said.named), said.field.Path),
			Hint: "leave --set " + said.field.Path + " out, so that each row goes to the event that it names; or choose the rows of one " +
				"with --rows, or in a file of their own",
		})
	}
}
