package mapfile_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/yamldoc"
)

const wholeFile = `version: 1
operation: upsert
sheet: "Spring*"
key: External ID
calendar: {column: Calendar}
timezone: {column: Zone, default: America/New_York, overlap: error}
date_order: mdy
columns:
  name:             Title
  start_at:         {from: [Date, Start time]}
  end_at:           {expr: 'start_at + duration("2h")'}
  visibility:       {from: Access, values: {Everyone: public, Members: members-only}}
  description_md:   {from: [Intro, Text], join: "\n\n"}
  geo_address_json: {from: Venue, as: manual}
  max_capacity:     {value: 100}
  tint_color:       {from: Color, default: "#ff8800"}
ignore: [Notes, "Internal *"]
filter: 'Status != "Cancelled"'
reads:
  name: {tbd: blank}
  start_at: {Mar 4: year 2027, Doors: ignore, late: "23:00"}
tests:
  - given: {Title: Tea, Date: 3/8/2026, Start time: 2:30 AM}
    error: {column: Start time, code: dst-gap}
  - given: {Title: Tea, Date: 3/8/2026, Start time: 2:30 PM, Access: everyone, Status: Planned, External ID: 7}
    expect: {name: Tea, start_at: "2026-03-08T14:30:00-04:00", end_at: "2026-03-08T16:30:00-04:00", visibility: public,
      key: "7", max_capacity: "100", tint_color: "#ff8800"}
  - given: {Title: Tea, Status: Cancelled}
    skip: true
`

