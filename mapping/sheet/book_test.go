package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whoever writes a workbook anew sees what the reader of rows does not: sheets
// without rows, which of ours a sheet is, texts as they lie there.
func TestABookShowsAllOfItsSheets(t *testing.T) {
	book := xmlHead + `<workbook ` + xmlMain + ` ` + xmlRelated +
		`><sheets><sheet name="Events" sheetId="1" r:id="rId1"/><sheet name="Chart" sheetId="2" state="hidden" r:id="c"/><sheet ` +
		`name="It's" sheetId="3" r:id="p"/></sheets>` +
		`<definedNames><definedName name="` + AnnotationSheet + `">'It''s'!$A$1</definedName></definedNames></workbook>`
	related := xmlHead + `<Relationships ` + xmlPackage + `><Relationship Id="rId1" Type="` + relationType +
		`worksheet" Target="worksheets/Sheet1.xml"/><Relationship Id="c" Type="` + relationType +
		`chartsheet" Target="chart.xml"/><Relationship Id="p" Type="` + relationType +
		`worksheet" Target="worksheets/p.xml"/></Relationships>`
	content := zipped(
		t,
		bookParts(
			sheetXML(`<row r="1"><c r="A1" t="inlineStr"><is><t>'=1</t></is></c></row>`), "xl/workbook.xml", book,
			"xl/_rels/workbook.xml.rels", related, "xl/chart.xml", `<chartsheet `+xmlMain+`/>`, "xl/worksheets/p.xml", sheetXML(``),
		)...,
	)
	f, err := Open(t.Context(), writeTemp(t, "f.xlsx", string(content)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	made, err := OpenMade(t.Context(), "f.xlsx", content, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Info: Info{Name: "Events"}, HasRows: true, Part: "xl/worksheets/sheet1.xml"},
		{Info: Info{Name: "Chart", Hidden: true}, Part: "xl/chart.xml"},
		{Info: Info{Name: "It's", Own: true}, OwnName: AnnotationSheet, HasRows: true, Part: "xl/worksheets/p.xml"},
	}
	for _, b := range []*Book{f.Book(), made} {
		if diff := cmp.Diff(want, b.Entries()); diff != "" {
			t.Error(diff)
		}
		for batch, err := range b.Batches(t.Context(), "Events") {
			if err != nil || batch.Rows[0].Cells[0].Text != "'=1" {
				t.Errorf("%v, %v", batch, err)
			}
		}
		p, err := b.Workbook()
		if err != nil || !p.Has("xl/chart.xml") {
			t.Error(err)
		}
	}
}

func TestATextFileIsNoBook(t *testing.T) {
	f, err := Open(t.Context(), writeTemp(t, "f.csv", "a,b\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Book() != nil {
		t.Error("a text file is taken for a workbook")
	}
}

func TestTextsKeepTheirRows(t *testing.T) {
	f, err := Open(t.Context(), writeTemp(t, "f.csv", "\n\na,007\n\n=1,"+strings.Repeat("x", 40_000)+"\x01\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	if err := WriteTexts(&out, TextSheet{Name: "S", HeaderRow: 3, Rows: f.Rows(t.Context(), "")}); err != nil {
		t.Fatal(err)
	}
	want := []string{"row 3: a 007", "row 5: =1 " + strings.Repeat("x", 32_766) + "…"}
	book, err := Open(t.Context(), writeTemp(t, "f.xlsx", out.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	var got []string
	for row, err := range book.Rows(t.Context(), "S") {
		if err != nil {
			t.Fatal(err)
		}
		line := []string{fmt.Sprintf("row %d:", row.Number)}
		for _, c := range row.Cells {
			line = append(line, c.Text)
		}
		got = append(got, strings.Join(line, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	failure := errors.New("no more")
	err = WriteTexts(&out, TextSheet{Name: "S", Rows: func(yield func(Row, error) bool) { yield(Row{}, failure) }})
	if err != failure {
		t.Errorf("error: %v", err)
	}
}
