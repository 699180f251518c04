package fix_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/sheet"
)

func TestDatesOfAWorkbookStayDates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xlsx")
	at := time.Date(2027, 3, 20, 18, 0, 0, 0, time.UTC)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]sheet.Out{
		append(sheet.Texts([]string{"a", "Tea"}), sheet.Out{Kind: sheet.Date, Time: at}),
		append(sheet.Texts([]string{"b", "Jazz"}), sheet.Out{Kind: sheet.Number, Text: "46467.8125"}),
		sheet.Texts([]string{"c", "Chess", "3/21/2027 7:30 PM"}),
	}
	header := []string{"key", "name", "start_at"}
	err = sheet.WriteXLSX(file, []sheet.SheetData{{Name: "S", Header: header, Rows: slices.Values(rows)}})
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	config := mapping.Config{Files: []string{path}, DateOrder: "mdy", Timezone: "Europe/Paris"}
	rules := fix.Rules{Dates: fix.RealDates, Fills: mustFill(t, "end_at=start_at+2h")}
	found, err := mapping.Mend(t.Context(), config, rules)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`D1 fill: "" → "end_at"`, `D2 fill: "" → "2027-03-20 20:00"`, `C3 coerce-dates: "46467.8125" → "2027-03-21T19:30:00"`,
		`D4 fill: "" → "2027-03-21 21:30"`,
	}
	if diff := cmp.Diff(want, lines(found)); diff != "" {
		t.Error(diff)
	}
	if c := found.Edits[1].Cell; c.Kind != sheet.Date || !strings.HasPrefix(c.Time.Format(time.DateTime), "2027-03-20 20:00") {
		t.Errorf("the filled cell is %+v", c)
	}
}

// A time of day is filled as the one that it follows stands in the workbook.
func TestClocksOfAWorkbookStayClocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xlsx")
	at := time.Date(2027, 3, 20, 19, 30, 0, 0, time.UTC)
	day := sheet.Out{Kind: sheet.Date, Time: at.Truncate(24 * time.Hour), Layout: "yyyy-mm-dd"}
	rows := [][]sheet.Out{
		append(sheet.Texts([]string{"a", "Tea"}), day, sheet.Out{Kind: sheet.Date, Time: at, Clock: true, Layout: "hh:mm"}),
		append(sheet.Texts([]string{"b", "Jazz"}), day, sheet.Out{Kind: sheet.Text, Text: "20 Uhr"}),
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	header := []string{"Ref", "What", "Datum", "Beginn", "Ende"}
	err = sheet.WriteXLSX(file, []sheet.SheetData{{Name: "S", Header: header, Rows: slices.Values(rows)}})
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	found, err := mapping.Mend(t.Context(), mapping.Config{
		Files: []string{path}, Timezone: "Europe/Berlin",
		Mapping: mapped(t, "name: What\n  start_at: {from: [Datum, Beginn]}\n  end_at: {from: [Datum, Ende]}"),
	}, fix.Rules{Fills: mustFill(t, "end_at=start_at+2h")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`E2 fill: "" → "21:30"`, `E3 fill: "" → "22:00"`}, lines(found)); diff != "" {
		t.Fatal(diff)
	}
	for _, e := range found.Edits {
		if e.Cell.Kind != sheet.Date || !e.Cell.Clock {
			t.Errorf("%s is %+v", e.Place.Cell(), e.Cell)
		}
	}
}
