// Package mapfile holds mapping files: which column feeds which field.
package mapfile

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/yamldoc"
)

// Second ends the name by which a mapping reads the second column of a header.
const Second = " (2)"

// Version is the version of mapping files that is read and written.
const Version = 1

// File is a mapping as a person writes it: which column feeds which field.
// Where it has columns, they alone are read; without any, the headers say what they are.
type File struct {
	Version    int                 `yaml:"version"`
	Open       yamldoc.Map[string] `yaml:"open"`        // questions that nobody has answered, by their ids: see [File.Finished]
	Answered   yamldoc.Map[string] `yaml:"answered"`    // what was answered while others are open, for whoever answers those
	Source     Origin              `yaml:"source"`      // the program whose files this is made for
	Resource   string              `yaml:"resource"`    // what the rows are about; empty: what the sheet's name says, else events
	Operation  string              `yaml:"operation"`   // create, update or upsert; empty: upsert
	Encoding   string              `yaml:"encoding"`    // of text files that are not UTF-8; empty: found
	RowsAt     string              `yaml:"rows_at"`     // path to the rows of a JSON document; empty: found
	Sheet      Names               `yaml:"sheet"`       // globs; empty: the first visible sheet
	SkipSheets Names               `yaml:"skip_sheets"` // globs of sheets of the same columns that are not read: nobody is warned of them
	HeaderRow  int                 `yaml:"header_row"`  // from 1; 0: found
	Named      yamldoc.Map[string] `yaml:"names"`       // what columns without a header are called, by their letters
	SkipRows   Names               `yaml:"skip_rows"`   // kinds of rows that are no events: headings, totals, headers, separators
	Hidden     string              `yaml:"hidden_rows"` // read or skip; empty: read, and said
	Struck     string              `yaml:"struck_rows"` // likewise, of rows that are struck through
	Fill       yamldoc.Map[string] `yaml:"fill"`        // columns whose cells take what stands above: down, heading, both or a date
	Aliases    yamldoc.Map[Names]  `yaml:"aliases"`     // what else a column may be called, by its name in this mapping
	Optional   []string            `yaml:"optional"`    // globs of headers that a file may lack
	Joins      yamldoc.Map[Join]   `yaml:"joins"`       // second tables, by name: venues is read as venues.City
	Split      Names               `yaml:"split"`       // columns whose cells list times or dates, each of which is an event
	Grid       Grid                `yaml:"grid"`
	Group      Names               `yaml:"group"` // rows that have the same texts here are one event
	Unroll     Unroll              `yaml:"unroll"`
	Key        Names               `yaml:"key"` // column that names a row for good
	Calendar   Calendar            `yaml:"calendar"`
	Timezone   Timezone            `yaml:"timezone"`
	AllDay     AllDay              `yaml:"all_day"`
	DateOrder  string              `yaml:"date_order"` // mdy, dmy or ymd; empty: what each column proves
	DashOrder  string              `yaml:"dash_order"` // of dates with dashes or dots, where it is another
	Columns    yamldoc.Map[Column] `yaml:"columns"`    // by field path
	Ignore     []string            `yaml:"ignore"`     // globs of headers that are not warned of
	Reads      Readings            `yaml:"reads"`      // how cells of more than one reading are read, by field path
	// Marked are the names of events that say that they are called off, sold out or private, and the other texts that
	// begin by calling one off, whose rows are made like the others; * is all of them.
	Marked []string `yaml:"marked_names"`
	Filter string   `yaml:"filter"` // rows for which it is false are skipped
	Tests  []Test   `yaml:"tests"`

	name   string
	preset string // its name, where the mapping is a preset
	auto   bool   // each sheet is read by the preset that its header fits
}

// Readings is by field path an example of a cell with its reading: see package reads.
type Readings = yamldoc.Map[yamldoc.Map[string]]

// The words of File.Hidden and File.Struck.
const (
	HiddenRead = "read"
	HiddenSkip = "skip"
)

