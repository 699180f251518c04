package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"eventbatch/mapping/schema"
)

func newText(row, column int, text string) NewCell {
	return NewCell{Row: row, Column: column, Cell: Out{Kind: Text, Text: text}}
}

// copied writes a file, copies it with changes, and gives the copy.
func copied(t testing.TB, name, content string, e Patch) string {
	t.Helper()
	e.Path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(e.Path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := e.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestACopyKeepsTheBytesOfWhatIsNotMended(t *testing.T) {
	for name, test := range map[string]struct {
		file, from, want string
		cells            []NewCell
	}{
		"nothing":         {"a.csv", "\xef\xbb\xbfa,b\r\n\"1\", 2", "\xef\xbb\xbfa,b\r\n\"1\", 2", nil},
		"one cell":        {"a.csv", "a,b\n\n\"1\", 2 \n3,4", "a,b\n\n\"1\",x\n3,4", []NewCell{newText(3, 1, "x")}},
		"quotes stay":     {"a.csv", "a;b\r\n\"1\";2\r\n", "a;b\r\n\"x \"\"y\"\"\";2\r\n", []NewCell{newText(2, 0, `x "y"`)}},
		"quotes needed":   {"a.csv", "a;b\r\n1;2\r\n", "a;b\r\n\"x;y\";2\r\n", []NewCell{newText(2, 0, "x;y")}},
		"all are quoted":  {"a.csv", "\"a\",\"b\"\n\"1\",\n", "\"a\",\"b\"\n\"1\",\"x\"\n", []NewCell{newText(2, 1, "x")}},
		"lines in a cell": {"a.csv", "a,b\r\n\"1\r\n \",2\r\n", "a,b\r\n\"1\r\n2\",2\r\n", []NewCell{newText(2, 0, "1\n2")}},
		"a new column":    {"a.csv", "a,b\n1\n", "a,b,c\n1,,x\n", []NewCell{newText(1, 2, "c"), newText(2, 2, "x")}},
		"and other rows": {
			"a.csv", "Title\na,b\n1,\"2\"\n\n3\n4,5,6\n7,\n8,9", "Title\na,b,c\n1,\"2\",\n\n3\n4,5,6\n7,,x\n8,9,",
			[]NewCell{newText(2, 2, "c"), newText(7, 2, "x")},
		},
		"a formula":  {"a.csv", "a,b\n1, =2\n", "a,b\n1,'=2\n", []NewCell{newText(2, 1, "=2")}},
		"a sep line": {"a.csv", "sep=;\na;b\n1;2\n1;2", "sep=;\na;b\n1;2\n1;x", []NewCell{newText(3, 1, "x")}},
		"tabs":       {"a.tsv", "a\tb\n1\t2\n1\t2", "a\tb\n1\t2\n1\tx", []NewCell{newText(3, 1, "x")}},
		"emptied":    {"a.csv", "a,b\n\" \",2\n", "a,b\n\"\",2\n", []NewCell{{Row: 2}}},
	} {
		if got := copied(t, test.file, test.from, Patch{Cells: test.cells}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestACopyKeepsTheEncoding(t *testing.T) {
	const text, want = "name,place\r\nFête,Zürich \r\n", "name,place\r\nFête,Genève\r\n"
	for name, test := range map[string]struct {
		enc encoding.Encoding
		say string
	}{
		"windows-1252":         {charmap.Windows1252, "windows-1252"},
		"utf-16le with a mark": {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), ""},
		"utf-16be with a mark": {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), ""},
		"utf-16be without":     {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), ""},
	} {
		from, err := test.enc.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := test.enc.NewEncoder().String(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := copied(
			t, "a.csv", from, Patch{Options: Options{Encoding: test.say}, Cells: []NewCell{newText(2, 1, "Genève")}},
		); got != wanted {
			t.Errorf("%s: %q, want %q", name, got, wanted)
		}
	}
}

func TestOnlyWorkbooksAndCSVAreCopiedWithChanges(t *testing.T) {
	const calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n"
	for name, content := range map[string]string{"a.ndjson": `{"key":"a"}`, "a.ics": calendar, "a.csv": "a,b\n1,2\n"} {
		path := writeTemp(t, name, content)
		f, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		writing := (&Patch{Path: path}).Write(t.Context(), new(bytes.Buffer))
		for _, err := range []error{f.Editable(), writing} {
			e, refused := errors.AsType[*Error](err)
			if refused != (name != "a.csv") || refused && (e.Code != schema.CodeUnknownFormat || e.Hint == "") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestARowThatIsNotThereIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := Patch{Path: path, Cells: []NewCell{newText(7, 0, "x")}}
	if err := e.Write(t.Context(), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "there is no row 7") {
		t.Errorf("error %v", err)
	}
}

// Whatever the file looks like: the copy reads as the file does but for the cells
// that were mended, and rows without one are the same to the byte.
func TestACopyReadsAsTheFileWithItsChanges(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		sep := rapid.SampledFrom([]string{",", ";", "\t"}).Draw(t, "sep")
		lineEnd := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		cell := rapid.StringOfN(rapid.RuneFrom([]rune("ab \"',;=\té\n")), 0, 6, -1)
		width, height := rapid.IntRange(2, 4).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "height")
		header := []string{"h1", "h2", "h3", "h4"}
		table := [][]string{header[:width]}
		var records []string
		for range height {
			row := rapid.SliceOfN(cell, width, width).Draw(t, "row")
			row[0] = "x" + row[0]
			table = append(table, row)
		}
		for _, row := range table {
			var parts []string
			for _, c := range row {
				if c = Guard(c); rapid.Bool().Draw(t, "quoted") || strings.ContainsAny(c, "\",;\t\n") {
					c = `"` + strings.ReplaceAll(strings.ReplaceAll(c, `"`, `""`), "\n", lineEnd) + `"`
				}
				parts = append(parts, c)
			}
			records = append(records, strings.Join(parts, sep)+lineEnd)
		}
		path := filepath.Join(dir, "a.csv")
		if err := os.WriteFile(path, []byte(strings.Join(records, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		e := Patch{Path: path, Options: Options{Delimiter: rune(sep[0])}}
		touched := map[int]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			row, column := rapid.IntRange(1, height).Draw(t, "at row"), rapid.IntRange(0, width-1).Draw(t, "at column")
			text := "y" + cell.Draw(t, "text")
			table[row][column], touched[row] = text, true
			e.Cells = append(e.Cells, newText(row+1, column, text))
		}
		var b bytes.Buffer
		if err := e.Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		at := 0
		for i, record := range records {
			if !touched[i] {
				if n := strings.Index(b.String()[at:], record); n < 0 {
					t.Fatalf("row %d is %q no more, in %q", i+1, record, b.String())
				} else {
					at += n + len(record)
				}
			}
		}
		out := filepath.Join(dir, "b.csv")
		if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(t.Context(), out, e.Options)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var got [][]string
		for row, err := range f.Rows(t.Context(), "") {
			if err != nil {
				t.Fatalf("%v in %q", err, b.String())
			}
			var texts []string
			for _, c := range row.Cells {
				texts = append(texts, c.Text)
			}
			got = append(got, texts)
		}
		if diff := cmp.Diff(table, got); diff != "" {
			t.Fatalf("%s\nin %q", diff, b.String())
		}
	})
}

func TestACopyOfAWorkbookKeepsFormatsAndFormulas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xlsx")
	f := excelize.NewFile()
	red, err := f.NewStyle(
		&excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FF0000"}}, Font: &excelize.Font{Bold: true}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []error{
		f.SetSheetRow("Sheet1", "A1", &[]any{"name", "start_at", "n", "sum"}),
		f.SetSheetRow("Sheet1", "A2", &[]any{" Tea ", "3/20/2027 6 PM", 2}),
		f.SetSheetRow("Sheet1", "A3", &[]any{"Tea", "x", 3}),
		f.SetSheetRow("Sheet1", "A4", &[]any{"Jazz", "y", 4}),
		f.SetCellFormula("Sheet1", "D4", "C2+C4"),
		f.SetCellStyle("Sheet1", "A2", "B2", red),
		f.SetColWidth("Sheet1", "A", "A", 33),
		f.AddComment("Sheet1", excelize.Comment{Cell: "A2", Author: "me", Text: "mine"}),
		f.SaveAs(path),
		f.Close(),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	at := time.Date(2027, 3, 20, 18, 0, 0, 0, time.FixedZone("", 3600))
	e := Patch{Path: path, Cells: []NewCell{
		{Sheet: "Sheet1", Row: 2, Column: 0, Cell: Out{Kind: Text, Text: "Tea"}},
		{Sheet: "Sheet1", Row: 2, Column: 1, Cell: Out{Kind: Date, Time: at}},
		{Sheet: "Sheet1", Row: 4, Column: 3, Cell: Out{Kind: Text, Text: "=1+1"}},
	}}
	if found, err := e.Formulas(t.Context()); err != nil || len(found) != 1 || !found[2] {
		t.Fatalf("formulas %v: %v", found, err)
	}
	if err := e.Write(t.Context(), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "Sheet1!D4") {
		t.Errorf("a formula was overwritten: %v", err)
	}
	e.Cells = append(e.Cells[:2], NewCell{Sheet: "Sheet1", Row: 4, Column: 0, Cell: Out{Kind: Text, Text: "=1+1"}})
	out := filepath.Join(t.TempDir(), "b.xlsx")
	var b bytes.Buffer
	if err := e.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	for cell, want := range map[string]string{"A2": "Tea", "B2": "2027-03-20 18:00", "A4": "=1+1", "B4": "y", "C3": "3"} {
		if text, err := got.GetCellValue("Sheet1", cell); err != nil || text != want {
			t.Errorf("%s is %q, want %q: %v", cell, text, want, err)
		}
	}
	if formula, err := got.GetCellFormula("Sheet1", "A4"); formula != "" || err != nil {
		t.Errorf("a text became the formula %q: %v", formula, err)
	}
	if formula, err := got.GetCellFormula("Sheet1", "D4"); formula != "C2+C4" || err != nil {
		t.Errorf("the formula is %q: %v", formula, err)
	}
	for _, cell := range []string{"A2", "B2"} {
		id, err := got.GetCellStyle("Sheet1", cell)
		if err != nil {
			t.Fatal(err)
		}
		if style, err := got.GetStyle(id); err != nil || !style.Font.Bold || !slices.Equal(style.Fill.Color, []string{"FF0000"}) {
			t.Errorf("the style of %s is %+v: %v", cell, style, err)
		}
	}
	if width, err := got.GetColWidth("Sheet1", "A"); err != nil || width != 33 {
		t.Errorf("the column is %v wide: %v", width, err)
	}
	if comments, err := got.GetComments("Sheet1"); err != nil || len(comments) != 1 {
		t.Errorf("comments %v: %v", comments, err)
	}
	if row := readOne(t, out, 2); row[1].Kind != Date {
		t.Errorf("the date reads as %v", row[1])
	}
}

func readOne(t *testing.T, path string, number int) []Cell {
	t.Helper()
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if row.Number == number {
			return row.Cells
		}
	}
	t.Fatal(fmt.Errorf("no row %d", number))
	return nil
}
