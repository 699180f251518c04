package mapping

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// JoinFile is --join NAME=FILE: where a table that the mapping looks rows up in lies.
type JoinFile struct{ Name, File string }

// ParseJoin reads NAME=FILE.
func ParseJoin(text string) (JoinFile, error) {
	name, file, found := strings.Cut(text, "=")
	if !found || name == "" || file == "" {
		return JoinFile{}, optionError("join", quoted(text)+" names no table and its file", "write --join venues=venues.csv")
	}
	return JoinFile{name, file}, nil
}

// joins checks that the tables of --join are among the mapping's.
func (o *options) joins() error {
	names := o.tables()
	for i, j := range o.Join {
		switch {
		case len(names) == 0:
			return optionError("join", "the mapping reads no second table", "")
		case !slices.Contains(names, j.Name):
			return optionError("join", "the mapping reads no table "+quoted(j.Name), "it reads "+strings.Join(names, ", "))
		}
		if slices.ContainsFunc(o.Join[:i], func(other JoinFile) bool { return other.Name == j.Name }) {
			return optionError("join", j.Name+" is given twice", "")
		}
	}
	return nil
}

// tables names what the mapping reads besides the rows; as long as the presets have
// not been chosen, what any of them does.
func (o *options) tables() []string {
	if o.mapping == nil {
		return nil
	}
	files := []*mapfile.File{o.mapping}
	if o.mapping.Auto() {
		for _, p := range mapfile.Presets() {
			files = append(files, p.File)
		}
	}
	var names []string
	for _, f := range files {
		for _, item := range f.Joins {
			names = append(names, item.Key)
		}
	}
	return names
}

// openTables opens the second tables that rows are looked up in, as far as they are
// given or there: a mapping may say where a table is on another machine.
func (r *Reading) openTables(ctx context.Context) error {
	o := r.options
	for _, name := range o.tables() {
		path, given := o.tableFile(name)
		if path == "" || r.tables[path] != nil {
			continue
		}
		file, err := sheet.Open(ctx, path, sheet.Options{Encoding: o.Encoding, Limits: o.Limits})
		if !given && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		r.tables[path] = file
	}
	return nil
}

// tableFile returns where a table lies; given where the command line says so.
func (o *options) tableFile(name string) (path string, given bool) {
	for _, j := range o.Join {
		if j.Name == name {
			return j.File, true
		}
	}
	join, _ := o.mapping.Joins.Get(name)
	if join.File == "" || filepath.IsAbs(join.File) {
		return join.File, false
	}
	return filepath.Join(filepath.Dir(o.mapping.Name()), join.File), false
}

// shape binds what makes one row an event of several, and several of one.
func (x *binder) shape(f *mapfile.File) {
	x.group(f)
	u := &f.Unroll
	if u.Start == "" {
		return
	}
	shape := &reshape.Unroll{Limit: u.Limit, Date1904: x.b.d1904, Key: -1, StartClock: -1, EndClock: -1}
	if shape.Limit == 0 {
		shape.Limit = 366
	}
	all := true
	for _, part := range []struct {
		into *int
		name string
		at   string
	}{
		{&shape.Days, u.Days, "days"},
		{&shape.Frequency, u.Frequency, "frequency"},
		{&shape.Interval, u.Interval, "interval"},
		{&shape.Start, u.Start, "start"},
		{&shape.End, u.End, "end"},
		{&shape.Until, u.Until, "until"},
	} {
		var ok bool
		*part.into, ok = x.findOne(part.name, "unroll."+part.at)
		all = all && ok
	}
	if len(u.Clocks) == 2 {
		var ok1, ok2 bool
		shape.StartClock, ok1 = x.findOne(u.Clocks[0], "unroll.clocks")
		shape.EndClock, ok2 = x.findOne(u.Clocks[1], "unroll.clocks")
		all = all && ok1 && ok2
	}
	for _, g := range x.given {
		if g.field.ID == schema.FieldKey && len(g.columns) > 0 {
			shape.Key = g.columns[len(g.columns)-1]
		}
	}
	if all && (shape.Days >= 0 || shape.Frequency >= 0) {
		x.b.shape.Unroll = shape
	}
}

// group binds the columns in which rows of one event are the same, and those in which
// they should be: all that are read.
func (x *binder) group(f *mapfile.File) {
	if len(f.Group) == 0 {
		return
	}
	columns, ok := x.find(f.Group, "group")
	if !ok || len(columns) < len(f.Group) {
		return
	}
	group := &reshape.Group{Columns: columns}
	for _, g := range x.given {
		group.Compare = append(group.Compare, g.columns...)
		if g.program != nil {
			group.Compare = append(group.Compare, g.program.Columns()...)
		}
	}
	slices.Sort(group.Compare)
	group.Compare = slices.DeleteFunc(slices.Compact(group.Compare), func(column int) bool {
		return column >= x.b.width || slices.Contains(columns, column)
	})
	for _, column := range columns {
		x.used[column] = true
	}
	x.b.shape.Group = group
}

// unrolled lists the columns of dates that a row is unrolled by.
func (b *binding) unrolled() []int {
	u := b.shape.Unroll
	if u == nil {
		return nil
	}
	return slices.DeleteFunc([]int{u.Start, u.End, u.Until}, func(column int) bool { return column < 0 })
}

