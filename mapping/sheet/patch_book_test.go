package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// partsOf reads the parts of an archive.
func partsOf(t *testing.T, content []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		parts[f.Name] = string(text)
	}
	return parts
}

// Nothing but the new cells differs, whatever else the workbook holds, and however its
// parts are written.
func TestACopyOfAWorkbookDiffersInItsNewCellsOnly(t *testing.T) {
	const part = "xl/worksheets/sheet1.xml"
	day := time.Date(2027, 3, 20, 18, 0, 0, 0, time.FixedZone("", 3600))
	set := func(row, column int, cell Out) NewCell {
		return NewCell{Sheet: "Events", Row: row, Column: column, Cell: cell}
	}
	words := func(row, column int, text string) NewCell { return set(row, column, Out{Kind: Text, Text: text}) }
	const (
		inline = ` t="inlineStr"><is><t xml:space="preserve">`
		end    = `</t></is></c>`
		head   = `<row r="1" spans="1:2"><c r="A1" t="s"><v>0</v></c><c r="B1" s="2"/></row>`
	)
	for name, test := range map[string]struct {
		sheet string
		cells []NewCell
		want  string // of the sheet's part
		added string // to the styles
	}{
		"a shared text becomes the cell's own, and a column is added": {
			sheet: `<dimension ref="A1:B2"/><cols><col min="3" max="9" style="1"/></cols><sheetData>` + head +
				`<row r="2"><c r="A2" s="1" t="s"><v>1</v></c></row></sheetData><x:y xmlns:x="z"/>`,
			cells: []NewCell{words(1, 2, "new"), words(2, 0, " a<b\n"), set(1, 1, Out{})},
			want: `<dimension ref="A1:C2"/><cols><col min="3" max="9" style="1"/></cols><sheetData>` +
				`<row r="1" spans="1:3"><c r="A1" t="s"><v>0</v></c><c r="B1" s="2"/><c r="C1" s="1"` + inline + "new" + end + `</row>` +
				`<row r="2"><c r="A2" s="1"` + inline + " a&lt;b\n" + end + `</row></sheetData><x:y xmlns:x="z"/>`,
		},
		"whole columns are merged": {
			sheet: `<sheetData>` + head + `</sheetData><mergeCells count="1"><mergeCell ref="D:E"/></mergeCells>`,
			cells: []NewCell{words(1, 0, "=1")},
			want: `<sheetData><row r="1" spans="1:2"><c r="A1"` + inline + "=1" + end + `<c r="B1" s="2"/></row></sheetData>` +
				`<mergeCells count="1"><mergeCell ref="D:E"/></mergeCells>`,
		},
		"cells that go by their place": {
			sheet: `<sheetData><row/><row s="1" customFormat="1"><c t="s"><v>0</v></c><c s="2"/><c t="s"><v>1</v></c></row></sheetData>`,
			cells: []NewCell{words(2, 1, "x"), words(2, 3, "y")},
			want: `<sheetData><row/><row s="1" customFormat="1"><c t="s"><v>0</v></c><c r="B2" s="2"` + inline + "x" + end +
				`<c t="s"><v>1</v></c><c r="D2" s="1"` + inline + "y" + end + `</row></sheetData>`,
		},
		"dates and times of day": {
			sheet: `<sheetData>` + head + `</sheetData>`,
			cells: []NewCell{
				set(1, 0, Out{Kind: Date, Time: day}), set(1, 1, Out{Kind: Date, Time: day, Clock: true, Layout: "hh:mm"}),
				set(1, 2, Out{Kind: Date, Time: day}),
			},
			want: `<sheetData><row r="1" spans="1:3"><c r="A1" s="3"><v>46466.75</v></c><c r="B1" s="4"><v>0.75</v></c>` +
				`<c r="C1" s="3"><v>46466.75</v></c></row></sheetData>`,
			added: `<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm"/>` +
				`<numFmt numFmtId="165" formatCode="hh:mm"/></numFmts><cellXfs>` +
				`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
				`<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
				`<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
				`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
				`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			const open = `<worksheet ` + xmlMain + ` ` + xmlRelated + `>`
			for how, write := range map[string]func(string) string{
				"UTF-8": func(xml string) string { return xmlHead + xml },
				"UTF-16": func(xml string) string {
					return "\xff\xfe" + utf16Text(binary.LittleEndian, `<?xml version="1.0" encoding="UTF-16"?>`+xml)
				},
			} {
				file := string(zipped(t, bookParts(
					write(open+test.sheet+"</worksheet>"), "xl/charts/chart1.xml", "<c/>", "docProps/x.bin", "\x00",
				)...))
				path := writeTemp(t, "a.xlsx", file)
				var b bytes.Buffer
				if err := (&Patch{Path: path, Cells: test.cells}).Write(t.Context(), &b); err != nil {
					t.Fatal(how, err)
				}
				want, got := partsOf(t, []byte(file)), partsOf(t, b.Bytes())
				want[part] = xmlHead + open + test.want + "</worksheet>"
				if how == "UTF-16" {
					want[part] = open + test.want + "</worksheet>" // it is UTF-8 now
				}
				if test.added != "" {
					before, _, _ := strings.Cut(want["xl/styles.xml"], "<cellXfs>")
					want["xl/styles.xml"] = before + test.added
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
				readOne(t, writeTemp(t, "b.xlsx", b.String()), test.cells[0].Row) // it is a workbook still
			}
		})
	}
}

func TestACellThatCannotBeWrittenIsRefused(t *testing.T) {
	row := `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><f>1+1</f><v>2</v></c></row>`
	path := writeTemp(t, "a.xlsx", string(zipped(t, bookParts(sheetXML(row))...)))
	for name, test := range map[string]struct {
		column int
		cell   Out
		want   string
	}{
		"a formula":         {1, Out{Kind: Text, Text: "y"}, "formula"},
		"a control":         {0, Out{Kind: Text, Text: "\x01"}, "U+0001"},
		"an early date":     {0, Out{Kind: Date}, "0001-01-01"},
		"a kind of no cell": {0, Out{Kind: Fault}, "kind"},
	} {
		e := Patch{Path: path, Cells: []NewCell{{Sheet: "Events", Row: 1, Column: test.column, Cell: test.cell}}}
		var b bytes.Buffer
		err := e.Write(t.Context(), &b)
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeUnsupportedFeature || e.Place.Row != 1 || e.Hint == "" ||
			!strings.Contains(err.Error(), test.want) || b.Len() > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := Patch{Path: path, Cells: []NewCell{{Sheet: "Events", Row: 7, Cell: Out{Kind: Text, Text: "y"}}}}
	if err := e.Write(t.Context(), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "there is no row 7") {
		t.Error(err)
	}
}
