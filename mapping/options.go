package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
)

// Config says what to read, and how. The words are those of the flags of the same
// names; an empty one leaves the choice to the mapping, then to its default.
type Config struct {
	Files     []string          // paths; - is Stdin
	Inputs    []Input           // what is read of Files, each by a mapping of its own; nil: all of them, by Mapping
	Names     map[string]string // of files that were got from elsewhere, by path: what they are called in places
	Held      map[string][]byte // of files that are in memory, by path
	Stdin     io.Reader         //
	Format    string            // one of sheet.FormatNames; empty: found
	Encoding  string
	RowsAt    string // path to the rows of a JSON document
	Delimiter rune
	Limits    sheet.Limits
	SHA256    string // of the only file, where it was read before: another one is refused
	Unsummed  bool   // nobody asks for the hashes of the files: see [sheet.Options]

	Mapping   *mapfile.File    // nil: the headers say what they are
	Join      []JoinFile       // where the mapping's second tables are
	Resource  *schema.Resource // nil: the mapping's, else what the sheets' names say, else events
	Operation schema.Actions   // 0: the mapping's, else upsert
	Sheet     string           // glob of sheet names; empty: those named after resources, else the first visible one
	HeaderRow int              // from 1; 0: found
	DateOrder string           // mdy, dmy or ymd; empty: what each column proves
	Timezone  string           // IANA name, for wall times of rows that name no zone
	Overlap   string           // error, first or second
	Set       []Assignment     // in the place of whatever a row says
	Limit     int              // rows to read, of those that Rows admits; 0: all
	Rows      RowSet           // the empty set admits all rows
	Without   RowSet           // but for these
	Horizon   time.Time        // until when series without an end are read; zero: a year after Now

	// Edited is called with each row of Files as it is in its file, and may lay other cells over its own (see
	// [sheet.Row.Lay]); nil: nothing is. It is called more than once where a sheet is read more than once, and from
	// several goroutines.
	Edited func(sheet string, row *sheet.Row)

	Now       time.Time
	Rules     check.Rules // Now is set to the Config's
	Workers   int         // 0: as many as there are processors
	KeepCells bool        // Result.Cells is filled
	KeepOpen  bool        // the files stay open behind the results, for [Reading.Again]
	Raw       bool        // each row is read by itself: none is put together with others, or left out for what it says
}

// Opening returns how the files are opened, by what is said and what the mapping says.
func (c *Config) Opening() sheet.Options {
	o := sheet.Options{
		Format: c.Format, Encoding: c.Encoding, RowsAt: c.RowsAt, Delimiter: c.Delimiter, Limits: c.Limits, Edited: c.Edited,
	}
	if c.Mapping != nil {
		o.Encoding, o.RowsAt = cmp.Or(o.Encoding, c.Mapping.Encoding), cmp.Or(o.RowsAt, c.Mapping.RowsAt)
	}
	return o
}

// Assignment is --set field=value.
type Assignment struct {
	Field string // path
	Value string // as a cell would have it
}

// ParseAssignment reads field=value.
func ParseAssignment(text string) (Assignment, error) {
	path, value, found := strings.Cut(text, "=")
	if !found {
		return Assignment{}, optionError("set", fmt.Sprintf("%q is not an assignment", text), "write --set field=value")
	}
	return Assignment{strings.TrimSpace(path), value}, nil
}

// optionError returns why an option cannot be followed.
func optionError(option, message, advice string) error {
	return failure.New(failure.Usage, errors.New("--"+option+": "+message), advice)
}

// options is a Config with its words understood, the mapping's taken in where it says more.
type options struct {
	Config
	mapping *mapfile.File
	sheets  []string // globs of their names; none: nobody has said which
	order   datetime.Order
	dash    datetime.Order // of dates with dashes or dots, where it is another
	overlap datetime.Overlap
	zone    string
	said    string        // the zone as it was written
	action  schema.Action // of rows that name none
	set     []assignment
	decided bool // a flag or the mapping says what the rows are about
}

type assignment struct {
	field *schema.Field
	text  string
}

