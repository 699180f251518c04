package annotate

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

const threaded = `xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"`

// richBook is a workbook with much of what people put into theirs: notes, a
// thread of comments, formulas, formats, filters, checks, a chart, a picture,
// names, merged cells, a table, and a part that nobody knows.
func richBook(tb testing.TB) []byte {
	tb.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	const name = "Events"
	must(f.SetSheetName("Sheet1", name))
	for row := 1; row <= 40; row++ {
		for column, header := range []string{"key", "name", "start_at", "timezone", "max_capacity", "visibility", "sum", "notes"} {
			ref := ooxml.CellRef(row, column)
			switch {
			case row == 1:
				must(f.SetCellValue(name, ref, header))
			case header == "start_at" || header == "max_capacity":
				must(f.SetCellValue(name, ref, 46_000+row))
			case header == "sum":
				must(f.SetCellFormula(name, ref, fmt.Sprintf("E%d*2", row)))
			case header != "notes" || row%3 == 0:
				must(f.SetCellValue(name, ref, fmt.Sprintf("%s %d", header, row)))
			}
		}
	}
	filled, err := f.NewStyle(
		&excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFFF00"}}, Font: &excelize.Font{Bold: true}},
	)
	must(err)
	must(f.SetCellStyle(name, "B3", "D4", filled))
	green, err := f.NewConditionalStyle(&excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"C6EFCE"}}})
	must(err)
	must(f.SetConditionalFormat(name, "D2:E40", []excelize.ConditionalFormatOptions{
		{Type: "cell", Criteria: ">", Value: "46010", Format: &green},
		{Type: "data_bar", Criteria: "=", BarColor: "#638EC6", MinType: "min", MaxType: "max", BarSolid: true},
	}))
	dv := excelize.NewDataValidation(true)
	dv.Sqref = "F2:F100"
	must(dv.SetDropList([]string{"public", "private"}))
	must(f.AddDataValidation(name, dv))
	must(f.AddComment(name, excelize.Comment{Cell: "B3", Author: "Ann", Text: "please check <this> title"}))
	must(f.AddComment(name, excelize.Comment{Cell: "D5", Author: "Bob", Paragraph: []excelize.RichTextRun{
		{Text: "Bob:", Font: &excelize.Font{Bold: true}}, {Text: "\nwhich zone?"},
	}}))
	must(f.AddComment(
		name,
		excelize.Comment{
			Cell: "H6", Author: "tc={11111111-2222-3333-4444-555555555555}", Text: "[Threaded comment]\nComment:\n  is it so?",
		},
	))
	must(f.AddChart(
		name, "K2",
		&excelize.Chart{
			Type:   excelize.Col,
			Series: []excelize.ChartSeries{{Name: "Events!$E$1", Categories: "Events!$B$2:$B$10", Values: "Events!$E$2:$E$10"}},
		},
	))
	var picture bytes.Buffer
	must(png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 20, 20))))
	must(f.AddPictureFromBytes(name, "K20", &excelize.Picture{Extension: ".png", File: picture.Bytes()}))
	must(f.SetDefinedName(&excelize.DefinedName{Name: "caps", RefersTo: "Events!$E$2:$E$40"}))
	must(f.AutoFilter(name, "A1:H40", nil))
	must(f.SetColWidth(name, "B", "B", 33))
	must(f.SetColWidth(name, "H", "N", 12))
	must(f.MergeCell(name, "H10", "H12"))
	must(f.SetRowHeight(name, 7, 40))
	_, err = f.NewSheet("Venues")
	must(err)
	must(f.SetCellValue("Venues", "A1", "venue"))
	must(f.AddTable("Venues", &excelize.Table{Range: "A1:B5", Name: "venues"}))
	must(f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", RefersTo: "Venues!$A$1:$B$5", Scope: "Venues"}))
	var out bytes.Buffer
	must(f.Write(&out))
	return withParts(tb, out.Bytes(), map[string]string{
		"xl/threadedComments/threadedComment1.xml": `<ThreadedComments ` + threaded + `><threadedComment ref="H6" ` +
			`dT="2026-01-01T00:00:00.00" personId="{99999999-2222-3333-4444-555555555555}" ` +
			`id="{11111111-2222-3333-4444-555555555555}"><text>is it so?</text></threadedComment></ThreadedComments>`,
		"xl/persons/person.xml": `<personList ` + threaded + `><person displayName="Cy" ` +
			`id="{99999999-2222-3333-4444-555555555555}" userId="cy" providerId="None"/></personList>`,
		"customXml/item1.xml": `<known-to-nobody/>`,
	}, func(name, content string) string {
		const office = "http://schemas.microsoft.com/office/2017/10/relationships/"
		switch name {
		case "xl/worksheets/_rels/sheet1.xml.rels":
			return strings.Replace(
				content, "</Relationships>",
				`<Relationship Id="rId90" Type="`+office+`threadedComment" Target="../threadedComments/threadedComment1.xml"/>`+
					`</Relationships>`,
				1,
			)
		case "xl/_rels/workbook.xml.rels":
			return strings.Replace(
				content, "</Relationships>",
				`<Relationship Id="rId91" Type="`+office+`person" Target="persons/person.xml"/></Relationships>`, 1,
			)
		case "[Content_Types].xml":
			return strings.Replace(
				content, "</Types>",
				`<Override PartName="/xl/threadedComments/threadedComment1.xml" `+
					`ContentType="application/vnd.ms-excel.threadedcomments+xml"/><Override PartName="/xl/persons/person.xml" `+
					`ContentType="application/vnd.ms-excel.person+xml"/></Types>`,
				1,
			)
		}
		return content
	})
}

