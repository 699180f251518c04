package annotate

import (
	"bytes"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// annotated annotates a workbook made by hand, and gives the parts of the copy.
func annotated(t *testing.T, archive []byte, column int, verdicts iter.Seq2[int, string]) map[string]string {
	t.Helper()
	source, out := writeFile(t, "book.xlsx", archive), filepath.Join(t.TempDir(), "out.xlsx")
	problems := []schema.Problem{{Message: "bad", Place: schema.Place{File: source, Sheet: "Events", Row: 2, Column: column}}}
	err := Copy(t.Context(), Config{Source: source, Out: out, Problems: problems, Sheets: []Sheet{{
		Name: "Events", HeaderRow: 1, Marks: MarksOf("Events", problems), Verdicts: verdicts,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := sheet.Open(t.Context(), out, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, s := range f.Sheets() {
		for _, err := range f.Rows(t.Context(), s.Name) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return fileParts(t, out)
}

func invalid(yield func(int, string) bool) { yield(2, "invalid") }

const verdictCell = ` t="inlineStr"><is><t xml:space="preserve">`

func TestAnnotatePatchesTheSheet(t *testing.T) {
	head := `<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row>`
	for name, test := range map[string]struct{ sheet, want string }{
		"a row without references": {
			sheetXML(`<row><c t="inlineStr"><is><t>name</t></is></c></row><row spans="1:1"><c t="inlineStr"><is><t>Tea</t></is></c></row>`),
			`<sheetData><row><c t="inlineStr"><is><t>name</t></is></c><c r="B1"` + verdictCell +
				`_eventbatch</t></is></c></row><row spans="1:2"><c t="inlineStr"><is><t>Tea</t></is></c><c r="B2" s="1"` + verdictCell +
				`invalid</t></is></c></row></sheetData>`,
		},
		"a row that closes itself": {
			sheetXML(head + `<row r="2" ht="30"/><row r="3"/>`),
			`<row r="2" ht="30"><c r="B2" s="1"` + verdictCell + `invalid</t></is></c></row><row r="3"/>`,
		},
		"a cell beyond": {
			sheetXML(head + `<row r="2"><c r="A2"/><c r="D2" s="0"/></row>`),
			`<row r="2"><c r="A2"/><c r="B2" s="1"` + verdictCell + `invalid</t></is></c><c r="D2" s="0"/></row>`,
		},
		"a column behind the header in use": {
			sheetXML(head + `<row r="2"><c r="B2" t="inlineStr"><is><t>left</t></is></c></row>`),
			`<c r="C2" s="1"` + verdictCell + `invalid`,
		},
		"a column under merged cells": {
			strings.Replace(
				sheetXML(head+`<row r="2"><c r="A2"/></row>`), "</sheetData>",
				`</sheetData><mergeCells count="1"><mergeCell ref="A4:B5"/></mergeCells>`, 1,
			),
			`<c r="C2" s="1"` + verdictCell + `invalid`,
		},
		"our column of before, and a cell of it without a verdict": {
			sheetXML(`<row r="1"><c r="A1" t="inlineStr"><is><t>_eventbatch</t></is></c><c r="B1" t="inlineStr"><is><t>name</t></is>` +
				`</c></row><row r="2"><c r="B2"/></row><row r="3"><c r="A3" s="0" t="inlineStr"><is><t>old</t></is></c><c r="B3"/></row>`),
			`<row r="2"><c r="A2" s="1"` + verdictCell + `invalid</t></is></c><c r="B2"/></row><row r="3"><c r="A3"/><c r="B3"/></row>`,
		},
		"widths of columns in one range": {
			strings.Replace(
				sheetXML(head+`<row r="2"><c r="A2"/></row>`), "<sheetData>",
				`<cols><col min="1" max="5" width="9"></col></cols><sheetData>`, 1,
			),
			`<cols><col min="1" max="1" width="9"></col><col min="2" max="2" width="60" customWidth="1"/><col min="3" max="5" ` +
				`width="9"></col></cols>`,
		},
		"elements in their order": {
			strings.Replace(
				sheetXML(head+`<row r="2"><c r="A2"/></row>`), "</sheetData>",
				`</sheetData><dataValidations count="0"/><drawing r:id="rId1"/><tableParts count="0"/>`, 1,
			),
			`</conditionalFormatting><conditionalFormatting`,
		},
		"a user's format below ours": {
			strings.Replace(
				sheetXML(head+`<row r="2"><c r="A2"/></row>`), "</sheetData>",
				`</sheetData><conditionalFormatting sqref="A1"><cfRule type="expression" priority="1"><formula>TRUE</formula></cfRule>`+
					`</conditionalFormatting>`,
				1,
			),
			`<conditionalFormatting sqref="A1"><cfRule type="expression" priority="2"><formula>TRUE</formula></cfRule>` +
				`</conditionalFormatting>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			parts := annotated(t, zipped(t, bookParts(test.sheet)...), 0, invalid)
			got := parts["xl/worksheets/sheet1.xml"]
			if name == "elements in their order" {
				order := []string{
					"<cols>", "<sheetData>", "<conditionalFormatting", "<dataValidations", "<drawing", "<legacyDrawing",
					"<tableParts",
				}
				at := -1
				for _, element := range order {
					i := strings.Index(got, element)
					if i <= at {
						t.Errorf("%s stands at %d, behind %d:\n%s", element, i, at, got)
					}
					at = i
				}
				return
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got:\n%s\nwant in it:\n%s", got, test.want)
			}
		})
	}
}

// A workbook may write its elements with a prefix, and may have no styles.
func TestAnnotateKeepsThePrefix(t *testing.T) {
	prefix := func(s string) string {
		for _, name := range []string{"worksheet", "sheetData", "row", "c ", "c>", "is", "t>", "workbook", "sheets", "sheet "} {
			s = strings.ReplaceAll(strings.ReplaceAll(s, "<"+name, "<x:"+name), "</"+name, "</x:"+name)
		}
		return strings.Replace(s, "xmlns=", "xmlns:x=", 1)
	}
	parts := bookParts(prefix(sheetXML(`<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row><row r="2"/>`)))
	for i := 0; i < len(parts); i += 2 {
		switch parts[i] {
		case "xl/workbook.xml":
			parts[i+1] = prefix(parts[i+1])
		case "xl/_rels/workbook.xml.rels", "[Content_Types].xml":
			for _, cut := range []string{"Relationship Id=\"rId2\"", "Override PartName=\"/xl/styles.xml\""} {
				if from := strings.Index(parts[i+1], "<"+cut); from >= 0 {
					to := from + strings.Index(parts[i+1][from:], "/>") + 2
					parts[i+1] = parts[i+1][:from] + parts[i+1][to:]
				}
			}
		}
	}
	kept := annotated(t, zipped(t, withoutPart(parts, "xl/styles.xml")...), 0, invalid)
	part := kept["xl/worksheets/sheet1.xml"]
	for _, want := range []string{
		`<x:row r="2"><x:c r="B2"`, `</x:is></x:c></x:row>`, `<x:conditionalFormatting sqref=`, `<x:legacyDrawing xmlns:ob=`,
		`<x:cols><x:col `,
	} {
		if !strings.Contains(part, want) {
			t.Errorf("no %s in %s", want, part)
		}
	}
	if !strings.Contains(kept["xl/workbook.xml"], `<x:definedName name="_eventbatch_problems"`) {
		t.Error(kept["xl/workbook.xml"])
	}
	if !strings.Contains(kept["xl/eventbatchStyles1.xml"], "<dxfs") {
		t.Error("no styles were made")
	}
}

func withoutPart(parts []string, name string) []string {
	var kept []string
	for i := 0; i < len(parts); i += 2 {
		if parts[i] != name {
			kept = append(kept, parts[i], parts[i+1])
		}
	}
	return kept
}

func TestAnnotateLeavesAUsersOwnProblems(t *testing.T) {
	book := zipped(t, bookParts(sheetXML(`<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row><row r="2"/>`))...)
	book = withParts(t, book, map[string]string{"xl/worksheets/sheet2.xml": sheetXML("")}, func(name, content string) string {
		switch name {
		case "xl/workbook.xml":
			return strings.Replace(content, "</sheets>", `<sheet name="PROBLEMS" sheetId="7" r:id="rId3"/></sheets>`, 1)
		case "xl/_rels/workbook.xml.rels":
			return strings.Replace(
				content, "</Relationships>",
				`<Relationship Id="rId3" Type="`+relationType+`worksheet" Target="worksheets/sheet2.xml"/></Relationships>`, 1,
			)
		}
		return content
	})
	kept := annotated(t, book, -1, nil)
	if !strings.Contains(kept["xl/workbook.xml"], `name="Problems 2" sheetId="8"`) || kept["xl/worksheets/sheet2.xml"] != sheetXML("") {
		t.Error(kept["xl/workbook.xml"])
	}
}

func TestRangesJoinCellsBelowOneAnother(t *testing.T) {
	got := ranges([][2]int{{1, 5}, {0, 2}, {1, 4}, {1, 6}, {1, 8}, {27, 1}})
	if diff := cmp.Diff([]string{"A2", "B4:B6", "B8", "AB1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestNotesKeepWhatAUserWroteAroundOurs(t *testing.T) {
	for name, test := range map[string]struct{ runs, want []run }{
		"before and behind, over the borders of runs": {
			[]run{{"a", "mine\n── even"}, {"b", "tbatch ──\nerror: x\n─────"}, {"c", "───────\nmine too"}},
			[]run{{"a", "mine"}, {"c", "\nmine too"}},
		},
		"ours alone":           {[]run{{"", noteBegin + "\nx\n" + noteEnd}}, nil},
		"ours, its end is cut": {[]run{{"", "mine\n" + noteBegin + "\nx"}}, []run{{"", "mine"}}},
		"ours and a line":      {[]run{{"", noteBegin + "\nx\n" + noteEnd + "\n"}}, nil},
	} {
		if got, had := withoutOurs(test.runs); !had || !cmp.Equal(got, test.want, cmp.AllowUnexported(run{})) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, had := withoutOurs([]run{{"", "mine"}}); had {
		t.Error("a user's own note is taken for ours")
	}
}

// A planner's workbook of 5,000 rows with 300 mistakes.
func BenchmarkCopy(b *testing.B) {
	var made bytes.Buffer
	header := []string{"key", "name", "start_at", "end_at", "timezone", "address", "description_md", "visibility", "max_capacity", "slug"}
	err := sheet.WriteXLSX(&made, []sheet.SheetData{{Name: "Events", Header: header, Rows: func(yield func([]sheet.Out) bool) {
		for row := range 5_000 {
			cells := make([]string, len(header))
			for i := range cells {
				cells[i] = fmt.Sprintf("%s of row %d", header[i], row)
			}
			if !yield(sheet.Texts(cells)) {
				return
			}
		}
	}}})
	if err != nil {
		b.Fatal(err)
	}
	source, out := writeFile(b, "big.xlsx", made.Bytes()), filepath.Join(b.TempDir(), "out.xlsx")
	var problems []schema.Problem
	for i := range 300 {
		problems = append(
			problems,
			schema.Problem{
				Message: "no such zone", Hint: "did you mean Europe/Paris?", Value: "Pariss",
				Place: schema.Place{File: source, Sheet: "Events", Row: 2 + i*16, Column: i % 10},
			},
		)
	}
	for b.Loop() {
		err := Copy(b.Context(), Config{Source: source, Out: out, Problems: problems, Sheets: []Sheet{{
			Name: "Events", HeaderRow: 1, Marks: MarksOf("Events", problems), Verdicts: func(yield func(int, string) bool) {
				for row := 2; row <= 5_001 && yield(row, "valid"); row++ {
				}
			},
		}}})
		if err != nil {
			b.Fatal(err)
		}
	}
}
