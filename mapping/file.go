package mapping

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/moment"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// FileVersion is the version of mapping files that is read and written.
const FileVersion = 1

// File is a mapping as a person writes it: which column feeds which field.
// Where it has columns, they alone are read; without any, the headers say what they are.
type File struct {
	Version   int                 `yaml:"version"`
	Operation string              `yaml:"operation"`  // create, update or upsert; empty: upsert
	Sheet     string              `yaml:"sheet"`      // glob; empty: the first visible sheet
	HeaderRow int                 `yaml:"header_row"` // from 1; 0: found
	Key       Names               `yaml:"key"`        // column that names a row for good
	Calendar  Calendar            `yaml:"calendar"`
	Timezone  Timezone            `yaml:"timezone"`
	DateOrder string              `yaml:"date_order"` // mdy, dmy or ymd; empty: what each column proves
	Columns   yamldoc.Map[Column] `yaml:"columns"`    // by field path
	Ignore    []string            `yaml:"ignore"`     // globs of headers that are not warned of
	Filter    string              `yaml:"filter"`     // rows for which it is false are skipped
	Tests     []Test              `yaml:"tests"`

	name string
}

// Calendar says which calendar the rows belong to: by a column or all to one.
type Calendar struct {
	yamldoc.Pos

	Column string `yaml:"column"`
	Value  string `yaml:"value"`
}

// Timezone says how wall times are read.
type Timezone struct {
	yamldoc.Pos

	Column  string `yaml:"column"`
	Default string `yaml:"default"` // where the row names none
	Overlap string `yaml:"overlap"` // error, first or second
}

// Column says what feeds one field: exactly one of From, Expr and Value.
type Column struct {
	yamldoc.Pos

	From    Names               `yaml:"from"`
	Join    *string             `yaml:"join"` // between the texts of several columns; default a space
	Expr    string              `yaml:"expr"`
	Value   any                 `yaml:"value"` // the same for every row
	Values  yamldoc.Map[string] `yaml:"values"`
	HTML    bool                `yaml:"html"`
	As      string              `yaml:"as"` // of geo_address_json: manual, google or lookup
	Default string              `yaml:"default"`
}

// UnmarshalText reads the shorthand: a header alone.
func (c *Column) UnmarshalText(text []byte) error {
	*c = Column{Pos: c.Pos, From: Names{string(text)}}
	return nil
}

// MarshalText writes the shorthand where it says everything.
func (c Column) MarshalText() ([]byte, error) {
	if len(c.From) != 1 || c.Join != nil || c.Expr != "" || c.Value != nil || len(c.Values) > 0 || c.HTML || c.As != "" || c.Default != "" {
		return nil, nil
	}
	return []byte(c.From[0]), nil
}

// Names is one header or several.
type Names []string

// UnmarshalText reads a single header.
func (n *Names) UnmarshalText(text []byte) error {
	*n = Names{string(text)}
	return nil
}

// MarshalText writes a single header without a list.
func (n Names) MarshalText() ([]byte, error) {
	if len(n) == 1 {
		return []byte(n[0]), nil
	}
	return nil, nil
}

// Test is a row with what has to come of it.
type Test struct {
	yamldoc.Pos

	Given  yamldoc.Map[string] `yaml:"given"`  // cells by header
	Expect yamldoc.Map[string] `yaml:"expect"` // canonical values by field path; <clear> for null
	Error  *TestError          `yaml:"error"`
	Skip   bool                `yaml:"skip"` // the filter or the action leaves the row out
}

// TestError is a problem that a test's row must have.
type TestError struct {
	Column string      `yaml:"column"`
	Code   schema.Code `yaml:"code"`
}

// LoadFile reads a mapping file. The name of a preset, which is no file, is an error for now.
func LoadFile(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return nil, fmt.Errorf("reading mapping %s: no file of that name (presets are not known yet, write the path of a mapping file): %w", name, os.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("reading mapping: %w", err)
	}
	return DecodeFile(data, name)
}

// DecodeFile reads the text of a mapping file; name stands for it in messages.
// The error joins a *[yamldoc.Error] for each mistake.
func DecodeFile(data []byte, name string) (*File, error) {
	f := &File{name: name}
	if err := yamldoc.Decode(data, name, f); err != nil {
		return nil, err
	}
	v := validator{file: f}
	v.document()
	if err := errors.Join(v.errs...); err != nil {
		return nil, err
	}
	return f, nil
}

// Encode writes the mapping as a file that DecodeFile reads back to the same.
func (f *File) Encode() ([]byte, error) {
	return yamldoc.Encode(f)
}

// Name is the file's name, empty where the mapping was not read from one.
func (f *File) Name() string { return f.name }

