package mapping_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/check"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// brief gives each row as its number, action and fields, then its codes.
func brief(o outcome) string {
	var rows []string
	for _, row := range o.Rows {
		l := row.(line)
		words := []string{l.Row[strings.LastIndexAny(l.Row, ":!")+1:]}
		for _, name := range []string{"name", "start_at", "end_at", "timezone", "visibility", "event_id"} {
			if v, ok := l.Fields[name]; ok {
				words = append(words, name+"="+v)
			}
		}
		for _, p := range l.Problems {
			words = append(words, strings.Fields(p)[1])
		}
		if l.Skipped != "" {
			words = append(words, "skipped")
		}
		if l.Lacking != "" {
			words = append(words, "lacks")
		}
		rows = append(rows, strings.Join(words, " "))
	}
	return strings.Join(rows, "\n")
}

func TestOptions(t *testing.T) {
	const doc = "key,name,start_at\n1,A,2026-11-01 01:30\n2,B,03/04/2026 10:00\n\n4,D,2026-05-01T10:00Z\n"
	tests := []struct {
		name   string
		config mapping.Config
		want   string
	}{
		{"nothing", mapping.Config{}, "2 name=A lacks\n3 name=B ambiguous-date\n5 name=D start_at=2026-05-01T10:00:00Z"},
		{
			"zone and order",
			mapping.Config{Timezone: "America/New_York", DateOrder: "dmy"},
			"2 name=A timezone=America/New_York dst-overlap\n" +
				"3 name=B start_at=2026-04-03T10:00:00-04:00 timezone=America/New_York\n" +
				"5 name=D start_at=2026-05-01T10:00:00Z timezone=America/New_York",
		},
		{
			"first",
			mapping.Config{Timezone: "America/New_York", Overlap: "first", Limit: 1},
			"2 name=A start_at=2026-11-01T01:30:00-04:00 timezone=America/New_York",
		},
		{
			"second",
			mapping.Config{Timezone: "America/New_York", Overlap: "second", Limit: 1},
			"2 name=A start_at=2026-11-01T01:30:00-05:00 timezone=America/New_York",
		},
		{
			"rows",
			mapping.Config{Rows: mapping.RowSet{{First: 3, Last: 4}, {First: 5, Last: 9}}, Timezone: "UTC", DateOrder: "mdy"},
			"3 name=B start_at=2026-03-04T10:00:00Z timezone=UTC\n5 name=D start_at=2026-05-01T10:00:00Z timezone=UTC",
		},
		{
			"rows and a limit",
			mapping.Config{Rows: mapping.RowSet{{First: 3, Last: 4}, {First: 5, Last: 9}}, Limit: 1, Timezone: "UTC", DateOrder: "mdy"},
			"3 name=B start_at=2026-03-04T10:00:00Z timezone=UTC",
		},
		{
			"set",
			mapping.Config{
				Limit: 1,
				Set: []mapping.Assignment{
					{Field: "name", Value: "All"},
					{Field: "visibility", Value: "Members only"},
					{Field: "timezone", Value: "Asia/Tokyo"},
				},
			},
			"2 name=All start_at=2026-11-01T01:30:00+09:00 timezone=Asia/Tokyo visibility=members-only",
		},
		{
			"set a time",
			mapping.Config{Limit: 1, Timezone: "UTC", Set: []mapping.Assignment{{Field: "start_at", Value: "2026-05-01 10:00"}}},
			"2 name=A start_at=2026-05-01T10:00:00Z timezone=UTC",
		},
		{
			"set an ambiguous time",
			mapping.Config{Limit: 1, Timezone: "UTC", Set: []mapping.Assignment{{Field: "start_at", Value: "5/6/2026 10:00"}}},
			"2 name=A timezone=UTC ambiguous-date",
		},
		{"create", mapping.Config{Operation: schema.OnCreate, Limit: 1}, "2 name=A lacks"},
		{
			"update",
			mapping.Config{Operation: schema.OnUpdate, Limit: 1, Timezone: "UTC"},
			"2 name=A start_at=2026-11-01T01:30:00Z end-not-moved",
		},
		{"header row", mapping.Config{HeaderRow: 1, Limit: 1, Timezone: "UTC"}, "2 name=A start_at=2026-11-01T01:30:00Z timezone=UTC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.Files = []string{file(t, "in.csv", doc)}
			o := read(t, tt.config)
			if diff := cmp.Diff(tt.want, brief(o)); diff != "" || o.Error != "" {
				t.Error(diff, o.Error)
			}
			if o.Sources[0].SHA256 == "" {
				t.Error("the hash is not known")
			}
		})
	}
}

