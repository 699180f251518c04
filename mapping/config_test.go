package mapping_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
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
		{"nothing", mapping.Config{}, "2 name=A no-zone\n3 name=B ambiguous-date\n5 name=D start_at=2026-05-01T10:00Z"},
		{
			"zone and order",
			mapping.Config{Timezone: "America/New_York", DateOrder: "dmy"},
			"2 name=A timezone=America/New_York dst-overlap\n3 name=B start_at=2026-04-03T10:00:00-04:00 timezone=America/New_York\n5 name=D start_at=2026-05-01T10:00Z timezone=America/New_York",
		},
		{"first", mapping.Config{Timezone: "America/New_York", Overlap: "first", Limit: 1}, "2 name=A start_at=2026-11-01T01:30:00-04:00 timezone=America/New_York"},
		{"second", mapping.Config{Timezone: "America/New_York", Overlap: "second", Limit: 1}, "2 name=A start_at=2026-11-01T01:30:00-05:00 timezone=America/New_York"},
		{"rows", mapping.Config{Rows: mapping.RowSet{{First: 3, Last: 4}, {First: 5, Last: 9}}, Timezone: "UTC", DateOrder: "mdy"}, "3 name=B start_at=2026-03-04T10:00:00Z timezone=UTC\n5 name=D start_at=2026-05-01T10:00Z timezone=UTC"},
		{"rows and a limit", mapping.Config{Rows: mapping.RowSet{{First: 3, Last: 4}, {First: 5, Last: 9}}, Limit: 1, Timezone: "UTC", DateOrder: "mdy"}, "3 name=B start_at=2026-03-04T10:00:00Z timezone=UTC"},
		{
			"set",
			mapping.Config{Limit: 1, Set: []mapping.Assignment{{Field: "name", Value: "All"}, {Field: "visibility", Value: "Members only"}, {Field: "timezone", Value: "Asia/Tokyo"}}},
			"2 name=All start_at=2026-11-01T01:30:00+09:00 timezone=Asia/Tokyo visibility=members-only",
		},
		{"set a time", mapping.Config{Limit: 1, Timezone: "UTC", Set: []mapping.Assignment{{Field: "start_at", Value: "2026-05-01 10:00"}}}, "2 name=A start_at=2026-05-01T10:00:00Z timezone=UTC"},
		{"set an ambiguous time", mapping.Config{Limit: 1, Timezone: "UTC", Set: []mapping.Assignment{{Field: "start_at", Value: "5/6/2026 10:00"}}}, "2 name=A timezone=UTC ambiguous-date"},
		{"create", mapping.Config{Operation: schema.OnCreate, Limit: 1}, "2 name=A no-zone missing-column"},
		{"update", mapping.Config{Operation: schema.OnUpdate, Limit: 1, Timezone: "UTC"}, "2 name=A start_at=2026-11-01T01:30:00Z end-not-moved"},
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
		{mapping.Config{Timezone: "EST"}, `--timezone: "EST" is no IANA time zone name`},
		{mapping.Config{Limit: -1}, "--limit: a number of rows cannot be negative"},
		{mapping.Config{Set: []mapping.Assignment{{Field: "nmae", Value: "x"}}}, `--set: no field "nmae"`},
		{mapping.Config{Set: []mapping.Assignment{{Field: "visibility", Value: "x"}}}, `--set: visibility: "x" is none of the allowed values`},
		{mapping.Config{Set: []mapping.Assignment{{Field: "name", Value: "<clear>"}}}, "--set: name: name cannot be cleared"},
		{mapping.Config{Set: []mapping.Assignment{{Field: "start_at", Value: "soon"}}}, `--set: start_at: "soon" is no date with a time`},
		{mapping.Config{Set: []mapping.Assignment{{Field: "name", Value: "a"}, {Field: "name", Value: "b"}}}, "--set: name is set twice"},
		{mapping.Config{Set: []mapping.Assignment{{Field: "custom_source", Value: "a"}}}, "--set: custom_source is no field of an event"},
	}
	for _, tt := range tests {
		_, err := mapping.Read(t.Context(), tt.config)
		if _, ok := errors.AsType[*mapping.OptionError](err); !ok || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := mapping.ParseAssignment("name"); err == nil || err.Error() != `--set: "name" is no assignment` {
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
		if set.Has(row) {
			has = append(has, row)
		}
	}
	if len(has) != 93 || !slices.Equal(has[:4], []int{2, 3, 4, 10}) {
		t.Error(has)
	}
	for _, text := range []string{"", "a", "0", "-5", "5-2", "1,,2", "1-2-3"} {
		if _, err := mapping.ParseRowSet(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	if !(mapping.RowSet{}).Has(5) {
		t.Error("the empty set admits no row")
	}
}

func TestDatesOfAStreamProveNothing(t *testing.T) {
	const doc = "key,name,start_at,timezone\n1,A,03/04/2026 10:00,UTC\n2,B,25/12/2026 10:00,UTC\n"
	o := read(t, mapping.Config{Files: []string{"-"}, Stdin: strings.NewReader(doc), Format: "csv"})
	if got := brief(o); got != "2 name=A timezone=UTC ambiguous-date\n3 name=B timezone=UTC ambiguous-date" {
		t.Error(got, o.Error)
	}
	o = read(t, mapping.Config{Files: []string{"-"}, Stdin: strings.NewReader(doc), Format: "csv", DateOrder: "dmy"})
	if got := brief(o); got != "2 name=A start_at=2026-04-03T10:00:00Z timezone=UTC\n3 name=B start_at=2026-12-25T10:00:00Z timezone=UTC" {
		t.Error(got, o.Error)
	}
}

// The rows before an error come out, in order, and then the error: whatever the
// number of workers.
func TestErrorInTheMiddle(t *testing.T) {
	var b strings.Builder
	b.WriteString("key,name,start_at\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,Event %d,2026-05-01T10:00Z\n", i, i)
	}
	b.WriteString("x,\"never closed,2026-05-01T10:00Z\n")
	path := file(t, "in.csv", b.String())
	for workers := range 5 {
		r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path}, Workers: workers, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		rows, last := 0, error(nil)
		for result, err := range r.Results(t.Context()) {
			if err != nil {
				last = err
				continue
			}
			if result.Draft.Place.Row != rows+2 || result.Draft.Text(schema.FieldName) != fmt.Sprint("Event ", rows) {
				t.Fatalf("row %d is %v", rows, result.Draft)
			}
			rows++
		}
		if e, ok := errors.AsType[*sheet.Error](last); rows != 5000 || !ok || e.Code != schema.CodeUnclosedQuote {
			t.Errorf("%d workers: %d rows, then %v", workers, rows, last)
		}
		if r.Sources()[0].Rows != 5000 {
			t.Error(r.Sources())
		}
	}
}