// validator finds what is wrong with a mapping whatever the columns of the input are.
type validator struct {
	file *File
	errs []error
}

func (v *validator) fail(pos yamldoc.Pos, path, hint, format string, args ...any) {
	v.errs = append(v.errs, &yamldoc.Error{File: v.file.name, Pos: pos, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (v *validator) document() {
	f := v.file
	var top yamldoc.Pos
	if f.Version != FileVersion {
		v.fail(top, "version", "write version: "+strconv.Itoa(FileVersion), "version %d is not known", f.Version)
	}
	if f.Operation != "" {
		if _, ok := schema.ParseOperation(f.Operation); !ok {
			v.fail(top, "operation", "write create, update or upsert", "no operation %q", f.Operation)
		}
	}
	if _, ok := moment.ParseOrder(f.DateOrder); !ok {
		v.fail(top, "date_order", "write mdy, dmy or ymd", "no date order %q", f.DateOrder)
	}
	if _, ok := parseOverlap(f.Timezone.Overlap); !ok {
		v.fail(f.Timezone.Pos, "timezone.overlap", "write error, first or second", "no way to read a time that exists twice: %q", f.Timezone.Overlap)
	}
	if f.Timezone.Default != "" {
		if _, err := schema.LoadZone(f.Timezone.Default); err != nil {
			v.fail(f.Timezone.Pos, "timezone.default", hintOf(err), "%v", err)
		}
	}
	if f.Calendar.Column != "" && f.Calendar.Value != "" {
		v.fail(f.Calendar.Pos, "calendar", "keep one of them", "both column and value are given")
	}
	if f.HeaderRow < 0 {
		v.fail(top, "header_row", "rows count from 1", "no row %d", f.HeaderRow)
	}
	for i, glob := range append([]string{f.Sheet}, f.Ignore...) {
		if _, err := path.Match(glob, ""); err != nil {
			at := "sheet"
			if i > 0 {
				at = "ignore"
			}
			v.fail(top, at, "* stands for any text, ? for one letter, [ begins a set", "%q is no pattern", glob)
		}
	}
	if f.Filter != "" {
		if err := parseExpression(f.Filter); err != nil {
			v.fail(top, "filter", "", "%v", err)
		}
	}
	v.columns()
	v.tests()
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
		{schema.FieldTimezone, v.file.Timezone.Column != "", "timezone.column"},
	} {
		if said.by {
			fed[said.id] = said.at
		}
	}
	for _, item := range v.file.Columns {
		at := "columns." + item.Key
		field, ok := schema.ByPath(item.Key)
		if !ok {
			v.fail(item.Pos, at, didYouMean(item.Key, fieldPaths), "no such field")
			continue
		}
		target := target(field, item.Value.As)
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
		v.fail(pos, at, "write the header of a column, or one of from, expr and value", "%d of from, expr and value are given, need one", ways)
	}
	if c.HTML {
		v.fail(pos, at+".html", "put Markdown into the column", "HTML is not converted yet")
	}
	switch {
	case c.As == "":
	case field.ID != schema.FieldGeoAddress:
		v.fail(pos, at+".as", "use it with geo_address_json", "only a location can be manual, google or lookup")
	case !slices.Contains(schema.GeoTypes, c.As):
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
		if err := parseExpression(c.Expr); err != nil {
			v.fail(pos, at+".expr", "", "%v", err)
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
			if _, ok := schema.ByPath(item.Key); !ok {
				v.fail(item.Pos, at+".expect."+item.Key, didYouMean(item.Key, fieldPaths), "no such field")
			}
		}
	}
}

// target is the field that is fed in the end: the new one of a deprecated name,
// the short one of a location with as. It is nil where nothing can be fed.
func target(field *schema.Field, as string) *schema.Field {
	canonical := field.Canonical()
	switch {
	case canonical.Deprecated:
		return nil
	case canonical.ID != schema.FieldGeoAddress:
		return canonical
	}
	switch as {
	case "manual":
		return schema.FieldAddress.Field()
	case "google":
		return schema.FieldPlaceID.Field()
	case "lookup":
		return schema.FieldQuery.Field()
	}
	return canonical
}

// fieldPaths lists what can be fed, for suggestions.
var fieldPaths = func() []string {
	var paths []string
	for i := range schema.Fields {
		if !schema.Fields[i].Deprecated {
			paths = append(paths, schema.Fields[i].Path)
		}
	}
	return paths
}()

func didYouMean(word string, candidates []string) string {
	if near := schema.Suggest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

func hintOf(err error) string {
	if fault, ok := errors.AsType[*schema.Fault](err); ok {
		return fault.Hint
	}
	return ""
}
