package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The parts that a small workbook is made of in tests.
const (
	xmlHead      = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	xmlMain      = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	xmlRelated   = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	xmlPackage   = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	relationType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// bookParts gives the parts of a workbook with one sheet, named Events, whose
// part is the one given. Further parts replace or follow these.
func bookParts(sheet string, more ...string) []string {
	parts := []string{
		"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default ` +
			`Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ` +
			`ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override ` +
			`PartName="/xl/worksheets/sheet1.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override ` +
			`PartName="/xl/sharedStrings.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override ` +
			`PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
		"_rels/.rels", xmlHead + `<Relationships ` + xmlPackage + `><Relationship Id="rId1" Type="` + relationType +
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", xmlHead + `<workbook ` + xmlMain + ` ` + xmlRelated +
			`><sheets><sheet name="Events" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships ` + xmlPackage + `><Relationship Id="rId1" Type="` + relationType +
			`worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relationType +
			`sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="` + relationType +
			`styles" Target="styles.xml"/></Relationships>`,
		"xl/styles.xml", stylesXML(0, 14, 22),
		"xl/sharedStrings.xml", stringsXML("name", "Tea"),
		"xl/worksheets/sheet1.xml", sheet,
	}
	for i := 0; i < len(more); i += 2 {
		found := false
		for j := 0; j < len(parts); j += 2 {
			if parts[j] == more[i] {
				parts[j+1], found = more[i+1], true
			}
		}
		if !found {
			parts = append(parts, more[i], more[i+1])
		}
	}
	return parts
}

// sheetXML wraps what a sheetData element holds.
func sheetXML(rows string) string {
	return xmlHead + `<worksheet ` + xmlMain + ` ` + xmlRelated + `><sheetData>` + rows + `</sheetData></worksheet>`
}

func stringsXML(texts ...string) string {
	var b strings.Builder
	b.WriteString(xmlHead + `<sst ` + xmlMain + `>`)
	for _, s := range texts {
		b.WriteString("<si><t>" + s + "</t></si>")
	}
	b.WriteString("</sst>")
	return b.String()
}

// stylesXML makes a cell format for each number format.
func stylesXML(formats ...int) string {
	var b strings.Builder
	b.WriteString(xmlHead + `<styleSheet ` + xmlMain + `><cellXfs>`)
	for _, f := range formats {
		fmt.Fprintf(&b, `<xf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0"/>`, f)
	}
	b.WriteString("</cellXfs></styleSheet>")
	return b.String()
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

// openBytes opens a workbook that is in memory.
func openBytes(ctx context.Context, file []byte, l Limits) (*workbook, error) {
	book, err := openBook(ctx, "book.xlsx", bytes.NewReader(file), int64(len(file)), l)
	if err != nil {
		return nil, err
	}
	return book.workbook, nil
}

// readAll reads every row of a sheet, each copied.
func readAll(ctx context.Context, w *workbook, sheet string) ([]Row, error) {
	var rows []Row
	for batch, err := range w.batches(ctx, sheet) {
		if err != nil {
			return rows, err
		}
		for _, row := range batch.Rows {
			row.Cells = append([]Cell(nil), row.Cells...)
			rows = append(rows, row)
		}
		batch.Release()
	}
	return rows, nil
}

// readSheet reads the rows of a workbook made of this sheet part and these others.
func readSheet(tb testing.TB, sheet string, more ...string) ([]Row, error) {
	tb.Helper()
	w, err := openBytes(tb.Context(), zipped(tb, bookParts(sheet, more...)...), Limits{})
	if err != nil {
		return nil, err
	}
	return readAll(tb.Context(), w, "Events")
}