// withParts gives an archive with further parts, and with changed ones.
func withParts(tb testing.TB, archive []byte, more map[string]string, change func(name, content string) string) []byte {
	tb.Helper()
	parts := partsOf(tb, archive)
	var flat []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		flat = append(flat, name, change(name, parts[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		flat = append(flat, name, more[name])
	}
	return zipped(tb, flat...)
}

func partsOf(tb testing.TB, archive []byte) map[string]string {
	tb.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		tb.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			tb.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			tb.Fatalf("%s: %v", f.Name, err)
		}
		parts[f.Name] = string(content)
	}
	return parts
}

func fileParts(tb testing.TB, path string) map[string]string {
	tb.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return partsOf(tb, content)
}

// office has LibreOffice save or print a file anew, and gives the path of that.
// Where it is missing the test is skipped, but not in CI.
func office(tb testing.TB, path, to string) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("LibreOffice takes seconds")
	}
	program, err := exec.LookPath("soffice")
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal("soffice is missing")
		}
		tb.Skip("soffice is missing")
	}
	dir := tb.TempDir()
	cmd := exec.CommandContext(
		tb.Context(), program, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--convert-to", to,
		"--outdir", dir, path,
	)
	if words, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, words)
	}
	out := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+"."+to)
	if _, err := os.Stat(out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// writeFile puts content into a file of the test's own.
func writeFile(tb testing.TB, name string, content []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// richProblems are problems in the rich workbook, at cells with and without notes.
func richProblems() []schema.Problem {
	at := func(row, column int, severity schema.Severity, message, hint string) schema.Problem {
		return schema.Problem{
			Severity: severity, Code: schema.CodeBadZone, Field: "timezone", Message: message, Hint: hint, Value: "=1+1",
			Place: schema.Place{File: "rich.xlsx", Sheet: "Events", Row: row, Column: column, Header: "timezone"},
		}
	}
	return []schema.Problem{
		at(3, 1, schema.Error, "the title is <too> odd & long", "mend it"),
		at(4, 3, schema.Error, "no such zone", "did you mean Europe/Paris?"),
		at(4, 3, schema.Warning, "and a warning", ""),
		at(5, 3, schema.Warning, "a warning alone", ""),
		at(6, -1, schema.Error, "name is missing", ""),
		at(6, 7, schema.Error, "a bad note", ""),
		at(50, 2, schema.Error, "below the last row", ""),
		{
			Severity: schema.Warning, Code: schema.CodeHiddenRows, Message: "rows are hidden",
			Place: schema.Place{File: "rich.xlsx", Sheet: "Events", Column: -1},
		},
	}
}

// annotateRich annotates a copy of the rich workbook, with those problems, and
// gives the path of the copy.
func annotateRich(tb testing.TB, source string, problems []schema.Problem) string {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), "annotated.xlsx")
	bad := map[int]bool{}
	for _, p := range problems {
		bad[p.Place.Row] = true
	}
	err := Copy(tb.Context(), Config{Source: source, Out: out, Problems: problems, Sheets: []Sheet{{
		Name: "Events", HeaderRow: 1, Marks: MarksOf("Events", problems),
		Verdicts: func(yield func(int, string) bool) {
			for row := 2; row <= 40; row++ {
				verdict := "valid"
				if bad[row] {
					verdict = "invalid"
				}
				if !yield(row, verdict) {
					return
				}
			}
		},
	}}})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