// Origin says what program a mapping's files come from. A header is that program's
// where it has all of Headers and nothing but these and Also, or whatever there is beside them where More says that
// the program adds columns of its users: one for each question, as ticket shops do.
type Origin struct {
	Title   string   `yaml:"title"`
	Headers []string `yaml:"headers"`
	Also    []string `yaml:"also"`
	// Beside are the presets that read the same rows as something else, such as orders as guests.
	Beside []string `yaml:"beside"`
	More   bool     `yaml:"more"`
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

// Encode writes the mapping as a file that [Decode] reads back to the same. What
// [Auto] stands for depends on the files that are read: it is no mapping by itself.
func (f *File) Encode() ([]byte, error) {
	text, err := yamldoc.Encode(f)
	if f.auto {
		text = append([]byte("# auto\n"), text...)
	}
	return text, err
}

// Finished returns an error where questions about the mapping are open: nobody has said then what some of
// the cells mean. Inputs are the files that it would read.
func (f *File) Finished(inputs []string) error {
	if len(f.Open) == 0 {
		return nil
	}
	input, flags, ids := "FILE", "", make([]string, len(f.Open))
	if len(inputs) > 0 {
		input = spelling.Quoted(inputs[0])
	}
	say := func(flag, value string) {
		if value != "" {
			flags += " --" + flag + " " + spelling.Quoted(value)
		}
	}
	if _, asked := f.Answered.Get("rows"); !asked {
		say("resource", f.Resource)
	}
	if _, asked := f.Answered.Get("sheet"); !asked && len(f.Sheet) == 1 {
		say("sheet", f.Sheet[0])
	}
	say("encoding", f.Encoding)
	say("rows-at", f.RowsAt)
	answer := func(id, value string) { say("answer", id+"="+value) }
	if f.HeaderRow > 0 {
		answer("header_row", strconv.Itoa(f.HeaderRow))
	}
	for i := range f.Answered {
		answer(f.Answered[i].Key, f.Answered[i].Value)
	}
	for i := range f.Open {
		ids[i] = f.Open[i].Key
		answer(ids[i], "…")
	}
	are := " is open: "
	if len(ids) > 1 {
		are = " are open: "
	}
	first := &f.Open[0]
	return failure.New(failure.Config, &yamldoc.Error{
		File: f.name, Pos: first.Pos, Message: "the mapping is not finished; " + strings.Join(ids, ", ") + are + first.Value,
	}, "answer: eventbatch map "+input+" -o "+spelling.Quoted(f.name)+" --force"+flags+
		"; or write the lines yourself, and take the questions out of open")
}

// Name returns the file's name, empty where the mapping was not read from one.
func (f *File) Name() string { return f.name }

// Preset returns the preset's name, empty where the mapping is none.
func (f *File) Preset() string { return f.preset }

// Auto reports whether the mapping is what [Auto] gives.
func (f *File) Auto() bool { return f.auto }

// May reports whether a file may lack a column.
func (f *File) May(name string) bool {
	return slices.ContainsFunc(f.Optional, func(glob string) bool { return fits(glob, name) })
}

// Ignores reports whether nobody is warned of a column that is not read.
func (f *File) Ignores(header string) bool {
	return slices.ContainsFunc(f.Ignore, func(glob string) bool { return fits(glob, header) })
}

// SkipsSheet reports whether the mapping says that a sheet of its columns is not read.
func (f *File) SkipsSheet(name string) bool {
	return slices.ContainsFunc(f.SkipSheets, func(glob string) bool { return fits(glob, name) })
}

// Makes reports whether rows of events are made one of whose texts says that they are called off, or whose name that they are
// sold out or private.
func (f *File) Makes(text string) bool {
	if f == nil {
		return false
	}
	return slices.ContainsFunc(f.Marked, func(m string) bool { return m == "*" || strings.EqualFold(m, strings.TrimSpace(text)) })
}

// Inputs lists the headers that the mapping reads, as far as can be told without a file.
func (f *File) Inputs() []string {
	names := slices.Concat(f.Key, f.Split, f.Group, f.Unroll.Clocks)
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
		names = append(names, f.Columns[i].Value.Inputs()...)
	}
	return slices.Concat(names, f.Months(), formula.Mentioned(f.Filter))
}

// Months returns the columns of months, and of their years, by which days are completed.
func (f *File) Months() (names []string) {
	for i := range f.Fill {
		if fill, _ := reshape.ParseFill(f.Fill[i].Value); fill.Month != "" {
			if names = append(names, fill.Month); fill.Year != "" {
				names = append(names, fill.Year)
			}
		}
	}
	return names
}

// Header returns the header of a file with the names that the mapping has for columns without any.
func (f *File) Header(header []string) []string {
	for i, item := range f.Named {
		if i == 0 {
			header = slices.Clone(header)
		}
		if column, ok := schema.ColumnIndex(item.Key); ok && column < len(header) && strings.TrimSpace(header[column]) == "" {
			header[column] = item.Value
		}
	}
	return header
}
