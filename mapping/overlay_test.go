package mapping_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// oddCells are what a column of events may hold, right and wrong.
var oddCells = [][]string{
	{"a", "b", "c", ""}, // keys
	{"Tea", "=1+1", "'=x", " Tea ", "Jazz\nin two lines", ""},
	{"2027-03-04 19:00", "04/03/2027 19:00", "31.02.2027", "19:00", "2027-03-28 02:30", "7-9pm", ""},
	{"2027-03-04 21:00", "2027-03-01 21:00", "", "soon"},
	{"Europe/Berlin", "Berlin", "", "America/New_York"},
	{"public", "Everyone", "nobody", ""},
	{"40", "1.200", "25 Pers.", "", "-1"},
}

var oddHeader = []string{"key", "name", "start_at", "end_at", "timezone", "visibility", "max_capacity"}

// oddRows draws rows of such cells.
func oddRows(t *rapid.T) [][]string {
	return rapid.SliceOfN(rapid.Custom(oddRow), 1, 12).Draw(t, "rows")
}

func oddRow(t *rapid.T) []string {
	row := make([]string, len(oddCells))
	for i, cells := range oddCells {
		row[i] = rapid.SampledFrom(cells).Draw(t, oddHeader[i])
	}
	return row
}

// newCells draws what cells of a number of rows become.
func newCells(t *rapid.T, name string, rows int) []sheet.NewCell {
	var cells []sheet.NewCell
	for range rapid.IntRange(1, 10).Draw(t, "edits") {
		column := rapid.IntRange(0, len(oddCells)-1).Draw(t, "column")
		cell := sheet.NewCell{Sheet: name, Row: 2 + rapid.IntRange(0, rows-1).Draw(t, "row"), Column: column}
		if slices.ContainsFunc(cells, func(c sheet.NewCell) bool { return c.Row == cell.Row && c.Column == cell.Column }) {
			continue
		}
		cell.Cell = sheet.Out{Kind: sheet.Text, Text: rapid.SampledFrom(oddCells[column]).Draw(t, "cell")}
		if at := time.Date(2027, 3, 4, 19, 0, 0, 0, time.UTC); column == 2 && rapid.Bool().Draw(t, "date") {
			cell.Cell = sheet.Out{Kind: sheet.Date, Time: at}
		}
		cells = append(cells, cell)
	}
	return cells
}

// writeOdd writes rows as a text or as a workbook, and returns its path with the name of the sheet.
func writeOdd(t rapid.TB, dir string, rows [][]string, book bool) (path, name string) {
	var out bytes.Buffer
	path = filepath.Join(dir, "in.csv")
	if book {
		path, name = filepath.Join(dir, "in.xlsx"), "Events"
		var cells [][]sheet.Out
		for _, row := range rows {
			cells = append(cells, sheet.Texts(row))
		}
		if err := sheet.WriteXLSX(&out, []sheet.SheetData{{Name: name, Header: oddHeader, Rows: slices.Values(cells)}}); err != nil {
			t.Fatal(err)
		}
	} else {
		for _, row := range append([][]string{oddHeader}, rows...) {
			line := make([]string, len(row))
			for i, cell := range row {
				if cell != "" {
					line[i] = quote(cell)
				}
			}
			out.WriteString(strings.Join(line, ",") + "\n")
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, name
}

// told is all that a reading says, a line a row.
func told(ctx context.Context, t rapid.TB, config mapping.Config) []string {
	reading, err := mapping.Read(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for result, err := range reading.Results(ctx) {
		if err != nil {
			return append(lines, err.Error())
		}
		lines = append(lines, rowTold(result))
	}
	return append(lines, fmt.Sprint(reading.Problems()))
}

func rowTold(r *mapping.Result) string {
	place := r.Draft.Place
	place.Line = 0 // a cell of several lines moves the lines below it
	problems := slices.Clone(r.Problems)
	for i := range problems {
		problems[i].Place.Line = 0
	}
	return fmt.Sprintf("%s: %v %q %q %v lacking %q", place, fieldsOf(r.Draft), r.Draft.Key, r.Skipped, problems, r.Lacking)
}

// Cells that are laid over the rows of a file are read as those of a copy that has them.
func TestCellsLaidOverAreThoseOfTheCopy(t *testing.T) {
	dir := t.TempDir()
	filled := &mapfile.File{Version: mapfile.Version, Fill: yamldoc.Map[string]{{Key: "name", Value: "down"}}}
	rapid.Check(t, func(t *rapid.T) {
		rows := oddRows(t)
		path, name := writeOdd(t, dir, rows, rapid.Bool().Draw(t, "book"))
		patch := &sheet.Patch{Path: path, Cells: newCells(t, name, len(rows))}
		copied := filepath.Join(dir, "copy"+filepath.Ext(path))
		var out bytes.Buffer
		if err := patch.Write(t.Context(), &out); err != nil {
			if strings.Contains(err.Error(), "there is no row") { // a blank one
				t.Skip(err)
			}
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay, err := patch.Overlay(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		config := mapping.Config{Now: now, Timezone: berlin, Names: map[string]string{path: "x", copied: "x"}}
		if rapid.Bool().Draw(t, "filled") {
			config.Mapping = filled
		}
		config.Files = []string{copied}
		want := told(t.Context(), t, config)
		config.Files, config.Edited = []string{path}, overlay
		if diff := cmp.Diff(want, told(t.Context(), t, config)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What is said of a row that is read once more is what a reading of the whole file says of it, but for what only other
// rows can say.
func TestARowReadAgainIsThatOfTheWhole(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		rows := oddRows(t)
		path, name := writeOdd(t, dir, rows, rapid.Bool().Draw(t, "book"))
		patch := &sheet.Patch{Path: path, Cells: newCells(t, name, len(rows))}
		overlay, err := patch.Overlay(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		edited := map[int]sheet.Row{}
		config := mapping.Config{
			Files: []string{path}, Now: now, DateOrder: "dmy", KeepOpen: true, Workers: 1,
			Timezone: rapid.SampledFrom([]string{"", berlin}).Draw(t, "zone"),
			Edited: func(name string, row *sheet.Row) {
				laid := *row
				overlay(name, &laid)
				edited[row.Number] = laid
			},
		}
		before, err := mapping.Read(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		defer before.Close()
		for _, err := range before.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		config.Edited = overlay
		whole, err := mapping.Read(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		for want, err := range whole.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			want.Problems = slices.DeleteFunc(slices.Clone(want.Problems), ofOthers)
			again, ok := before.Again(t.Context(), 0, []sheet.Row{edited[want.Draft.Place.Row]})
			if !ok || len(again) != 1 {
				t.Fatalf("row %d is not read again", want.Draft.Place.Row)
			}
			again[0].Problems = slices.DeleteFunc(again[0].Problems, ofOthers)
			want.Lacking, again[0].Lacking = "", "" // what the whole file lacks
			if diff := cmp.Diff(rowTold(want), rowTold(&again[0])); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// ofOthers reports whether what is wrong with a row depends on others: a key that is there twice, or a zone that is said of
// the whole file where no row has any.
func ofOthers(p schema.Problem) bool {
	return slices.Contains([]schema.Code{schema.CodeDuplicateKey, schema.CodeDuplicateCreate, schema.CodeNoKey, schema.CodeNoZone}, p.Code)
}