// reshaped completes a binding whose rows are reshaped. It reports whether the line
// still moves.
func (f *feeder) reshaped(ctx context.Context, b *binding) bool {
	shape := &b.shape
	if len(b.joins) == 0 && shape.Group == nil && shape.Unroll == nil {
		return true
	}
	shape.Width = b.width
	for _, j := range b.joins {
		table, ok := f.table(ctx, b, j)
		if !ok {
			return false
		}
		join := reshape.Join{Column: j.on, Table: table, Columns: make([]int, len(j.columns))}
		if j.on < 0 {
			join.Table, join.Column = nil, 0
		}
		for i := range join.Columns {
			join.Columns[i] = i
		}
		shape.Joins = append(shape.Joins, join)
	}
	if b.filter != nil && (shape.Group != nil || shape.Unroll != nil) {
		shape.Admit = admit(ctx, b)
	}
	if shape.Unroll != nil {
		shape.Unroll.Order = func(column int, text string) datetime.Order {
			if order := b.orderOf(text); order != datetime.Unknown {
				return order
			}
			return b.dates.order(ctx, column)
		}
	}
	b.reshaper = reshape.New(*shape)
	return true
}

// admit tells which rows the filter lets through, so that a row that it leaves out
// makes no event of several rows.
func admit(ctx context.Context, b *binding) func(*sheet.Row) bool {
	w := newWorker()
	var draft schema.Draft
	return func(row *sheet.Row) bool {
		if ctx.Err() != nil {
			return false // none of the rows is sent off
		}
		w.b, w.row, w.draft, w.problems = b, row, &draft, w.problems[:0]
		w.formulas.Begin()
		return w.filtered()
	}
}

// table reads a second table, once for all inputs that are read by it. It is nil
// where nothing says where it is, or it is not where the mapping says: that is warned of.
func (f *feeder) table(ctx context.Context, b *binding, j joined) (*reshape.Table, bool) {
	id := j.name + "\x00" + strings.Join(j.columns, "\x00")
	if table, known := f.tables[id]; known {
		return table, true
	}
	if f.tables == nil {
		f.tables = map[string]*reshape.Table{}
	}
	o := b.options
	path, _ := o.tableFile(j.name)
	if path == "" {
		f.tables[id] = nil
		return nil, f.noTable(ctx, b, j, "nothing says where the table "+quoted(j.name)+" is")
	}
	file := f.r.tables[path]
	if file == nil {
		f.tables[id] = nil
		return nil, f.noTable(ctx, b, j, "there is no file "+path+" for the table "+quoted(j.name))
	}
	join, _ := o.mapping.Joins.Get(j.name)
	table, problems, err := reshape.ReadTable(ctx, file, reshape.TableConfig{
		Name: path, Sheet: join.Sheet, Key: join.Key, Columns: j.columns, Fold: sheet.NormalHeader,
		May: func(column string) bool { return o.mapping.May(j.name + "." + column) },
	})
	if err != nil {
		f.line.say(ctx, func() error { return err })
		return nil, false
	}
	f.tables[id] = table
	return table, f.line.say(ctx, func() error {
		f.r.problems = append(f.r.problems, problems...)
		return nil
	})
}

func (f *feeder) noTable(ctx context.Context, b *binding, j joined, message string) bool {
	return f.note(ctx, []schema.Problem{{
		Severity: schema.Warning, Code: schema.CodeNoTable, Place: schema.Place{File: b.file, Sheet: b.sheet, Column: -1},
		Message: message + ": what it says of " + strings.Join(j.columns, ", ") + " is left out",
		Hint:    "say --join " + j.name + "=FILE",
	}})
}

// reshape sends off those rows of a batch that the options admit, as what they become.
func (f *feeder) reshape(ctx context.Context, b *binding, batch *sheet.Batch, rows []sheet.Row) bool {
	if o := f.r.options; len(o.Rows) > 0 || o.Limit > 0 {
		var end error
		if rows, end = f.pick(b, rows, nil); end != nil {
			_ = f.shaped(ctx, b, rows) && f.line.say(ctx, func() error { return end })
			return false
		}
	}
	defer batch.Release() // nothing of its memory is in the rows given out
	return f.shaped(ctx, b, rows)
}

func (f *feeder) shaped(ctx context.Context, b *binding, rows []sheet.Row) bool {
	for rows, notes := range b.reshaper.Rows(rows) {
		select {
		case j := <-f.line.free:
			j.b, j.batch, j.rows, j.notes = b, &sheet.Batch{}, rows, notes
			if !f.line.send(ctx, j) {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// noted takes what was said of a row when it was reshaped. It tells why the row is
// skipped, empty where it is not.
func (w *worker) noted() (skipped string) {
	for _, p := range w.note.Problems {
		p.Place = w.placeOf(p.Place.Column)
		w.problems = append(w.problems, p)
	}
	return w.note.Skip
}

// elsewhere adds to a problem of a joined cell where the cell itself is.
func (w *worker) elsewhere(p *schema.Problem, column int) {
	j := w.b.joinOf(column)
	if j == nil || w.note == nil {
		return
	}
	for i := range w.b.joins {
		if &w.b.joins[i] != j {
			continue
		}
		at := j.columns[column-j.first]
		if from := w.note.From[i]; from.Row > 0 {
			file, _ := w.b.options.tableFile(j.name)
			p.Message += ", in " + quoted(at) + " of row " + strconv.Itoa(from.Row) + " of " + file
		}
	}
}