func TestReadingCanBeLeftAtAnyRow(t *testing.T) {
	path := programme(t, 3000, isoTimes)
	for _, stop := range []int{1, 2, 700, 2999} {
		r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path, path}, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range r.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d of %d rows", n, stop)
		}
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	path := programme(t, 20_000, isoTimes)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := mapping.Read(ctx, mapping.Config{Files: []string{path}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, error(nil)
	for _, err := range r.Results(ctx) {
		if last = err; err != nil {
			break
		}
		if n++; n == 10 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || n >= 20_000 {
		t.Errorf("%d rows, then %v", n, last)
	}
}

// Whatever the rows hold and however many workers share them, the outcome is one.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"actions", "headers", "one_date", "ragged", "dates_mixed"} {
		doc, err := os.ReadFile("testdata/" + name + ".csv")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(doc))
	}
	f.Fuzz(func(t *testing.T, doc string) {
		var outcomes []outcome
		for _, workers := range []int{1, 3} {
			outcomes = append(outcomes, read(t, mapping.Config{Files: []string{"-"}, Stdin: strings.NewReader(doc), Format: "csv", Timezone: "Europe/London", Workers: workers, KeepCells: true}))
		}
		if diff := cmp.Diff(outcomes[0], outcomes[1]); diff != "" {
			t.Error(diff)
		}
		for _, row := range outcomes[0].Rows {
			for _, p := range row.(line).Fields {
				if strings.Contains(p, "is not its instant") {
					t.Error(p)
				}
			}
		}
	})
}

func TestManyWorkersAgreeWithOne(t *testing.T) {
	var b strings.Builder
	b.WriteString("key,name,start_at,timezone,,max_capacity\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "%d,Event,%d/%d/2026 10:00,Europe/London,%s,%d\n", i%3900, 1+i%12, 1+i%28, strings.Repeat("x", i%500/499), i-20)
	}
	path := file(t, "in.csv", b.String())
	one, many := read(t, mapping.Config{Files: []string{path}, Workers: 1}), read(t, mapping.Config{Files: []string{path}, Workers: 4})
	if diff := cmp.Diff(one, many); diff != "" {
		t.Error(diff)
	}
	if len(one.Rows) != 4000 {
		t.Error(len(one.Rows))
	}
}

