package mapping

import (
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// span is the part of a range that a field is fed from.
type span uint8

const (
	wholeCell span = iota
	spanStart
	spanEnd
)

func spanOf(word string) span {
	switch word {
	case mapfile.RangeStart:
		return spanStart
	case mapfile.RangeEnd:
		return spanEnd
	}
	return wholeCell
}

// allDay is the column that says which rows take whole days.
type allDay struct {
	column int
	values map[string]bool // normalised words besides those of every column of yes and no
	ends   string
}

// rowBinder binds what becomes of rows: whole days, one event of several rows, several of one, and none.
type rowBinder struct{ *binder }

// days binds all_day.
func (x rowBinder) days(f *mapfile.File) {
	if f.AllDay.Column == "" {
		return
	}
	column, ok := x.findOne(f.AllDay.Column, "all_day.column")
	if !ok || column < 0 {
		return
	}
	a := &allDay{column: column, ends: f.AllDay.Ends, values: map[string]bool{}}
	for _, item := range f.AllDay.Values {
		a.values[sheet.NormalHeader(item.Key)], _ = value.ParseBool(item.Value) // it was checked when the mapping was read
	}
	x.b.allDay = a
}

// shape binds what makes one row an event of several, and several of one.
func (x rowBinder) shape(f *mapfile.File) {
	if !x.b.options.Raw {
		x.group(f)
	}
	if len(f.Split) > 0 {
		if columns, ok := x.find(f.Split, "split"); ok {
			x.b.shape.Split = reshape.Split{Columns: columns, Key: x.lastOfKey()}
		}
	}
	u := &f.Unroll
	if u.Start == "" {
		return
	}
	shape := &reshape.Unroll{Limit: u.Limit, Date1904: x.b.d1904, StartClock: -1, EndClock: -1}
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
	shape.Key = x.lastOfKey()
	if all && (shape.Days >= 0 || shape.Frequency >= 0) {
		x.b.shape.Unroll = shape
	}
}

// lastOfKey returns the last column of the key, -1 where there is none.
func (x rowBinder) lastOfKey() int {
	for _, g := range x.given {
		if g.field.ID == schema.FieldKey && len(g.columns) > 0 {
			return g.columns[len(g.columns)-1]
		}
	}
	return -1
}

// group binds the columns in which rows of one event are the same, and those in which
// they should be: all that are read.
func (x rowBinder) group(f *mapfile.File) {
	if len(f.Group) == 0 {
		return
	}
	columns, ok := x.find(f.Group, "group")
	if !ok || len(columns) == 0 {
		return
	}
	x.quantity()
	r := x.resource()
	group := &reshape.Group{Columns: columns, One: r.One, Times: x.b.times}
	for _, g := range x.given {
		if !r.Keyed() && g.field.Path == r.Named {
			group.Names = append(group.Names, g.columns...)
		}
		if g.field.Kind == schema.Email {
			group.Fold = append(group.Fold, g.columns...)
		}
		if g.field.Kind == schema.List && len(g.columns) > 0 && !slices.ContainsFunc(g.columns, func(i int) bool {
			return slices.Contains(columns, i)
		}) {
			group.Lists = append(group.Lists, reshape.List{Columns: g.columns, Join: g.join})
			continue
		}
		columns := slices.Clone(g.columns)
		if g.program != nil {
			columns = append(columns, g.program.Columns()...)
		}
		group.Compare = append(group.Compare, columns...)
		if g.field.ID == catalog.FieldStartAt {
			group.Starts = columns
		}
	}
	group.Names = slices.DeleteFunc(group.Names, func(column int) bool { return !slices.Contains(columns, column) })
	slices.Sort(group.Compare)
	group.Compare = slices.DeleteFunc(slices.Compact(group.Compare), func(column int) bool {
		return column >= x.b.width || slices.Contains(columns, column)
	})
	for _, column := range columns {
		x.used[column] = true
	}
	x.b.shape.Group = group
}