func (c *Config) options() (*options, error) {
	o := &options{Config: *c, mapping: c.Mapping, decided: c.Resource != nil}
	f := &mapfile.File{}
	if c.Mapping != nil {
		f = c.Mapping
	}
	if o.sheets = f.Sheet; o.Sheet != "" {
		o.sheets = []string{o.Sheet}
	}
	if o.HeaderRow == 0 {
		o.HeaderRow = f.HeaderRow
	}
	o.Rules.Now = c.Now
	var ok bool
	if o.order, ok = datetime.ParseOrder(cmp.Or(c.DateOrder, f.DateOrder)); !ok {
		return nil, optionError("date-order", fmt.Sprintf("no order %q", c.DateOrder), "write mdy, dmy or ymd")
	}
	if c.DateOrder == "" {
		o.dash, _ = datetime.ParseOrder(f.DashOrder) // it was checked when the mapping was read
	}
	if o.overlap, ok = datetime.ParseOverlap(cmp.Or(c.Overlap, f.Timezone.Overlap)); !ok {
		return nil, optionError("overlap", fmt.Sprintf("no choice %q", c.Overlap), "write error, first or second")
	}
	if o.zone = cmp.Or(c.Timezone, f.Timezone.Default); o.zone != "" {
		zone, err := value.LoadZone(o.zone)
		if err != nil {
			return nil, optionError("timezone", err.Error(), schema.HintOf(err))
		}
		o.said, o.zone = o.zone, zone.String()
	}
	if o.Resource == nil {
		o.Resource, o.decided = catalog.ResourceNamed(f.Resource) // it was checked when the mapping was read
	}
	if o.Operation == 0 {
		if o.Operation, ok = schema.ParseActions(cmp.Or(f.Operation, "upsert")); !ok {
			return nil, optionError("operation", fmt.Sprintf("no operation %q", f.Operation), "write create, update or upsert")
		}
	}
	switch o.Operation {
	case schema.OnCreate:
		o.action = schema.Create
	case schema.OnUpdate:
		o.action = schema.Update
	}
	if o.Limit < 0 {
		return nil, optionError("limit", "a number of rows cannot be negative", "")
	}
	if err := o.joins(); err != nil {
		return nil, err
	}
	return o, o.assignments()
}

// assignments finds the fields of --set and tries their values, so that a wrong
// one is said once and not at every row.
func (o *options) assignments() error {
	if len(o.Inputs) > 0 {
		return o.forSome()
	}
	for _, a := range o.Set {
		field, ok := o.Resource.ByPath(a.Field)
		if !ok {
			others := having(a.Field)
			if len(others) > 0 && !o.decided && o.mapping != nil && o.mapping.Auto() {
				continue // a preset may say that the rows are these
			}
			hint := spelling.DidYouMean(a.Field, mapfile.Targets(o.Resource))
			if hint == "" && len(others) > 0 {
				hint = "rows of " + strings.Join(others, ", ") + " have it: say which they are with --resource"
			}
			return optionError("set", fmt.Sprintf("no field %q", a.Field), hint)
		}
		if field = mapfile.Target(field, ""); field == nil {
			return optionError("set", a.Field+" is not a field of "+o.Resource.Some(), "")
		}
		for _, other := range o.set {
			if other.field == field {
				return optionError("set", field.Path+" is set twice", "")
			}
		}
		if fault := tryConstant(field, a.Value); fault != nil {
			return optionError("set", a.Field+": "+fault.Message, fault.Hint)
		}
		o.set = append(o.set, assignment{field, a.Value})
	}
	return nil
}

// having returns the names of the resources that have a field of that path.
func having(path string) (names []string) {
	for _, r := range catalog.Resources {
		if _, ok := r.ByPath(path); ok {
			names = append(names, r.Name)
		}
	}
	return names
}

func tryConstant(field *schema.Field, text string) *schema.Fault {
	var s schema.Setting
	switch {
	case isMarker(text, clearMark):
		return field.Clear(&s)
	case isMarker(text, emptyMark):
		return field.SetEmpty(&s)
	case field.Kind == schema.Timestamp:
		m, fault := datetime.Scan(text, datetime.MonthFirst)
		if fault == datetime.OK && m.HasDate && m.HasTime {
			return nil // its zone and the order of its numbers are the row's matter
		}
	}
	return value.Parse(field, &s, text)
}