func TestWrongOptions(t *testing.T) {
	tests := []struct {
		config mapping.Config
		want   string
	}{
		{mapping.Config{DateOrder: "us"}, `--date-order: no order "us"`},
		{mapping.Config{Overlap: "third"}, `--overlap: no choice "third"`},
		{mapping.Config{Timezone: "EST"}, `--timezone: "EST" is not a known time zone`},
		{mapping.Config{Limit: -1}, "--limit: a number of rows cannot be negative"},
		{mapping.Config{Set: []mapping.Assignment{{Field: "nmae", Value: "x"}}}, `--set: no field "nmae"`},
		{
			mapping.Config{Set: []mapping.Assignment{{Field: "visibility", Value: "x"}}},
			`--set: visibility: "x" is not one of the allowed values`,
		},
		{mapping.Config{Set: []mapping.Assignment{{Field: "name", Value: "<clear>"}}}, "--set: name: name cannot be cleared"},
		{
			mapping.Config{Set: []mapping.Assignment{{Field: "start_at", Value: "soon"}}},
			`--set: start_at: "soon" is not a date with a time`,
		},
		{mapping.Config{Set: []mapping.Assignment{{Field: "name", Value: "a"}, {Field: "name", Value: "b"}}}, "--set: name is set twice"},
		{
			mapping.Config{Set: []mapping.Assignment{{Field: "custom_source", Value: "a"}}},
			"--set: custom_source is not a field of an event",
		},
	}
	for _, tt := range tests {
		_, err := mapping.Read(t.Context(), tt.config)
		if !errors.Is(err, failure.Usage) || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := mapping.ParseAssignment("name"); err == nil || err.Error() != `--set: "name" is not an assignment` {
		t.Error(err)
	}
	if a, err := mapping.ParseAssignment("name=a=b"); err != nil || a != (mapping.Assignment{Field: "name", Value: "a=b"}) {
		t.Error(a, err)
	}
}

func TestParseRowSet(t *testing.T) {
	set, err := mapping.ParseRowSet("77, 2-4,10-")
	if err != nil {
		t.Fatal(err)
	}
	var has []int
	for row := range 100 {
		if set.Has("any", row) {
			has = append(has, row)
		}
	}
	if len(has) != 93 || !slices.Equal(has[:4], []int{2, 3, 4, 10}) {
		t.Error(has)
	}
	for _, text := range []string{"", "a", "0", "-5", "5-2", "1,,2", "1-2-3", "Guests!", "Guests"} {
		if _, err := mapping.ParseRowSet(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	if set, err = mapping.ParseRowSet("Guests!2-4, It's!so!7"); err != nil || set.Has("Events", 3) || !set.Has("Guests", 3) ||
		set.Has("Guests", 7) || !set.Has("It's!so", 7) {
		t.Error(set, err)
	}
	for _, sheet := range []string{"Tea, coffee", "'Tis, so", " Tea", "It's!so", "Tea!'s, 2-4"} {
		set, err := mapping.ParseRowSet(mapping.RowsOf(sheet) + "2-4," + mapping.RowsOf(sheet) + "7")
		if err != nil || !set.Has(sheet, 3) || !set.Has(sheet, 7) || set.Has(sheet, 5) || set.Has("", 3) {
			t.Errorf("%q: %v, %v", sheet, set, err)
		}
	}
	if !(mapping.RowSet{}).Has("", 5) {
		t.Error("the empty set admits no row")
	}
}

func TestDatesOfAStreamProveTheirOrder(t *testing.T) {
	doc := "key,name,start_at,timezone\n1,A,03/04/2026 10:00,UTC\n2,B,25/12/2026 10:00,UTC\n"
	o := read(t, mapping.Config{Files: []string{"-"}, Stdin: strings.NewReader(doc), Format: "csv"})
	if got := brief(o); got != "2 name=A start_at=2026-04-03T10:00:00Z timezone=UTC\n3 name=B start_at=2026-12-25T10:00:00Z timezone=UTC" {
		t.Error(got, o.Error)
	}
}

func TestImageHost(t *testing.T) {
	path := file(
		t, "a.csv",
		"key,name,cover_url,description_md\nk1,A,https://img.example.com/a.jpg,![x](https://img.example.com/b.png)\nk2,B,"+
			"https://other.example.com/a.jpg,see ![x](https://other.example.com/b.png)\n",
	)
	o := read(t, mapping.Config{Files: []string{path}, Rules: check.Rules{ImageBase: "https://img.example.com"}})
	if got := brief(o); got != "2 name=A\n3 name=B wrong-image-host wrong-image-host" {
		t.Error(got)
	}
	o = read(t, mapping.Config{Files: []string{path}})
	if got := brief(o); got != "2 name=A image-host-unchecked\n3 name=B" {
		t.Error(got)
	}
}
