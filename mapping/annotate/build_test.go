package annotate

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"eventbatch/mapping/sheet/ooxml"
)

// What the parts of a small workbook are made of in tests.
const (
	xmlHead      = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	xmlMain      = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	xmlRelated   = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	xmlPackage   = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	relationType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	officeXML    = ooxml.OfficeType + "spreadsheetml."
)

// bookParts gives the parts of a workbook with one sheet, named Events, whose part
// is the one given: name and content in turn.
func bookParts(part string) []string {
	return []string{
		"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default ` +
			`Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ` +
			`ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + officeXML +
			`sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + officeXML +
			`worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="` + officeXML + `styles+xml"/></Types>`,
		"_rels/.rels", xmlHead + `<Relationships ` + xmlPackage + `><Relationship Id="rId1" Type="` + relationType +
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", xmlHead + `<workbook ` + xmlMain + ` ` + xmlRelated +
			`><sheets><sheet name="Events" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships ` + xmlPackage + `><Relationship Id="rId1" Type="` + relationType +
			`worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relationType +
			`styles" Target="styles.xml"/></Relationships>`,
		"xl/styles.xml", xmlHead + `<styleSheet ` + xmlMain +
			`><cellXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", part,
	}
}

// sheetXML wraps what a sheetData element holds.
func sheetXML(rows string) string {
	return xmlHead + `<worksheet ` + xmlMain + ` ` + xmlRelated + `><sheetData>` + rows + `</sheetData></worksheet>`
}

// zipped packs parts, given as name and content in turn.
func zipped(tb testing.TB, parts ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(f, parts[i+1])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}
