package sheet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func TestWhatFollowsRowsThatGoMovesUp(t *testing.T) {
	book := excelize.NewFile()
	if _, err := book.NewSheet("It's"); err != nil {
		t.Fatal(err)
	}
	red, err := book.NewStyle(&excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FF0000"}}})
	if err != nil {
		t.Fatal(err)
	}
	warn, err := book.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "9A0511"}})
	if err != nil {
		t.Fatal(err)
	}
	rule := excelize.NewDataValidation(true)
	rule.Sqref = "C2:C12"
	ours := rule.SetDropList([]string{"a", "b"})
	steps := []error{ours, book.AddDataValidation("Sheet1", rule)}
	for row := 1; row <= 12; row++ {
		steps = append(steps, book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", row), &[]any{fmt.Sprintf("row %d", row), row, "a"}))
	}
	for cell, formula := range map[string]string{
		"D2": "SUM(B2:B12)", "D6": "B4+B6", "D8": `B8&"B8"&LOG10(100)`, "D9": "$B$5:$B$9", "D10": "SUM(B3:B4)", "D11": "SUM(5:5)", "D12": "'It''s'!A9",
	} {
		steps = append(steps, book.SetCellFormula("Sheet1", cell, formula))
	}
	steps = append(steps,
		book.SetCellFormula("Sheet1", "E5", "B5*2", excelize.FormulaOpts{Type: new(excelize.STCellFormulaTypeShared), Ref: new("E5:E12")}),
		book.SetCellFormula("It's", "A1", "Sheet1!B12+B12+Sheet1!B4"),
		book.MergeCell("Sheet1", "F2", "F5"), book.MergeCell("Sheet1", "G3", "G4"), book.MergeCell("Sheet1", "H9", "I10"),
		book.SetConditionalFormat("Sheet1", "B2:B12", []excelize.ConditionalFormatOptions{{Type: "formula", Criteria: "$B2>10", Format: &warn}}),
		book.SetConditionalFormat("Sheet1", "A3:A4", []excelize.ConditionalFormatOptions{{Type: "formula", Criteria: "$B3>10", Format: &warn}}),
		book.AddComment("Sheet1", excelize.Comment{Cell: "A3", Author: "me", Text: "goes"}),
		book.AddComment("Sheet1", excelize.Comment{Cell: "A12", Author: "me", Text: "stays"}),
		book.SetCellHyperLink("Sheet1", "A11", "https://example.com", "External"),
		book.SetCellHyperLink("Sheet1", "A4", "https://example.org", "External"),
		book.SetDefinedName(&excelize.DefinedName{Name: "numbers", RefersTo: "Sheet1!$B$2:$B$12"}),
		book.SetDefinedName(&excelize.DefinedName{Name: "goner", RefersTo: "Sheet1!$B$3"}),
		book.SetCellStyle("Sheet1", "B12", "B12", red), book.SetRowHeight("Sheet1", 12, 40),
		book.AddTable("It's", &excelize.Table{Range: "C1:D3", Name: "T"}),
	)
	path := filepath.Join(t.TempDir(), "a.xlsx")
	for i, err := range append(steps, book.SaveAs(path), book.Close()) {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	var b bytes.Buffer
	e := Edition{Path: path, Drop: []RowRef{{"Sheet1", 7}, {"Sheet1", 3}, {"Sheet1", 4}, {"Sheet1", 5}}}
	if err := e.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "b.xlsx")
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	facts := map[string]any{}
	rows, err := got.GetCols("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	facts["names"] = rows[0]
	for _, cell := range []string{"D2", "D3", "D4", "D5", "D6", "D7", "D8", "E3", "E8"} {
		facts[cell], _ = got.GetCellFormula("Sheet1", cell)
	}
	facts["other"], _ = got.GetCellFormula("It's", "A1")
	merged, _ := got.GetMergeCells("Sheet1")
	var ranges []string
	for _, m := range merged {
		ranges = append(ranges, m.GetStartAxis()+":"+m.GetEndAxis())
	}
	facts["merged"] = ranges
	formats, _ := got.GetConditionalFormats("Sheet1")
	for at, f := range formats {
		facts["format"] = fmt.Sprint(len(formats), at, f[0].Criteria)
	}
	rules, _ := got.GetDataValidations("Sheet1")
	facts["rule"] = rules[0].Sqref
	notes, _ := got.GetComments("Sheet1")
	for _, n := range notes {
		facts["note"] = fmt.Sprint(len(notes), n.Cell, n.Text)
	}
	_, facts["link"], _ = got.GetCellHyperLink("Sheet1", "A7")
	for _, n := range got.GetDefinedName() {
		facts[n.Name] = n.RefersTo
	}
	facts["style"], _ = got.GetCellStyle("Sheet1", "B8")
	facts["height"], _ = got.GetRowHeight("Sheet1", 8)
	tables, _ := got.GetTables("It's")
	facts["table"] = tables[0].Range
	want := map[string]any{
		"names": []string{"row 1", "row 2", "row 6", "row 8", "row 9", "row 10", "row 11", "row 12"},
		"D2":    "SUM(B2:B8)", "D3": "#REF!+B3", "D4": `B4&"B8"&LOG10(100)`, "D5": "$B$3:$B$5", "D6": "SUM(#REF!)", "D7": "SUM(#REF!)",
		"D8": "'It''s'!A9", "E3": "B3*2", "E8": "B8*2", "other": "Sheet1!B8+B12+Sheet1!#REF!",
		"merged": []string{"H5:I6"}, "format": "1B2:B8$B2>10", "rule": "C2:C8", "note": "1A8stays", "link": "https://example.com",
		"numbers": "Sheet1!$B$2:$B$8", "goner": "Sheet1!#REF!", "style": red, "height": 40.0, "table": "C1:D3",
	}
	if diff := cmp.Diff(want, facts); diff != "" {
		t.Error(diff)
	}
}

// A workbook that a duplicate in every tenth row is taken out of is a matter of a
// second, not of minutes.
func TestManyRowsGoAtOnce(t *testing.T) {
	const rows = 20_000
	path := filepath.Join(t.TempDir(), "a.xlsx")
	book := excelize.NewFile()
	w, err := book.NewStreamWriter("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	var drop []RowRef
	for row := 1; row <= rows; row++ {
		if err := w.SetRow(fmt.Sprintf("A%d", row), []any{row, excelize.Cell{Formula: fmt.Sprintf("A%d+1", row)}}); err != nil {
			t.Fatal(err)
		}
		if row%10 == 0 {
			drop = append(drop, RowRef{"Sheet1", row})
		}
	}
	for _, err := range []error{w.Flush(), book.SaveAs(path), book.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	var b bytes.Buffer
	if err := (&Edition{Path: path, Drop: drop}).Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	got, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if formula, err := got.GetCellFormula("Sheet1", "B17999"); err != nil || formula != "A17999+1" {
		t.Errorf("the formula is %q: %v", formula, err)
	}
	if n, err := got.GetRows("Sheet1"); err != nil || len(n) != rows-len(drop) || n[len(n)-1][0] != "19999" {
		t.Errorf("%d rows: %v", len(n), err)
	}
}

func TestFormulasAreRewrittenWhereTheyNameCells(t *testing.T) {
	d := &dropping{gone: map[string][]int{"S": {3, 4}, "Other": {1}}}
	for _, test := range [][2]string{
		{"A1", "A1"},
		{"A5+$A$5+A$5", "A3+$A$3+A$3"},
		{"A3", noArea},
		{"SUM(A2:A4)", "SUM(A2:A2)"},
		{"SUM(A4:A9,B3:C4)", "SUM(A3:A7," + noArea + ")"},
		{"SUM(A9:A2)", "SUM(A7:A2)"},
		{"SUM(5:9)*5", "SUM(3:7)*5"},
		{"SUM(A:C)", "SUM(A:C)"},
		{`"A5"&A5`, `"A5"&A3`},
		{`"say ""A5"""&A5`, `"say ""A5"""&A3`},
		{"LOG10(A5)", "LOG10(A3)"},
		{"Other!A5+S!A5+Third!A5", "Other!A4+S!A3+Third!A5"},
		{"'Other'!A1", "'Other'!" + noArea},
		{"[1]S!A5", "[1]S!A5"},
		{"'[book.xlsx]S'!A5", "'[book.xlsx]S'!A5"},
		{"S:Other!A5", "S:Other!A5"},
		{"Table[[#This Row],[A5]]+A5", "Table[[#This Row],[A5]]+A3"},
		{"rate_A5*1.5E5", "rate_A5*1.5E5"},
		{"ÄA5+A5", "ÄA5+A3"},
		{"A5:INDEX(A:A,9)", "A3:INDEX(A:A,9)"},
	} {
		if got := d.formula("S", test[0]); got != test[1] {
			t.Errorf("%s became %s, want %s", test[0], got, test[1])
		}
	}
	for _, test := range [][2]string{{"A1+$A$1+A$1+$A1", "B3+$A$1+B$1+$A3"}, {"SUM(A1:B$2)", "SUM(B3:C$2)"}} {
		if got := moved(test[0], 2, 1); got != test[1] {
			t.Errorf("%s moved to %s, want %s", test[0], got, test[1])
		}
	}
	if !slices.Equal([]string{moved("A1", -1, 0), moved("A1", 0, -1)}, []string{noArea, noArea}) {
		t.Error("what moves off the sheet is still named")
	}
}

func FuzzFormulasWithoutCellsToMoveStay(f *testing.F) {
	for _, seed := range []string{"A1+B2", "'It''s'!A1:B2", `"A1"`, "[1]S!A1", "T[[a],[b]]", "'", "[", `"`, "1:2", "A1:B", "$A$1:$B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := mapAreas(text, func(_ string, a area) string { return a.String() }); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
