package mapping

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// byFile takes the columns that a mapping file names.
func (x *binder) byFile(f *mapfile.File) {
	if len(f.Key) > 0 && !x.keyless(f) {
		if columns, ok := x.find(f.Key, "key"); ok && len(columns) == len(f.Key) {
			if len(x.b.grid) > 0 && !slices.ContainsFunc(columns, x.b.ofGrid) {
				columns = append(columns, x.b.width)
			}
			x.give(feed{field: catalog.Field(schema.FieldKey), columns: columns, join: "|"})
		}
	}
	switch {
	case f.Calendar.Column != "":
		if columns, ok := x.find(mapfile.Names{f.Calendar.Column}, "calendar.column"); ok && len(columns) > 0 {
			x.give(feed{field: catalog.Field(schema.FieldCalendarID), columns: columns})
		}
	case f.Calendar.Value != "":
		x.give(feed{field: catalog.Field(schema.FieldCalendarID), constant: &f.Calendar.Value})
	}
	if f.Timezone.Column != "" && x.resource().Zone() != nil {
		if columns, ok := x.find(mapfile.Names{f.Timezone.Column}, "timezone.column"); ok && len(columns) > 0 {
			x.give(feed{field: x.resource().Zone(), columns: columns})
		}
	}
	for _, item := range f.Columns {
		x.column(item.Key, item.Value)
	}
	rowBinder{x}.days(f)
	rowBinder{x}.shape(f)
	for _, month := range f.Months() {
		x.findOne(month, "fill")
	}
	if f.Filter != "" {
		p, err := x.compile(f.Filter, true)
		if err != nil {
			x.fail(schema.Error, schema.CodeBadExpression, -1, "", "filter: "+err.Error(), "")
			return
		}
		x.b.filter = p
		x.reads(p)
	}
}

// keyless reports whether the key of a mapping is that of the events beside the sheet, whose own
// rows are known by what they are.
func (x *binder) keyless(f *mapfile.File) bool {
	return f.Resource == "" && x.resource().Named != "" &&
		!slices.ContainsFunc(f.Key, func(name string) bool { return sheet.FindColumn(x.names, name) >= 0 })
}

func (x *binder) column(path string, c mapfile.Column) {
	named, ok := x.resource().ByPath(path)
	if !ok {
		hint := spelling.DidYouMean(path, mapfile.Targets(x.resource()))
		x.fail(schema.Error, schema.CodeBadMapping, -1, path, "no field "+quoted(path), hint)
		return
	}
	field := mapfile.Target(named, c.As)
	if field == nil {
		return
	}
	g := feed{field: field, join: " ", fallback: c.Default, html: c.HTML, span: spanOf(c.Range)}
	if c.Join != nil {
		g.join = *c.Join
	}
	switch {
	case c.Value != nil:
		text := constantText(c.Value)
		g.constant = &text
	case c.Expr != "":
		p, err := x.compile(c.Expr, false)
		if err != nil {
			x.fail(schema.Error, schema.CodeBadExpression, -1, path, "expression of "+path+": "+err.Error(), "")
			return
		}
		g.program = p
		x.reads(p)
	default:
		if g.columns, ok = x.find(c.From, path); !ok {
			return
		}
		switch {
		case len(g.columns) == 0 && g.fallback == "":
			return // the file may lack the columns, and does
		case len(g.columns) == 0:
			text := g.fallback
			g.constant, g.fallback = &text, ""
		case field.ID == catalog.FieldEndAt && len(c.From) == 2 && len(g.columns) == 1 && sheet.FindColumn(x.names, c.From[0]) < 0:
			x.borrow(&g)
		}
	}
	g.values = mapfile.NewWords(c.Values)
	x.give(g)
	if named.Deprecated {
		x.deprecated(g.column(), named, field)
	}
}

func constantText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // a YAML value is always JSON
	}
	return string(b)
}

// borrow lets an end without a column for its date have the start's.
func (x *binder) borrow(g *feed) {
	start, ok := x.b.options.mapping.Columns.Get(catalog.Path(catalog.FieldStartAt))
	if !ok || len(start.From) == 0 {
		return
	}
	if date := sheet.FindColumn(x.names, start.From[0]); date >= 0 {
		g.columns, g.borrowed = []int{date, g.columns[0]}, true
	}
}

// readings gives the feeds what the mapping says of their cells.
func (x *binder) readings() {
	if x.b.options.mapping == nil {
		return
	}
	for _, item := range x.b.options.mapping.Reads {
		named, _ := x.resource().ByPath(item.Key)
		if named == nil {
			continue // of another resource than this sheet's
		}
		for i := range x.given {
			if g := &x.given[i]; g.field.Path == named.Canonical().Path {
				g.reads = reads.New(item.Value, x.b.orderOf)
			}
		}
	}
}