// forSheet returns the options of a sheet whose name is that of a resource, where
// neither a flag nor the mapping says what the rows are about.
func (o *options) forSheet(name string) (*options, error) {
	r, ok := catalog.ResourceNamed(name)
	if o.decided || !ok || r == o.Resource {
		return o, nil
	}
	c := o.Config
	c.Resource, c.Set = r, setOf(r, c.Set)
	return c.options()
}

// setOf returns the assignments to fields of a resource: the others are about the rows beside it.
func setOf(r *schema.Resource, all []Assignment) []Assignment {
	return slices.DeleteFunc(slices.Clone(all), func(a Assignment) bool {
		_, has := r.ByPath(a.Field)
		return !has
	})
}

// forSome refuses an assignment to a field that the rows of no input have.
func (o *options) forSome() error {
	for _, a := range o.Set {
		var fields []string
		has := slices.ContainsFunc(o.Inputs, func(in Input) bool {
			fields = append(fields, mapfile.Targets(in.Of())...)
			_, has := in.Of().ByPath(a.Field)
			return has
		})
		if !has {
			return optionError("set", fmt.Sprintf("no field %q", a.Field), spelling.DidYouMean(a.Field, fields))
		}
	}
	return nil
}

// forHeader returns the options of a sheet with this header: those of a preset where
// one is to be found and fits. What was found is told, and what was not, unless the
// columns are the reader's own.
func (o *options) forHeader(header []string, place schema.Place, own bool) (_ *options, preset string, told []schema.Problem) {
	if o.mapping == nil || !o.mapping.Auto() {
		return o, "", nil
	}
	p := schema.Problem{Severity: schema.Warning, Place: place}
	c := o.Config
	if !o.decided {
		c.Resource = nil // the preset's
	}
	if name, ok := mapfile.MatchPreset(header); ok {
		found, err := mapfile.FindPreset(name)
		if err == nil {
			c.Mapping = found.File
			c.Join = slices.DeleteFunc(slices.Clone(c.Join), func(j JoinFile) bool { // another file's preset reads it
				_, reads := found.File.Joins.Get(j.Name)
				return !reads
			})
			p.Code, p.Message = schema.CodePresetTaken, "the columns are those of "+found.File.Source.Title+
				", and are read by the preset "+name
			p.Hint = "eventbatch map show " + name + " prints it"
		}
	} else {
		c.Mapping, c.Join = nil, nil
		p.Code, p.Message = schema.CodeNoPreset, "no preset has exactly these columns: the headers say what they are"
		p.Hint = "name a preset with --mapping, or have a mapping proposed by eventbatch map"
		if near, lacks, more := mapfile.NearPreset(header); near != "" {
			p.Message += "; the nearest is " + near + differences(lacks, more)
			p.Hint = "say --mapping " + near + " to read them by it all the same"
		}
	}
	found, err := c.options()
	switch {
	case err != nil: // not for any preset there is, and yet no reason to read the sheet in another way
		p.Severity, p.Code, p.Message = schema.Error, schema.CodeBadMapping, err.Error()
		p.Hint, _ = failure.HintOf(err)
		return o, "", []schema.Problem{p}
	case found.mapping != nil:
		return found, found.mapping.Preset(), []schema.Problem{p}
	case own:
		return found, "", nil
	}
	return found, "", []schema.Problem{p}
}

// differences says which columns of a preset a file lacks, and which it has more.
func differences(lacks, more []string) string {
	list := func(what string, headers []string) string {
		const most = 5
		words := make([]string, 0, most)
		for _, h := range headers[:min(len(headers), most)] {
			words = append(words, quoted(h))
		}
		switch left := len(headers) - most; {
		case len(headers) == 0:
			return ""
		case left > 0:
			words = append(words, fmt.Sprintf("%d more", left))
		}
		return ", " + what + " " + strings.Join(words, ", ")
	}
	return list("but there is no", lacks) + list("and it does not know", more)
}

func (o *options) sheetOptions() sheet.Options {
	horizon := o.Horizon
	if horizon.IsZero() {
		horizon = o.Now.AddDate(1, 0, 0)
	}
	so := o.Opening()
	so.Stdin, so.SHA256, so.Unsummed, so.Horizon = o.Stdin, o.SHA256, o.Unsummed, horizon
	return so
}
