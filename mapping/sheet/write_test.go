package sheet

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/durable"
)

// cellsOf reads the cells of a file.
func cellsOf(t testing.TB, path string) (rows [][]string) {
	t.Helper()
	f, err := Open(t.Context(), path, Options{Delimiter: ','})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = c.Text
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestResultsReadBackAsTheInput writes results of any cells and reads them with the reader of user files.
func TestResultsReadBackAsTheInput(t *testing.T) {
	folder := t.TempDir()
	cell := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "a", "=1+1", "'=1+1", "''", "'twas", "x\ny", "\"q\"", "a,b", " pad ", "-5", "\tx", "1;2", "é", "lone\rreturn", `\.`,
		}),
		rapid.Map(rapid.String(), func(s string) string { return unixLines(strings.ReplaceAll(s, "\x00", "")) }),
	)
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(rt, "width")
		header := make([]string, width)
		for i := range header {
			header[i] = fmt.Sprintf("h%d", i)
		}
		own := rapid.SliceOfN(rapid.SliceOfN(cell, 0, width), 0, 4).Draw(rt, "rows")
		var out bytes.Buffer
		w := NewCSVWriter(&out)
		header = append(header, "_status")
		want := [][]string{header}
		if err := w.Write(header); err != nil {
			rt.Fatal(err)
		}
		for _, row := range own {
			padded := append(append(slices.Clone(row), make([]string, width-len(row))...), "created")
			want = append(want, padded)
			if err := w.Write(padded); err != nil {
				rt.Fatal(err)
			}
		}
		if w.Flush(); w.Error() != nil {
			rt.Fatal(w.Error())
		}
		path := folder + "/results.csv"
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, cellsOf(t, path)); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestWorkbookCellsKeepTheirKinds(t *testing.T) {
	when := time.Date(2026, 4, 3, 18, 30, 0, 0, time.FixedZone("", -4*3600))
	var out bytes.Buffer
	err := WriteXLSX(&out, []SheetData{
		{Name: "Notes", Rows: slices.Values([][]Out{{{}, {Kind: Text, Text: "_x0041_ & <b>\t\"x\"\n"}}})},
		{Name: "Events", Header: []string{"id", "start", "n", "ok"}, Widths: []float64{12, 18}, Rows: slices.Values([][]Out{
			{
				{Kind: Number, Text: "12345678901234567890"},
				{Kind: Date, Time: when},
				{Kind: Number, Text: "-1.50"},
				{Kind: Bool, Text: "true"},
			},
			{
				{Kind: Number, Text: "100"},
				{Kind: Date, Time: when, Layout: "h:mm AM/PM"},
				{},
				{Kind: Text, Text: strings.Repeat("é", 32_767)},
			},
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), writeTemp(t, "f.xlsx", out.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if diff := cmp.Diff([]Info{{Name: "Notes"}, {Name: "Events"}}, f.Sheets()); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
	}
	want := map[string][]Row{
		"Notes": {{Number: 1, Cells: []Cell{{}, {Text: "_x0041_ & <b>\t\"x\"\n", Kind: Text}}}},
		"Events": {
			{
				Number: 1,
				Cells:  []Cell{{Text: "id", Kind: Text}, {Text: "start", Kind: Text}, {Text: "n", Kind: Text}, {Text: "ok", Kind: Text}},
			},
			{
				Number: 2,
				Cells: []Cell{
					{Text: "12345678901234567890", Kind: Text},
					{Text: "46115.770833333336", Kind: Date},
					{Text: "-1.5", Kind: Number},
					{Text: "true", Kind: Bool},
				},
			},
			{
				Number: 3,
				Cells: []Cell{
					{Text: "100", Kind: Number},
					{Text: "46115.770833333336", Kind: Date},
					{},
					{Text: strings.Repeat("é", 32_767), Kind: Text},
				},
			},
		},
	}
	for sheet, rows := range want {
		var got []Row
		for row, err := range f.Rows(t.Context(), sheet) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
		}
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sheet, diff)
		}
	}
}

func TestWorkbookHoldsTimesOfDay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xlsx")
	err := durable.Replace(path, 0o600, func(w io.Writer) error {
		at := time.Date(2027, 4, 3, 18, 0, 0, 0, time.UTC)
		return WriteXLSX(w, []SheetData{{Name: "S", Rows: slices.Values([][]Out{{{Kind: Date, Time: at, Clock: true, Layout: "hh:mm"}}})}})
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context(), "S") {
		if err != nil {
			t.Fatal(err)
		}
		if got := row.Cell(0); got.Kind != Date || got.Text != "0.75" {
			t.Errorf("cell %+v", got)
		}
	}
}

func TestWorkbookRefusesWhatTheFormatWouldChange(t *testing.T) {
	for _, tc := range []struct {
		cell Out
		want string
	}{
		{
			Out{Kind: Text, Text: strings.Repeat("x", 32_768)},
			"writing sheet S: cell B1: 32768 characters, where a cell of a workbook holds 32767",
		},
		{Out{Kind: Text, Text: strings.Repeat("😀", 16_384)}, "32768 characters"},
		{Out{Kind: Text, Text: "a\vb"}, "the control character U+000B has no place in a workbook"},
		{Out{Kind: Number, Text: "ten"}, `"ten" is not a number`},
		{Out{Kind: Date}, "is before those that a spreadsheet counts"},
		{Out{Kind: Fault, Text: "#N/A"}, "cannot be written"},
	} {
		err := WriteXLSX(io.Discard, []SheetData{{Name: "S", Rows: slices.Values([][]Out{{{}, tc.cell}})}})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v", tc.cell.Kind, err)
		}
	}
}

// TestWorkbookTextRoundTrip sends any text through our writer and our reader.
func TestWorkbookTextRoundTrip(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Map(rapid.OneOf(rapid.String(), rapid.StringMatching(`['=+-]{0,2}[_x0A5Fa&<>"\n\t ]{0,12}`)), func(s string) string {
			return unixLines(strings.Map(func(r rune) rune {
				if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
					return -1
				}
				return r
			}, s))
		})
		row := rapid.SliceOfN(text, 1, 5).Draw(rt, "row")
		row = append(row, "end")
		var out bytes.Buffer
		if err := WriteXLSX(&out, []SheetData{{Name: "S", Rows: slices.Values([][]Out{Texts(row)})}}); err != nil {
			rt.Fatal(err)
		}
		path := folder + "/t.xlsx"
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff([][]string{row}, cellsOf(t, path)); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
