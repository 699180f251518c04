package mapping

import (
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// layout gives the columns the names that the mapping has for them, and room to
// those of joined tables that it reads behind those of the file.
func (x *binder) layout(f *File) {
	b := x.b
	x.names = b.header
	if len(f.Aliases) > 0 {
		x.names = slices.Clone(b.header)
		for _, item := range f.Aliases {
			if findHeader(b.header, item.Key) >= 0 {
				continue
			}
			for _, other := range item.Value {
				if i := findHeader(b.header, other); i >= 0 {
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
func (x *binder) join(f *File, i int) {
	table := f.Joins[i]
	j := joined{name: table.Key, first: len(x.b.header)}
	for _, name := range f.read() {
		column, ok := strings.CutPrefix(name, table.Key+".")
		if !ok || findHeader(x.names, name) >= 0 {
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
	if on, ok := x.find(Names{table.Value.On}, at); ok && len(on) > 0 {
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

// find gives the columns of headers that a mapping names, without those that the file
// may lack.
func (x *binder) find(names Names, path string) ([]int, bool) {
	columns := make([]int, 0, len(names))
	for _, name := range names {
		i := findHeader(x.names, name)
		if i < 0 {
			if x.b.options.mapping.may(name) {
				continue
			}
			hint := didYouMean(name, x.names[:x.b.width])
			if preset, ok := MatchPreset(x.b.header[:x.b.width]); ok && preset != x.b.options.mapping.preset {
				hint = "the columns are those of the preset " + preset + ": say --mapping " + preset
			}
			x.fail(schema.Error, schema.CodeMissingColumn, -1, path, "the mapping reads "+quoted(name)+" for "+path+", and there is no such column", hint)
			return nil, false
		}
		if again := slices.IndexFunc(x.b.header[i+1:], func(h string) bool { return h == x.b.header[i] }); again >= 0 {
			x.fail(schema.Error, schema.CodeDuplicateHeader, i+1+again, path, "the header "+quoted(x.b.header[i])+" stands in columns "+schema.ColumnName(i)+" and "+schema.ColumnName(i+1+again), "rename one of them")
			return nil, false
		}
		columns = append(columns, i)
	}
	return columns, true
}

// findOne gives the column of a header; -1 where the file may lack it and does.
func (x *binder) findOne(name, path string) (int, bool) {
	if name == "" {
		return -1, true
	}
	columns, ok := x.find(Names{name}, path)
	if !ok || len(columns) == 0 {
		return -1, ok
	}
	x.used[columns[0]] = true
	return columns[0], true
}

// may tells whether a file may lack a column.
func (f *File) may(name string) bool {
	return slices.ContainsFunc(f.Optional, func(glob string) bool {
		return matches(glob, name)
	})
}

// matches tells whether a header fits a glob, in which a slash is a letter like any other.
func matches(glob, header string) bool {
	plain := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(plain.Replace(normalize(glob)), plain.Replace(normalize(header)))
	return err == nil && ok || glob == header
}

// compile binds an expression to the columns. One that a file may lack is blank.
func (x *binder) compile(text string, want reflect.Kind) (*program, error) {
	names := slices.Clip(x.names)
	if f := x.b.options.mapping; f != nil && len(f.Optional) > 0 {
		called := identifiers(x.names)
		for _, name := range mentioned(text) {
			if _, ok := called[name]; !ok && findHeader(x.names, name) < 0 && f.may(name) {
				names = append(names, name)
			}
		}
	}
	p, err := compile(text, names, want)
	if err != nil {
		return nil, err
	}
	for name, column := range p.columns {
		if column >= len(x.names) {
			p.columns[name] = math.MaxInt // no row has as many cells
		}
	}
	if p.first >= len(x.names) {
		p.first = -1
	}
	return p, nil
}

// read lists the headers that the mapping reads, as far as can be told without a file.
func (f *File) read() []string {
	names := slices.Concat(f.Key, f.Group, f.Unroll.Clocks)
	u := &f.Unroll
	for _, name := range []string{
		f.Calendar.Column, f.Timezone.Column, f.AllDay.Column,
		u.Days, u.Frequency, u.Interval, u.Start, u.End, u.Until,
	} {
		if name != "" {
			names = append(names, name)
		}
	}
	for i := range f.Joins {
		names = append(names, f.Joins[i].Value.On)
	}
	for i := range f.Columns {
		names = append(append(names, f.Columns[i].Value.From...), mentioned(f.Columns[i].Value.Expr)...)
	}
	return append(names, mentioned(f.Filter)...)
}

// physical gives the column of the file that stands for one of a binding: that of the
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

// joinOf is the table that a column is of; nil where it is the file's own.
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
