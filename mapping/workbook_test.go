package mapping_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/sheet"
)

func TestWorkbook(t *testing.T) {
	header := []string{"key", "name", "start_at", "End Date", "End Time", "timezone", "max_capacity", "show_guest_list"}
	rows := [][]sheet.Out{
		{
			number("17"), text("Tea"), date("2026-03-21 14:30"), date("2026-03-21 00:00"), date("16:00"), text("Europe/London"),
			number("40"),
			{Kind: sheet.Bool, Text: "true"},
		},
		{text("18"), text("Midnight"), date("2026-03-22 00:00"), {}, {}, text("Europe/London")},
		{text("19"), text("Gap"), date("2026-03-29 01:30"), {}, {}, text("Europe/London")},
		{text("20"), text("Number"), number("46000.5"), {}, {}, text("Europe/London"), date("2026-03-21 14:30")},
		{text("21"), text("Time alone"), date("14:30"), {}, {}, text("Europe/London"), number("4.5")},
		{text("22"), date("2026-03-21 14:30"), text("3/21/2026 2:30 PM"), {}, {}, text("Europe/London"), text("1e2")},
		{{}, text("lost"), date("2026-03-22 00:00"), {}, {}, text("Europe/London")},
	}
	path := workbook(
		t, sheet.SheetData{Name: "Spring", Header: header, Rows: slices.Values(rows)},
		sheet.SheetData{Name: "Notes", Header: []string{"name"}, Rows: slices.Values([][]sheet.Out{{text("x")}})},
	)
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
	if o = read(t, mapping.Config{Files: []string{path}, Sheet: "N*"}); brief(o) != "2 name=x missing-column no-key lacks" {
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
	if got := brief(
		read(t, mapping.Config{Files: []string{path}}),
	); got != "2 name=A timezone=UTC bad-time\n3 name=B timezone=UTC bad-time" {
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
	path := file(t, "in.ndjson", ""+
		`{"key":"a","name":"A","start_at":"2026-05-01T10:00Z","coordinate":{"longitude":1.50,"latitude":2},"max_capacity":null}
{"key":"b","start_at":"2026-05-01 10:00","timezone":"Europe/Paris","show_guest_list":true}
`)
	o := read(t, mapping.Config{Files: []string{path}})
	if got := brief(o); got != "2 name=A start_at=2026-05-01T10:00:00Z\n3 start_at=2026-05-01T10:00:00+02:00 timezone=Europe/Paris" {
		t.Error(got)
	}
	want := map[string]string{
		"name": "A", "start_at": "2026-05-01T10:00:00Z", "coordinate": `{"longitude":1.50,"latitude":2}`, "max_capacity": "<clear>",
	}
	if diff := cmp.Diff(want, o.Rows[0].(line).Fields); diff != "" {
		t.Error(diff)
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

func text(s string) sheet.Out { return sheet.Out{Kind: sheet.Text, Text: s} }

func number(s string) sheet.Out { return sheet.Out{Kind: sheet.Number, Text: s} }

func date(s string) sheet.Out {
	at, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		at, _ = time.Parse("15:04", s)
	}
	return sheet.Out{Kind: sheet.Date, Time: at, Clock: err != nil}
}