func TestFileRoundTrip(t *testing.T) {
	f, err := mapfile.Decode([]byte(wholeFile), "spring.map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := mapfile.Decode(out, "spring.map.yaml")
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if diff := cmp.Diff(f, again, cmpopts.IgnoreUnexported(mapfile.File{}), cmpopts.IgnoreTypes(yamldoc.Pos{})); diff != "" {
		t.Errorf("%s in\n%s", diff, out)
	}
}

func TestFileMistakes(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"no version", "columns: {name: Title}", "m.yaml: version: version 0 is not known (write version: 1)"},
		{"unknown key", "version: 1\ncolums: {}", "m.yaml:2: colums: unknown key (did you mean columns?)"},
		{"unknown field", "version: 1\ncolumns:\n  nmae: Title", "m.yaml:3: columns.nmae: no such field (did you mean name?)"},
		{
			"no field of an event", "version: 1\ncolumns: {custom_source: A}",
			"m.yaml:2: columns.custom_source: old name of a guest's utm_source; an event has no such field, so the column is ignored " +
				"(leave it out)",
		},
		{
			"two ways", "version: 1\ncolumns: {name: {from: A, value: b}}",
			"m.yaml:2: columns.name: 2 of from, expr and value are given, need one (write the header of a column, or one of from, expr " +
				"and value)",
		},
		{
			"no way", "version: 1\ncolumns: {name: {default: b}}",
			"m.yaml:2: columns.name: 0 of from, expr and value are given, need one (write the header of a column, or one of from, expr " +
				"and value)",
		},
		{
			"html of no Markdown", "version: 1\ncolumns: {name: {from: A, html: true}}",
			"m.yaml:2: columns.name.html: there is no HTML to convert (use it with from, for a field of Markdown such as description_md)",
		},
		{
			"no part of a range", "version: 1\ncolumns: {start_at: {from: A, range: begin}}",
			`m.yaml:2: columns.start_at.range: no part of a range "begin" (write start or end)`,
		},
		{
			"a range of no column", "version: 1\ncolumns: {start_at: {value: 2027-03-07, range: start}}",
			"m.yaml:2: columns.start_at.range: there is no range to take a time from (use it with from, for start_at and end_at)",
		},
		{
			"a reading of an unknown field", "version: 1\nreads:\n  max_capcity: {unbegrenzt: <clear>}",
			"m.yaml:3: reads.max_capcity: no such field (did you mean max_capacity?)",
		},
		{
			"a reading that does not fit", "version: 1\nreads:\n  max_capacity:\n    Doors: ignore",
			"m.yaml:4: reads.max_capacity.Doors: the reading ignore does not fit max_capacity",
		},
		{
			"a misspelt reading", "version: 1\nreads: {max_capacity: {\"1.200\": thousand}}",
			`m.yaml:2: reads.max_capacity.1.200: "thousand" is no reading and no number (write thousands, number, <clear>, blank, ` +
				"all blank, or the number that it is)",
		},
		{
			"a time in its own expression", "version: 1\ncolumns:\n  start_at: {expr: 'start_at + duration(\"24h\")'}",
			`m.yaml:3: columns.start_at.expr: start_at is blank in its own expression: it is the value that the field has been given ` +
				`(write col("start_at") for the text of the cell)`,
		},
		{
			"a field in its own expression", "version: 1\ncolumns: {name: {expr: 'upper(field(\"name\"))'}}",
			`m.yaml:2: columns.name.expr: name is blank in its own expression: it is the value that the field has been given ` +
				`(write col("name") for the text of the cell)`,
		},
		{
			"a field of a later expression",
			"version: 1\ncolumns: {name: {expr: 'field(\"slug\")'}, slug: {expr: 'lower(Title)'}}",
			`m.yaml:2: columns.name.expr: slug is blank here: its own expression comes later (put the line of slug before that of name)`,
		},
		{
			"a field in a filter", "version: 1\nfilter: 'field(\"visibility\") == \"public\"'",
			`m.yaml: filter: visibility is blank in a filter, which is asked before the fields have values ` +
				`(write col("its header") for the text of the cell)`,
		},
		{
			"two readings of one shape", "version: 1\nreads: {start_at: {Mar 4: year 2027, Mai 5: year 2028}}",
			`m.yaml:2: reads.start_at.Mai 5: "Mar 4" reads the same cells (keep one of them)`,
		},
		{
			"readings of words", "version: 1\nreads: {visibility: {Alle: public}}",
			"m.yaml:2: reads.visibility.Alle: visibility takes a few words only (say what each cell stands for under values of its column)",
		},
		{
			"readings beside values", "version: 1\ncolumns: {name: {from: A, values: {x: y}}}\nreads: {name: {tbd: blank}}",
			"m.yaml:3: reads.name: columns.name says already what its cells stand for (keep one of them)",
		},
		{"dash order", "version: 1\ndash_order: ymd", `m.yaml: dash_order: no date order "ymd" (write mdy or dmy)`},
		{
			"optional", "version: 1\noptional: ['[a']",
			`m.yaml: optional: "[a" is not a pattern (* stands for any text, ? for one letter, [ begins a set)`,
		},
		{
			"a join without a key", "version: 1\njoins: {venues: {on: Venue}}",
			"m.yaml:2: joins.venues: nothing says which columns have the same text (give both on and key)",
		},
		{
			"a join of two words", "version: 1\njoins: {'a b': {on: A, key: B}}",
			"m.yaml:2: joins.a b: this cannot be the name of a table (use one word)",
		},
		{
			"unroll without days", "version: 1\nunroll: {start: A, until: B}",
			"m.yaml:2: unroll: nothing says on which days an event takes place (give the column of the weekdays as days)",
		},
		{
			"unroll without a last day", "version: 1\nunroll: {days: A, start: B}",
			"m.yaml:2: unroll: nothing says between which days an event takes place (give both start and until)",
		},
		{
			"unroll with one clock", "version: 1\nunroll: {days: A, start: B, until: C, clocks: D}",
			"m.yaml:2: unroll.clocks: 1 columns, need two (give the columns of the start's and the end's time)",
		},
		{
			"unroll without end", "version: 1\nunroll: {days: A, start: B, until: C, limit: 99999}",
			"m.yaml:2: unroll.limit: no limit 99999 (write a number from 1 to 3660)",
		},
		{
			"all day", "version: 1\nall_day: {ends: noon}",
			"m.yaml:2: all_day.column: nothing says which rows take whole days\nm.yaml:2: all_day.ends: no kind of end \"noon\" (write " +
				"last-day or next-day, or leave it out)",
		},
		{
			"all day value", "version: 1\nall_day: {column: A, values: {x: maybe}}",
			`m.yaml:2: all_day.values.x: no answer "maybe" (write true or false)`,
		},
		{
			"alias of nothing", "version: 1\naliases: {A: []}",
			"m.yaml:2: aliases.A: no name is given (write the column's name in this mapping, then its other names)",
		},
		{
			"as elsewhere", "version: 1\ncolumns: {name: {from: A, as: manual}}",
			"m.yaml:2: columns.name.as: only a location can be manual, google or lookup (use it with geo_address_json)",
		},
		{
			"as what", "version: 1\ncolumns: {geo_address_json: {from: A, as: yahoo}}",
			`m.yaml:2: columns.geo_address_json.as: no kind of location "yahoo" (write manual, google or lookup)`,
		},
		{
			"as and its short field", "version: 1\ncolumns: {geo_address_json: {from: A, as: manual}, address: B}",
			"m.yaml:2: columns.address: columns.geo_address_json feeds the same field (keep one of them)",
		},
		{
			"old and new name", "version: 1\ncolumns: {api_id: A, event_id: B}",
			"m.yaml:2: columns.event_id: columns.api_id feeds the same field (keep one of them)",
		},
		{"key twice", "version: 1\nkey: A\ncolumns: {key: B}", "m.yaml:3: columns.key: key feeds the same field (keep one of them)"},
		{
			"three columns of a time", "version: 1\ncolumns: {start_at: {from: [A, B, C]}}",
			"m.yaml:2: columns.start_at.from: 3 columns for one time (give a column of dates and one of times)",
		},
		{"bad expression", "version: 1\ncolumns: {name: {expr: 'a +'}}", "m.yaml:2: columns.name.expr: unexpected token EOF (at letter 3)"},
		{"bad filter", "version: 1\nfilter: 'a =='", "m.yaml: filter: unexpected token EOF (at letter 4)"},
		{
			"bad zone", "version: 1\ntimezone: {default: EST}",
			`m.yaml:2: timezone.default: "EST" is not a known time zone (did you mean America/New_York?)`,
		},
		{
			"bad overlap", "version: 1\ntimezone: {overlap: both}",
			`m.yaml:2: timezone.overlap: no way to read a time that exists twice: "both" (write error, first or second)`,
		},
		{"bad order", "version: 1\ndate_order: us", `m.yaml: date_order: no date order "us" (write mdy, dmy or ymd)`},
		{
			"bad glob", "version: 1\nignore: ['[a']",
			`m.yaml: ignore: "[a" is not a pattern (* stands for any text, ? for one letter, [ begins a set)`,
		},
		{
			"calendar twice", "version: 1\ncalendar: {column: A, value: b}",
			"m.yaml:2: calendar: both column and value are given (keep one of them)",
		},
		{
			"test of nothing", "version: 1\ntests:\n  - given: {A: b}",
			"m.yaml:3: tests[0]: the test expects nothing (write expect, error or skip: true)",
		},
		{
			"test of no column", "version: 1\ntests:\n  - given: {'': b}\n    skip: true",
			"m.yaml:3: tests[0].given: the name of a column is blank",
		},
		{
			"test of no field", "version: 1\ntests:\n  - expect: {nam: b}",
			"m.yaml:3: tests[0].expect.nam: no such field (did you mean name?)",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := mapfile.Decode([]byte(tt.doc), "m.yaml")
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if _, ok := errors.AsType[*yamldoc.Error](err); !ok {
				t.Errorf("%T", err)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	_, err := mapfile.Load("googel-calendar")
	unknown, ok := errors.AsType[*failure.Error](err)
	if !ok || !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(unknown.Hint(), "did you mean google-calendar? the presets are ") {
		t.Error(err)
	}
	for _, p := range mapfile.Presets() {
		if f, err := mapfile.Load(p.Name); err != nil || f.Source.Title == "" {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if _, err := mapfile.Load("testdata/none.map.yaml"); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "preset") {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(wholeFile))
	f.Add([]byte("version: 1\ncolumns: {name: {expr: 'col(\"A\") ?? b'}}"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		file, err := mapfile.Decode(doc, "m.yaml")
		if err != nil {
			return
		}
		out, err := file.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mapfile.Decode(out, "m.yaml"); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
	})
}
