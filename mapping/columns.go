package mapping

import (
	"slices"
	"strings"

	"eventbatch/mapping/formula"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// layout gives the columns the names that the mapping has for them, and room to
// those of joined tables that it reads behind those of the file.
func (x *binder) layout(f *mapfile.File) {
	b := x.b
	x.names = b.header
	if len(f.Aliases) > 0 {
		x.names = slices.Clone(b.header)
		for _, item := range f.Aliases {
			if sheet.FindColumn(b.header, item.Key) >= 0 {
				continue
			}
			for _, other := range item.Value {
				if i := sheet.FindColumn(b.header, other); i >= 0 {
					x.names[i] = item.Key
					break
				}
			}
		}
	}
	for i := range f.Joins {
		x.join(f, i)
	}
	x.used = make([]bool, len(b.header))
}

// join makes room for what the mapping reads of a second table.
func (x *binder) join(f *mapfile.File, i int) {
	table := f.Joins[i]
	j := joined{name: table.Key, first: len(x.b.header)}
	for _, name := range f.Reads() {
		column, ok := strings.CutPrefix(name, table.Key+".")
		if !ok || sheet.FindColumn(x.names, name) >= 0 {
			continue
		}
		j.columns = append(j.columns, column)
		x.names = append(slices.Clip(x.names), name)
		x.b.header = append(slices.Clip(x.b.header), name)
	}
	if len(j.columns) == 0 {
		return
	}
	at := "joins." + table.Key + ".on"
	if on, ok := x.find(mapfile.Names{table.Value.On}, at); ok && len(on) > 0 {
		j.on = on[0]
		x.b.joins = append(x.b.joins, j)
	} else if ok { // the column is one that a file may lack: the table's are blank
		x.b.joins = append(x.b.joins, joined{name: table.Key, first: j.first, columns: j.columns, on: -1})
	}
}

// joined is the columns of a second table among those of a binding.
type joined struct {
	name    string
	first   int // column
	columns []string
	on      int // column that rows are looked up by; -1 where the file has none
}

// find returns the columns of headers that a mapping names, without those that the file
// may lack.
func (x *binder) find(names mapfile.Names, path string) ([]int, bool) {
	columns := make([]int, 0, len(names))
	for _, name := range names {
		i := sheet.FindColumn(x.names, name)
		if i < 0 {
			if x.b.options.mapping.May(name) {
				continue
			}
			hint := spelling.DidYouMean(name, x.names[:x.b.width])
			if preset, ok := mapfile.MatchPreset(x.b.header[:x.b.width]); ok && preset != x.b.options.mapping.Preset() {
				hint = "the columns are those of the preset " + preset + ": say --mapping " + preset
			}
			x.fail(
				schema.Error, schema.CodeMissingColumn, -1, path,
				"the mapping reads "+quoted(name)+" for "+path+", and there is no such column", hint,
			)
			return nil, false
		}
		if again := slices.IndexFunc(x.b.header[i+1:], func(h string) bool { return h == x.b.header[i] }); again >= 0 {
			x.fail(
				schema.Error, schema.CodeDuplicateHeader, i+1+again, path,
				"the header "+quoted(x.b.header[i])+" stands in columns "+schema.ColumnName(i)+" and "+schema.ColumnName(i+1+again),
				"rename one of them",
			)
			return nil, false
		}
		columns = append(columns, i)
	}
	return columns, true
}

// findOne returns the column of a header; -1 where the file may lack it and does.
func (x *binder) findOne(name, path string) (int, bool) {
	if name == "" {
		return -1, true
	}
	columns, ok := x.find(mapfile.Names{name}, path)
	if !ok || len(columns) == 0 {
		return -1, ok
	}
	x.used[columns[0]] = true
	return columns[0], true
}

// compile binds an expression to the columns. One that a file may lack is blank.
func (x *binder) compile(text string, truth bool) (*formula.Program, error) {
	c := formula.Config{Headers: x.names, Truth: truth}
	if f := x.b.options.mapping; f != nil && len(f.Optional) > 0 {
		c.May = f.May
	}
	return formula.Compile(text, c)
}

// clash returns the problem of two columns that feed one field. What else names the field
// is left alone: it may be what was meant.
func (x *binder) clash(c match.Clash) {
	first, second := x.b.header[c.First], x.b.header[c.Second]
	code := schema.CodeDuplicateField
	message := quoted(first) + " in column " + schema.ColumnName(c.First) + " and " + quoted(second) + " in column " +
		schema.ColumnName(c.Second) + " both feed " + c.Field.Path
	if first == second {
		code = schema.CodeDuplicateHeader
		message = "the header " + quoted(first) + " stands in columns " + schema.ColumnName(c.First) + " and " + schema.ColumnName(c.Second)
	}
	x.fail(schema.Error, code, c.Second, c.Field.Path, message, "rename one of them, or say in a mapping file which one it is")
	for i, h := range x.b.header {
		if field, ok := match.Field(x.resource(), h); ok && field.Canonical() == c.Field {
			x.used[i] = true
		}
	}
}

// physical returns the column of the file that stands for one of a binding: that of the
// text by which a table's row was found. Those of no header lie behind all others.
func (b *binding) physical(column int) int {
	extra := len(b.header) - b.width
	if extra == 0 || column < b.width {
		return column
	}
	if column >= len(b.header) {
		return column - extra
	}
	return b.joinOf(column).on
}

// joinOf returns the table that a column is of; nil where it is the file's own.
func (b *binding) joinOf(column int) *joined {
	if column < b.width || column >= len(b.header) {
		return nil
	}
	for i := len(b.joins) - 1; i > 0; i-- {
		if column >= b.joins[i].first {
			return &b.joins[i]
		}
	}
	return &b.joins[0]
}
