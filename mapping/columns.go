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

// headers is the header of a sheet as a mapping names its columns, with what is wrong
// with it.
type headers struct {
	b        *binding
	place    schema.Place // of the header row
	problems []schema.Problem
	names    []string // of the columns, in the mapping's words
	used     []bool
}

// resource returns what the rows are about.
func (x *headers) resource() *schema.Resource { return x.b.options.Resource }

// fail records a problem of the header; column is -1 where it is of the whole row.
func (x *headers) fail(severity schema.Severity, code schema.Code, column int, field, message, hint string) {
	p := schema.Problem{Severity: severity, Code: code, Field: field, Place: x.place, Message: message, Hint: hint}
	p.Place.Column = column
	if column >= 0 {
		p.Place.Header = x.b.header[column]
		p.Value = p.Place.Header
	}
	x.problems = append(x.problems, p)
}

func (x *headers) ignored(column int) bool {
	f := x.b.options.mapping
	return f != nil && f.Ignores(x.b.header[column])
}

func (x *headers) reads(p *formula.Program) {
	for _, c := range p.Columns() {
		if c < len(x.used) {
			x.used[c] = true
		}
	}
}

// layout gives the columns the names that the mapping has for them, and room to
// those of joined tables that it reads behind those of the file.
func (x *headers) layout(f *mapfile.File) {
	b := x.b
	x.names = numbered(b.header, f)
	if len(f.Aliases) > 0 {
		x.names = slices.Clone(x.names)
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
	x.grid(&f.Grid)
	for i := range f.Joins {
		x.join(f, i)
	}
	x.used = make([]bool, len(b.header))
	for i := range b.grid {
		x.used[b.grid[i]] = true
	}
	for i := range b.added {
		x.used[b.width+i] = true
	}
}

// grid makes room for the columns that a grid adds. The row of a mapping's own test has them already.
func (x *headers) grid(g *mapfile.Grid) {
	if len(g.Columns) == 0 || sheet.FindColumn(x.names, g.Heading) >= 0 && sheet.FindColumn(x.names, g.Columns[0]) < 0 {
		return
	}
	for _, name := range g.Added() {
		if at := sheet.FindColumn(x.names, name); at >= 0 {
			x.fail(
				schema.Error, schema.CodeDuplicateHeader, at, "grid", "the sheet has a column "+quoted(name)+" already",
				"call it something else in the mapping",
			)
			return
		}
	}
	columns, ok := x.find(g.Columns, "grid.columns")
	if !ok || len(columns) == 0 {
		return
	}
	x.b.grid = columns
	x.b.added = len(g.Added())
	x.names = append(slices.Clip(x.names), g.Added()...)
	x.b.header = append(slices.Clip(x.b.header), g.Added()...)
}

// numbered returns the headers of a file with the second of a name numbered, where the
// mapping reads it so: Début (2). Outlook calls a date and its time alike in French.
func numbered(header []string, f *mapfile.File) []string {
	names := header
	for _, name := range f.Inputs() {
		plain, ok := strings.CutSuffix(name, mapfile.Second)
		first := sheet.FindColumn(names, plain)
		if !ok || first < 0 || sheet.FindColumn(names, name) >= 0 {
			continue
		}
		if second := sheet.FindColumn(names[first+1:], plain); second >= 0 {
			names = slices.Clone(names)
			names[first+1+second] = name
		}
	}
	return names
}

// join makes room for what the mapping reads of a second table.
func (x *headers) join(f *mapfile.File, i int) {
	table := f.Joins[i]
	j := joinedTable{name: table.Key, first: len(x.b.header)}
	j.file, _ = x.b.options.tableFile(table.Key)
	if j.title = j.file; j.file == "" {
		j.title = "the sheet " + quoted(table.Value.Sheet)
	}
	for _, name := range f.Inputs() {
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
	if on, ok := x.find(mapfile.Names{table.Value.On}, at); ok {
		if j.on = -1; len(on) > 0 { // without, the column is one that a file may lack: the table's are blank
			j.on = on[0]
		}
		x.b.joins = append(x.b.joins, j)
	}
}

// shownUnread is how many columns are offered in the place of one that is missing.
const shownUnread = 5

// unread returns the headers of the columns that the mapping does not read: one that it reads is not meant by
// another name too.
func (x *headers) unread() []string {
	read := x.b.options.mapping.Inputs()
	return slices.DeleteFunc(slices.Clone(x.names[:x.b.width]), func(name string) bool {
		return name == "" || slices.ContainsFunc(read, func(n string) bool { return sheet.FindColumn([]string{name}, n) == 0 })
	})
}

// find returns the columns of headers that a mapping names, without those that the file
// may lack.
func (x *headers) find(names mapfile.Names, path string) ([]int, bool) {
	columns := make([]int, 0, len(names))
	for _, name := range names {
		i := sheet.FindColumn(x.names, name)
		if i < 0 {
			if x.b.options.mapping.May(name) {
				continue
			}
			unread := x.unread()
			hint := spelling.DidYouMean(name, unread)
			unread = slices.DeleteFunc(unread, x.b.options.mapping.Ignores)
			if hint == "" && len(unread) > 0 {
				first := strings.Join(unread[:min(len(unread), shownUnread)], ", ")
				hint = "nothing reads " + first + ": if it is one of them, name it in the mapping"
			}
			if preset, ok := mapfile.MatchPreset(x.b.header[:x.b.width]); ok && preset != x.b.options.mapping.Preset() {
				hint = "the columns are those of the preset " + preset + ": say --mapping " + preset
			}
			x.fail(
				schema.Error, schema.CodeMissingColumn, -1, path,
				"the mapping reads "+quoted(name)+" for "+path+", and there is no such column", hint,
			)
			return nil, false
		}
		if again := slices.Index(x.names[i+1:], x.names[i]); again >= 0 {
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
func (x *headers) findOne(name, path string) (int, bool) {
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
func (x *headers) compile(text string, truth bool) (*formula.Program, error) {
	c := formula.Config{Headers: x.names, Truth: truth}
	if f := x.b.options.mapping; f != nil && len(f.Optional) > 0 {
		c.May = f.May
	}
	return formula.Compile(text, c)
}

// clash reports two columns that feed one field. What else names the field
// is left alone: it may be what was meant.
func (x *headers) clash(c match.Clash) {
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