func TestReadNoFile(t *testing.T) {
	_, err := mapping.Read(t.Context(), mapping.Config{Files: []string{file(t, "a.csv", "name\nx\n"), filepath.Join(t.TempDir(), "none.csv")}})
	if e, ok := errors.AsType[*sheet.Error](err); !ok || e.Code != schema.CodeUnreadableFile {
		t.Error(err)
	}
}

func TestDuplicatesAcrossFiles(t *testing.T) {
	a := file(t, "a.csv", "key,name,start_at,timezone\nk1,A,2026-05-01T10:00Z,UTC\n")
	b := file(t, "b.csv", "name,key,start_at,timezone\nB,k2,2026-05-01T10:00Z,UTC\nC,k1,2026-05-01T10:00Z,UTC\n")
	o := read(t, mapping.Config{Files: []string{a, b}})
	got := o.Rows[2].(line).Problems
	want := []string{"error duplicate-key " + b + `:3:B3 (key) key: the key "k1" stands in row 2 of ` + a + " already — give each event a key of its own"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(o.Sources) != 2 || o.Sources[1].Rows != 2 || o.Sources[0].SHA256 == o.Sources[1].SHA256 {
		t.Error(o.Sources)
	}
}

func TestImageHost(t *testing.T) {
	path := file(t, "a.csv", "key,name,cover_url,description_md\nk1,A,https://img.example.com/a.jpg,![x](https://img.example.com/b.png)\nk2,B,https://other.example.com/a.jpg,see ![x](https://other.example.com/b.png)\n")
	o := read(t, mapping.Config{Files: []string{path}, Rules: check.Rules{ImageBase: "https://img.example.com"}})
	if got := brief(o); got != "2 name=A\n3 name=B wrong-image-host wrong-image-host" {
		t.Error(got)
	}
	o = read(t, mapping.Config{Files: []string{path}})
	if got := brief(o); got != "2 name=A image-host-unchecked\n3 name=B" {
		t.Error(got)
	}
}

func workbook(t testing.TB, sheets ...sheet.SheetData) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "book.xlsx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sheet.WriteXLSX(f, sheets); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func text(s string) sheet.Out   { return sheet.Out{Kind: sheet.Text, Text: s} }
func number(s string) sheet.Out { return sheet.Out{Kind: sheet.Number, Text: s} }

func date(s string) sheet.Out {
	at, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		at, _ = time.Parse("15:04", s)
	}
	return sheet.Out{Kind: sheet.Date, Time: at, Clock: err != nil}
}

