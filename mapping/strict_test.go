package mapping_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"eventbatch/mapping"
)

// strictWorkbook writes a workbook with one sheet of these rows, as XML.
func strictWorkbook(t *testing.T, rows string) string {
	t.Helper()
	const (
		head     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
		main     = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
		related  = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		packaged = `http://schemas.openxmlformats.org/package/2006/`
	)
	path := filepath.Join(t.TempDir(), "strict.xlsx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, part := range [][2]string{
		{
			"[Content_Types].xml",
			`<Types xmlns="` + packaged + `content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
		},
		{
			"_rels/.rels", `<Relationships xmlns="` + packaged + `relationships"><Relationship Id="rId1" Type="` + related +
				`/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		},
		{
			"xl/workbook.xml", `<workbook xmlns="` + main + `" xmlns:r="` + related +
				`"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		},
		{
			"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packaged + `relationships"><Relationship Id="rId1" Type="` + related +
				`/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		},
		{"xl/worksheets/sheet1.xml", `<worksheet xmlns="` + main + `"><sheetData>` + rows + `</sheetData></worksheet>`},
	} {
		part, text := part[0], head+part[1]
		into, err := w.Create(part)
		if err == nil {
			_, err = io.WriteString(into, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func inline(ref, text string) string {
	return `<c r="` + ref + `" t="inlineStr"><is><t>` + text + `</t></is></c>`
}

// A strict save writes dates with the fraction that a binary number has: 16:00 comes as
// 15:59:59.99999979. CSV and NDJSON that were made of one have it too.
func TestFractionsAreRoundedInEveryFormat(t *testing.T) {
	const want = "03-13T16:00:00Z to 03-13T18:00:00Z"
	const from, to = "2027-03-13T15:59:59.99999979", "2027-03-13T17:59:59.999999790452421"
	for name, path := range map[string]string{
		"a workbook": strictWorkbook(t, `<row r="1">`+inline("A1", "name")+inline("B1", "start_at")+inline("C1", "end_at")+`</row>`+
			`<row r="2">`+inline("A2", "x")+`<c r="B2" t="d"><v>`+from+`</v></c><c r="C2" t="d"><v>`+to+`</v></c></row>`),
		"CSV":    file(t, "in.csv", "name,start_at,end_at\nx,"+from+","+to+"\n"),
		"NDJSON": file(t, "in.ndjson", `{"name":"x","start_at":"`+from+`","end_at":"`+to+`"}`+"\n"),
	} {
		if got := asked(t, read(t, mapping.Config{Files: []string{path}, Timezone: "UTC"})); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A field that is missing because a cell that feeds it is bad is not said to be missing.
func TestBadCellsAreNotMissing(t *testing.T) {
	path := strictWorkbook(t, `<row r="1">`+inline("A1", "N")+inline("B1", "S")+`</row>`+
		`<row r="2"><c r="A2" t="e"><v>#N/A</v></c>`+inline("B2", "2027-05-01T10:00:00Z")+`</row>`)
	c := mapping.Config{Files: []string{path}, Timezone: "UTC", Mapping: decoded(t, "columns: {name: {expr: 'N + \"!\"'}, start_at: S}")}
	if got := brief(read(t, c)); got != "2 start_at=2027-05-01T10:00:00Z timezone=UTC cell-error no-key" {
		t.Error(got)
	}
}
