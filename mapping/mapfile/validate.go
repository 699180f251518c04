package mapfile

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// Same reports whether two mappings say the same, whatever their comments say.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	one, err := Decode([]byte(a), "")
	other, failed := Decode([]byte(b), "")
	if err != nil || failed != nil {
		return false
	}
	x, err := yamldoc.Encode(one)
	y, failed := yamldoc.Encode(other)
	return err == nil && failed == nil && bytes.Equal(x, y)
}

// Decode reads the text of a mapping file; name stands for it in messages.
// The error joins a *[yamldoc.Error] for each mistake.
func Decode(data []byte, name string) (*File, error) {
	f := &File{name: name}
	if err := yamldoc.Decode(data, name, Version, f); err != nil {
		return nil, err
	}
	v := validator{file: f}
	v.document()
	if err := errors.Join(v.errs...); err != nil {
		return nil, err
	}
	return f, nil
}

// validator finds what is wrong with a mapping whatever the columns of the input are.
type validator struct {
	file     *File
	resource *schema.Resource
	errs     []error
}

func (v *validator) fail(pos yamldoc.Pos, path, hint, format string, args ...any) {
	v.errs = append(v.errs, &yamldoc.Error{File: v.file.name, Pos: pos, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (v *validator) document() {
	f := v.file
	var top yamldoc.Pos
	if f.Version != Version {
		v.fail(top, "version", "write version: "+strconv.Itoa(Version), "version %d is not known", f.Version)
	}
	var known bool
	if v.resource, known = catalog.ResourceNamed(f.Resource); !known && f.Resource != "" {
		v.fail(top, "resource", spelling.DidYouMean(f.Resource, catalog.ResourceNames()), "no resource %q", f.Resource)
	}
	if f.Operation != "" {
		if _, ok := schema.ParseActions(f.Operation); !ok {
			v.fail(top, "operation", "write create, update or upsert", "no operation %q", f.Operation)
		}
	}
	if _, ok := datetime.ParseOrder(f.DateOrder); !ok {
		v.fail(top, "date_order", "write mdy, dmy or ymd", "no date order %q", f.DateOrder)
	}
	if order, ok := datetime.ParseOrder(f.DashOrder); !ok || order == datetime.YearFirst {
		v.fail(top, "dash_order", "write mdy or dmy", "no date order %q", f.DashOrder)
	}
	if _, ok := datetime.ParseOverlap(f.Timezone.Overlap); !ok {
		v.fail(
			f.Timezone.Pos, "timezone.overlap", "write error, first or second", "no way to read a time that exists twice: %q",
			f.Timezone.Overlap,
		)
	}
	if f.Timezone.Default != "" {
		if _, err := value.LoadZone(f.Timezone.Default); err != nil {
			v.fail(f.Timezone.Pos, "timezone.default", schema.HintOf(err), "%v", err)
		}
	}
	if f.Calendar.Column != "" && f.Calendar.Value != "" {
		v.fail(f.Calendar.Pos, "calendar", "keep one of them", "both column and value are given")
	}
	if _, err := sheet.ParseEncoding(f.Encoding); f.Encoding != "" && err != nil {
		v.fail(top, "encoding", "names are those of the web, such as windows-1252", "%v", err)
	}
	if f.HeaderRow < 0 {
		v.fail(top, "header_row", "rows count from 1", "no row %d", f.HeaderRow)
	}
	v.globs()
	if f.Filter != "" {
		v.filter()
	}
	v.columns()
	v.readings()
	v.rows()
	v.shape()
	v.tests()
}

// globs checks the patterns of names.
func (v *validator) globs() {
	var top yamldoc.Pos
	f := v.file
	for _, globs := range []struct {
		at   string
		list []string
	}{{"sheet", f.Sheet}, {"skip_sheets", f.SkipSheets}, {"ignore", f.Ignore}, {"optional", f.Optional}} {
		for _, glob := range globs.list {
			if _, err := path.Match(glob, ""); err != nil {
				v.fail(top, globs.at, "* stands for any text, ? for one letter, [ begins a set", "%q is not a pattern", glob)
			}
		}
	}
}

// filter checks the expression that says which rows are read.
func (v *validator) filter() {
	var top yamldoc.Pos
	if err := formula.Check(v.file.Filter); err != nil {
		v.fail(top, "filter", "", "%v", err)
	}
	for _, path := range formula.Fields(v.file.Filter) {
		v.fail(
			top, "filter", `write col("its header") for the text of the cell`,
			"%s is blank in a filter, which is asked before the fields have values", path,
		)
	}
}

// rows checks what is said of the rows of a sheet before they are events.
func (v *validator) rows() {
	f := v.file
	for _, item := range f.Named {
		if _, ok := schema.ColumnIndex(item.Key); !ok {
			v.fail(item.Pos, "names."+item.Key, "write the letter that the spreadsheet has above the column", "%q is no column", item.Key)
		}
		if strings.TrimSpace(item.Value) == "" {
			v.fail(item.Pos, "names."+item.Key, "write a name such as Time", "the column gets no name")
		}
	}
	for i, word := range f.SkipRows {
		if _, ok := reshape.KindNamed(word); !ok {
			v.fail(
				yamldoc.Pos{}, "skip_rows["+strconv.Itoa(i)+"]", "write "+strings.Join(reshape.KindWords, ", "), "no kind of rows %q", word,
			)
		}
	}
	for _, of := range [][2]string{{"hidden_rows", f.Hidden}, {"struck_rows", f.Struck}} {
		if key, word := of[0], of[1]; word != "" && word != HiddenRead && word != HiddenSkip {
			v.fail(yamldoc.Pos{}, key, "write read or skip", "nothing can be done as %q", word)
		}
	}
	for _, item := range f.Fill {
		if _, ok := reshape.ParseFill(item.Value); !ok {
			v.fail(
				item.Pos, "fill."+item.Key,
				"write down, heading, both, week 2027-10-11, or a date such as 2027-10-14, or month and the name of its column, "+
					"perhaps with the year's: month Monat, year Jahr",
				"%q is nothing that cells could be filled with", item.Value,
			)
		}
	}
}

func (v *validator) shape() {
	f := v.file
	for _, item := range f.Aliases {
		if item.Key == "" || len(item.Value) == 0 {
			v.fail(item.Pos, "aliases."+item.Key, "write the column's name in this mapping, then its other names", "no name is given")
		}
	}
	for _, item := range f.Joins {
		at := "joins." + item.Key
		if item.Key == "" || strings.ContainsAny(item.Key, ". ") {
			v.fail(item.Pos, at, "use one word", "this cannot be the name of a table")
		}
		if item.Value.On == "" || item.Value.Key == "" {
			v.fail(item.Pos, at, "give both on and key", "nothing says which columns have the same text")
		}
	}
	if g := &f.Grid; len(g.Columns) > 0 || g.Heading != "" || g.Cell != "" || g.Time != "" {
		v.grid(g)
	}
	if u := &f.Unroll; *u.said() != (saidUnroll{}) {
		v.unroll(u)
	}
	if a := &f.AllDay; a.Column != "" || a.Ends != "" || len(a.Values) > 0 {
		v.allDay(a)
	}
	if g := &f.Grid; len(f.Split) > 0 && (len(g.Columns) > 0 || len(f.Group) > 0 || f.Unroll.Start != "") {
		v.fail(yamldoc.Pos{}, "split", "keep one of them", "rows that are split can be neither of a grid nor grouped nor unrolled")
	}
	for i, name := range f.Group {
		if name == "" {
			v.fail(yamldoc.Pos{}, "group["+strconv.Itoa(i)+"]", "", "the name of a column is blank")
		}
	}
}

func (v *validator) grid(g *Grid) {
	switch {
	case len(g.Columns) == 0 || slices.Contains(g.Columns, ""):
		v.fail(g.Pos, "grid.columns", "list the columns of the rooms", "nothing says which cells are events")
	case g.Heading == "" || g.Cell == "" || g.Heading == g.Cell || g.Time != "" && (g.Time == g.Heading || g.Time == g.Cell):
		v.fail(
			g.Pos, "grid", "give heading and cell, such as Room and Session",
			"nothing says what the header and the text of a cell are called",
		)
	case len(v.file.Group) > 0 || v.file.Unroll.Start != "":
		v.fail(g.Pos, "grid", "keep one of them", "the rows of a grid can be neither grouped nor unrolled")
	}
}

// saidUnroll is what can be compared of an Unroll.
type saidUnroll struct {
	days, frequency, interval, start, end, until string
	clocks, limit                                int
}

func (u *Unroll) said() *saidUnroll {
	return &saidUnroll{u.Days, u.Frequency, u.Interval, u.Start, u.End, u.Until, len(u.Clocks), u.Limit}
}

func (v *validator) unroll(u *Unroll) {
	switch {
	case u.Days == "" && u.Frequency == "":
		v.fail(u.Pos, "unroll", "give the column of the weekdays as days", "nothing says on which days an event takes place")
	case u.Start == "" || u.Until == "":
		v.fail(u.Pos, "unroll", "give both start and until", "nothing says between which days an event takes place")
	case len(u.Clocks) != 0 && len(u.Clocks) != 2:
		v.fail(u.Pos, "unroll.clocks", "give the columns of the start's and the end's time", "%d columns, need two", len(u.Clocks))
	case u.Limit < 0 || u.Limit > maxUnroll:
		v.fail(u.Pos, "unroll.limit", "write a number from 1 to "+strconv.Itoa(maxUnroll), "no limit %d", u.Limit)
	}
}

// maxUnroll is the highest limit of the events of one row: a day for ten years.
const maxUnroll = 3660

func (v *validator) allDay(a *AllDay) {
	if a.Column == "" {
		v.fail(a.Pos, "all_day.column", "", "nothing says which rows take whole days")
	}
	for _, item := range a.Values {
		if _, fault := value.ParseBool(item.Value); fault != nil {
			v.fail(item.Pos, "all_day.values."+item.Key, "write true or false", "no answer %q", item.Value)
		}
	}
	switch a.Ends {
	case "", EndsLastDay, EndsNextDay:
	default:
		v.fail(a.Pos, "all_day.ends", "write last-day or next-day, or leave it out", "no kind of end %q", a.Ends)
	}
}

func (v *validator) tests() {
	for i, t := range v.file.Tests {
		at := "tests[" + strconv.Itoa(i) + "]"
		if t.Error == nil && len(t.Expect) == 0 && !t.Skip {
			v.fail(t.Pos, at, "write expect, error or skip: true", "the test expects nothing")
		}
		for _, item := range t.Given {
			if item.Key == "" {
				v.fail(item.Pos, at+".given", "", "the name of a column is blank")
			}
		}
		for _, item := range t.Expect {
			if _, ok := v.resource.ByPath(item.Key); !ok {
				v.fail(item.Pos, at+".expect."+item.Key, spelling.DidYouMean(item.Key, Targets(v.resource)), "no such field")
			}
		}
	}
}
