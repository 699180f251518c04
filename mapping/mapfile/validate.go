package mapfile

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

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

func (v *validator) columns() {
	fed := map[schema.ID]string{}
	for _, said := range []struct {
		id schema.ID
		by bool
		at string
	}{
		{schema.FieldKey, len(v.file.Key) > 0, "key"},
		{schema.FieldCalendarID, v.file.Calendar.Column != "" || v.file.Calendar.Value != "", "calendar"},
		{catalog.FieldTimezone, v.file.Timezone.Column != "", "timezone.column"},
	} {
		if said.by {
			fed[said.id] = said.at
		}
	}
	for _, item := range v.file.Columns {
		at := "columns." + item.Key
		field, ok := v.resource.ByPath(item.Key)
		if !ok {
			v.fail(item.Pos, at, spelling.DidYouMean(item.Key, Targets(v.resource)), "no such field")
			continue
		}
		target := Target(field, item.Value.As)
		if target == nil {
			v.fail(item.Pos, at, "leave it out", "%s", field.Doc)
			continue
		}
		if by, twice := fed[target.ID]; twice {
			v.fail(item.Pos, at, "keep one of them", "%s feeds the same field", by)
		}
		fed[target.ID] = at
		v.column(item, field, at)
	}
}

func (v *validator) column(item yamldoc.Item[Column], field *schema.Field, at string) {
	c, pos := item.Value, item.Pos
	ways := 0
	for _, given := range []bool{len(c.From) > 0, c.Expr != "", c.Value != nil} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		v.fail(
			pos, at, "write the header of a column, or one of from, expr and value",
			"%d of from, expr and value are given, need one", ways,
		)
	}
	if c.HTML && (field.Kind != schema.Markdown || len(c.From) == 0) {
		v.fail(pos, at+".html", "use it with from, for a field of Markdown such as description_md", "there is no HTML to convert")
	}
	switch {
	case c.Range == "":
	case c.Range != RangeStart && c.Range != RangeEnd:
		v.fail(pos, at+".range", "write start or end", "no part of a range %q", c.Range)
	case field.Kind != schema.Timestamp || len(c.From) == 0 || len(c.Values) > 0:
		v.fail(pos, at+".range", "use it with from, for start_at and end_at", "there is no range to take a time from")
	}
	switch {
	case c.As == "":
	case field.ID != catalog.FieldGeoAddress:
		v.fail(pos, at+".as", "use it with geo_address_json", "only a location can be manual, google or lookup")
	case !slices.Contains(catalog.GeoTypes, c.As):
		v.fail(pos, at+".as", "write manual, google or lookup", "no kind of location %q", c.As)
	}
	if len(c.From) > 2 && field.Kind == schema.Timestamp {
		v.fail(pos, at+".from", "give a column of dates and one of times", "%d columns for one time", len(c.From))
	}
	if slices.Contains(c.From, "") {
		v.fail(pos, at+".from", "", "the name of a column is blank")
	}
	if c.Join != nil && (len(c.From) < 2 || field.Kind == schema.Timestamp) {
		v.fail(pos, at+".join", "leave it out", "there are no texts to join")
	}
	if len(c.Values) > 0 && len(c.From) == 0 {
		v.fail(pos, at+".values", "use it with from", "there is no cell to look up")
	}
	if c.Expr != "" {
		if err := formula.Check(c.Expr); err != nil {
			v.fail(pos, at+".expr", "", "%v", err)
		}
		v.blank(item, at+".expr")
	}
}

// blank finds the fields that an expression reads before they have a value: its own, and those of expressions below it.
func (v *validator) blank(item yamldoc.Item[Column], at string) {
	for _, path := range slices.Compact(formula.Fields(item.Value.Expr)) {
		other, fed := v.file.Columns.Get(path)
		later := fed && other.Expr != "" && slices.IndexFunc(v.file.Columns, func(c yamldoc.Item[Column]) bool { return c.Key == path }) >
			slices.IndexFunc(v.file.Columns, func(c yamldoc.Item[Column]) bool { return c.Key == item.Key })
		switch {
		case path == item.Key:
			v.fail(
				item.Pos, at, "write col("+strconv.Quote(path)+") for the text of the cell",
				"%s is blank in its own expression: it is the value that the field has been given", path,
			)
		case later:
			v.fail(
				item.Pos, at, "put the line of "+path+" before that of "+item.Key,
				"%s is blank here: its own expression comes later", path,
			)
		}
	}
}

func (v *validator) readings() {
	for _, item := range v.file.Reads {
		at := "reads." + item.Key
		field, ok := v.resource.ByPath(item.Key)
		if !ok {
			v.fail(item.Pos, at, spelling.DidYouMean(item.Key, Targets(v.resource)), "no such field")
			continue
		}
		if field = Target(field, ""); field == nil {
			v.fail(item.Pos, at, "leave it out", "nothing can be read into this field")
			continue
		}
		if c, fed := v.file.Columns.Get(item.Key); fed && (len(c.Values) > 0 || len(c.From) == 0 && c.Expr == "") {
			v.fail(item.Pos, at, "keep one of them", "columns.%s says already what its cells stand for", item.Key)
		}
		lines := map[string]string{}
		for _, line := range item.Value {
			if message, hint := reads.Check(field, line.Key, line.Value); message != "" {
				v.fail(line.Pos, at+"."+line.Key, hint, "%s", message)
				continue
			}
			key := reads.Key(line.Key, line.Value)
			if other, twice := lines[key]; twice {
				v.fail(line.Pos, at+"."+line.Key, "keep one of them", "%q reads the same cells", other)
			}
			lines[key] = line.Key
		}
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
