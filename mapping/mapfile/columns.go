package mapfile

import (
	"cmp"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/yamldoc"
)

// Column says what feeds one field: exactly one of From, Expr and Value.
type Column struct {
	yamldoc.Pos

	From    Names               `yaml:"from"`
	Join    *string             `yaml:"join"` // between the texts of several columns; default a space
	Expr    string              `yaml:"expr"`
	Value   any                 `yaml:"value"` // the same for every row
	Values  yamldoc.Map[string] `yaml:"values"`
	HTML    bool                `yaml:"html"`  // of a field of Markdown: the cells hold HTML
	As      string              `yaml:"as"`    // of geo_address_json: manual, google or lookup
	Range   string              `yaml:"range"` // of a time whose cells, or cells of its times of day, hold "from → to": start or end
	Default string              `yaml:"default"`
}

// The words of Column.Range.
const (
	RangeStart = "start"
	RangeEnd   = "end"
)

// UnmarshalText reads the shorthand: a header alone.
func (c *Column) UnmarshalText(text []byte) error {
	*c = Column{Pos: c.Pos, From: Names{string(text)}}
	return nil
}

// MarshalText writes the shorthand where it says everything.
func (c Column) MarshalText() ([]byte, error) {
	if len(c.From) != 1 || c.Join != nil || c.Expr != "" || c.Value != nil || len(c.Values) > 0 || c.HTML || c.As != "" ||
		c.Range != "" || c.Default != "" {
		return nil, nil
	}
	return []byte(c.From[0]), nil
}

// Inputs lists the headers that feed the field, as far as can be told without a file.
func (c *Column) Inputs() []string { return slices.Concat([]string(c.From), formula.Mentioned(c.Expr)) }

// Target is the field that is fed in the end: the new one of a deprecated name, the
// short one of an object whose variant as says. It is nil where nothing can be fed.
func Target(field *schema.Field, as string) *schema.Field {
	canonical := field.Canonical()
	if canonical.Deprecated {
		return nil
	}
	return cmp.Or(canonical.Short(as), canonical)
}

// Targets lists the paths of all fields of a resource that can be fed, for suggestions.
func Targets(r *schema.Resource) []string {
	var paths []string
	for _, f := range r.Columns() {
		if !f.Deprecated {
			paths = append(paths, f.Path)
		}
	}
	return paths
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