func TestWorkbook(t *testing.T) {
	header := []string{"key", "name", "start_at", "End Date", "End Time", "timezone", "max_capacity", "show_guest_list"}
	rows := [][]sheet.Out{
		{number("17"), text("Tea"), date("2026-03-21 14:30"), date("2026-03-21 00:00"), date("16:00"), text("Europe/London"), number("40"), {Kind: sheet.Bool, Text: "true"}},
		{text("18"), text("Midnight"), date("2026-03-22 00:00"), {}, {}, text("Europe/London")},
		{text("19"), text("Gap"), date("2026-03-29 01:30"), {}, {}, text("Europe/London")},
		{text("20"), text("Number"), number("46000.5"), {}, {}, text("Europe/London"), date("2026-03-21 14:30")},
		{text("21"), text("Time alone"), date("14:30"), {}, {}, text("Europe/London"), number("4.5")},
		{text("22"), date("2026-03-21 14:30"), text("3/21/2026 2:30 PM"), {}, {}, text("Europe/London"), text("1e2")},
		{{}, text("lost"), date("2026-03-22 00:00"), {}, {}, text("Europe/London")},
	}
	path := workbook(t, sheet.SheetData{Name: "Spring", Header: header, Rows: slices.Values(rows)}, sheet.SheetData{Name: "Notes", Header: []string{"name"}, Rows: slices.Values([][]sheet.Out{{text("x")}})})
	o := read(t, mapping.Config{Files: []string{path}, KeepCells: true})
	want := []string{
		"2 name=Tea start_at=2026-03-21T14:30:00Z end_at=2026-03-21T16:00:00Z timezone=Europe/London",
		"3 name=Midnight start_at=2026-03-22T00:00:00Z timezone=Europe/London",
		"4 name=Gap timezone=Europe/London dst-gap",
		"5 name=Number timezone=Europe/London bad-number bad-time",
		"6 name=Time alone timezone=Europe/London bad-number early-serial",
		"7 name=2026-03-21 14:30:00 start_at=2026-03-21T14:30:00Z timezone=Europe/London",
		"8 name=lost start_at=2026-03-22T00:00:00Z timezone=Europe/London no-key",
	}
	got := strings.Split(brief(o), "\n")
	for i := range got {
		words := strings.Fields(got[i])
		slices.SortFunc(words[max(0, len(words)-2):], strings.Compare) // the order of problems is no matter here
		got[i] = strings.Join(words, " ")
	}
	for i := range want {
		words := strings.Fields(want[i])
		slices.SortFunc(words[max(0, len(words)-2):], strings.Compare)
		want[i] = strings.Join(words, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	cells := [][]string{
		{"17", "Tea", "2026-03-21 14:30:00", "2026-03-21", "16:00:00", "Europe/London", "40", "true"},
		{"18", "Midnight", "2026-03-22 00:00:00", "", "", "Europe/London", "", ""},
	}
	for i := range cells {
		if diff := cmp.Diff(cells[i], o.Rows[i].(line).Cells); diff != "" {
			t.Error(diff)
		}
	}
	if len(o.Problems) != 1 || !strings.Contains(o.Problems[0], "only the first sheet") {
		t.Error(o.Problems)
	}
	if o = read(t, mapping.Config{Files: []string{path}, Sheet: "N*"}); brief(o) != "2 name=x missing-column missing-column no-key" {
		t.Error(brief(o), o.Error)
	}
	if o = read(t, mapping.Config{Files: []string{path}, Sheet: "X*"}); !strings.Contains(o.Error, `no sheet fits "X*"`) {
		t.Error(o.Error)
	}
	if o = read(t, mapping.Config{Files: []string{path}, Sheet: "*"}); len(o.Sources) != 2 || len(o.Rows) != 8 {
		t.Error(o.Sources, o.Error)
	}
}

// A date without a time is midnight only where its column shows that it holds times.
func TestSpreadsheetDateWithoutTime(t *testing.T) {
	header := []string{"key", "name", "start_at", "timezone"}
	path := workbook(t, sheet.SheetData{Name: "S", Header: header, Rows: slices.Values([][]sheet.Out{
		{text("1"), text("A"), date("2026-03-21 00:00"), text("UTC")},
		{text("2"), text("B"), date("2026-03-22 00:00"), text("UTC")},
	})})
	if got := brief(read(t, mapping.Config{Files: []string{path}})); got != "2 name=A timezone=UTC bad-time\n3 name=B timezone=UTC bad-time" {
		t.Error(got)
	}
}

func TestLostDigits(t *testing.T) {
	path := workbook(t, sheet.SheetData{Name: "S", Header: []string{"key", "event_id", "name"}, Rows: slices.Values([][]sheet.Out{
		{number("123456789012345"), {}, number("12345678901234567")},
		{number("1.5E+17"), {}, text("B")},
	})})
	o := read(t, mapping.Config{Files: []string{path}})
	if got := brief(o); got != "2 name=12345678901234567\n3 name=B lost-digits" {
		t.Error(got, o.Rows)
	}
}

func TestNDJSON(t *testing.T) {
	path := file(t, "in.ndjson", `{"key":"a","name":"A","start_at":"2026-05-01T10:00Z","coordinate":{"longitude":1.50,"latitude":2},"max_capacity":null}
{"key":"b","start_at":"2026-05-01 10:00","timezone":"Europe/Paris","show_guest_list":true}
`)
	o := read(t, mapping.Config{Files: []string{path}})
	if got := brief(o); got != "2 name=A start_at=2026-05-01T10:00Z\n3 start_at=2026-05-01T10:00:00+02:00 timezone=Europe/Paris" {
		t.Error(got)
	}
	want := map[string]string{"name": "A", "start_at": "2026-05-01T10:00Z", "coordinate": `{"longitude":1.50,"latitude":2}`, "max_capacity": "<clear>"}
	if diff := cmp.Diff(want, o.Rows[0].(line).Fields); diff != "" {
		t.Error(diff)
	}
}
