package sheet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"eventbatch/mapping/schema"

	"github.com/google/go-cmp/cmp"
)

var kindNames = []string{"blank", "text", "number", "date", "bool", "fault", "nocache"}

// dump writes rows as "2: A=text:Tea C=date:46000.5", one a line.
func dump(rows []Row) string {
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%d:", row.Number)
		if row.Hidden {
			b.WriteString(" hidden")
		}
		for i, c := range row.Cells {
			if c != (Cell{}) {
				fmt.Fprintf(&b, " %s=%s:%s", schema.ColumnName(i), kindNames[c.Kind], c.Text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestXLSXCells(t *testing.T) {
	for name, tc := range map[string]struct{ rows, want string }{
		"nothing":  {``, ""},
		"a number": {`<row r="1"><c r="A1"><v>1</v></c></row>`, "1: A=number:1\n"},
		"digits as written": {
			`<row r="1"><c r="A1"><v>1.20E+17</v></c><c r="B1" t="n"><v>-0.10</v></c><c r="C1"><v> 7 </v></c></row>`,
			"1: A=number:1.20E+17 B=number:-0.10 C=number:7\n",
		},
		"dates by style": {
			`<row r="1"><c r="A1" s="1"><v>46000</v></c><c r="B1" s="2"><v>46000.5</v></c><c r="C1" s="0"><v>46000</v></c></row>`,
			"1: A=date:46000 B=date:46000.5 C=number:46000\n",
		},
		"a date by formula": {`<row r="1"><c r="A1" s="1"><f>TODAY()</f><v>46000</v></c></row>`, "1: A=date:46000\n"},
		"shared strings": {
			`<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="s" s="1"><v>0</v></c></row>`, "1: A=text:Tea B=text:name\n",
		},
		"attributes turned": {`<row r="1"><c t="s" r="A1"><v>1</v></c><c s="1" r="B1"><v>5</v></c></row>`, "1: A=text:Tea B=date:5\n"},
		"inline text":       {`<row r="1"><c r="A1" t="inlineStr"><is><t>a &amp; é</t></is></c></row>`, "1: A=text:a & é\n"},
		"inline runs": {
			`<row r="1"><c r="A1" t="inlineStr"><is><r><rPr><b/></rPr><t xml:space="preserve">a </t></r><r><t>b</t></r><rPh sb="0" ` +
				`eb="1"><t>x</t></rPh><phoneticPr fontId="1"/></is></c></row>`,
			"1: A=text:a b\n",
		},
		"inline text in v": {`<row r="1"><c r="A1" t="inlineStr"><v>x</v></c></row>`, "1: A=text:x\n"},
		"booleans": {
			`<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c><c r="C1" t="b"><v>true</v></c></row>`,
			"1: A=bool:true B=bool:false C=bool:true\n",
		},
		"errors": {
			`<row r="1"><c r="A1" t="e"><v>#N/A</v></c><c r="B1" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>`,
			"1: A=fault:#N/A B=fault:#DIV/0!\n",
		},
		"ISO dates":           {`<row r="1"><c r="A1" t="d"><v>2026-03-08T02:30:00</v></c></row>`, "1: A=text:2026-03-08T02:30:00\n"},
		"a formula's text":    {`<row r="1"><c r="A1" t="str"><f>A2&amp;"x"</f><v>x _x000D_y</v></c></row>`, "1: A=text:x \ry\n"},
		"a formula's nothing": {`<row r="1"><c r="A1" t="str"><f>""</f><v></v></c><c r="B1"><v>1</v></c></row>`, "1: B=number:1\n"},
		"a formula, no result": {
			`<row r="1"><c r="A1"><f>A2&amp;"x"</f></c><c r="B1"><f>B2</f><v/></c><c r="C1" t="str"><f>C2</f></c></row>`,
			"1: A=nocache:=A2&\"x\" B=nocache:=B2 C=nocache:=C2\n",
		},
		"blank cells": {
			`<row r="1"><c r="A1" s="1"/><c r="B1" s="1"></c><c r="C1"><v></v></c><c r="D1" t="s"><v/></c><c r="E1" t="inlineStr"><is>` +
				`<t/></is></c></row><row r="3"><c r="C3"><v>1</v></c></row>`,
			"3: C=number:1\n",
		},
		"blank rows": {
			`<row r="1" s="1" customFormat="1"/><row r="2"></row><row r="4"><c r="A4"><v>1</v></c><c r="B4" s="1"/></row>`,
			"4: A=number:1\n",
		},
		"implied places": {
			`<row><c><v>1</v></c><c><v>2</v></c></row><row r="5"><c r="C5"><v>3</v></c><c><v>4</v></c></row><row><c><v>5</v></c></row>`,
			"1: A=number:1 B=number:2\n5: C=number:3 D=number:4\n6: A=number:5\n",
		},
		"a hidden row": {
			`<row r="1" hidden="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="false"><c r="A2"><v>1</v></c></row>`,
			"1: hidden A=number:1\n2: A=number:1\n",
		},
		"white space": {
			"\n <row r=\"1\">\n <c r=\"A1\">\n <v>\n1 </v>\n </c>\n <c r=\"B1\" t=\"inlineStr\"><is>\n<t>\n  x y\n </t>\n</is></c></row>\n",
			"1: A=number:1 B=text:x y\n",
		},
		"preserved space": {
			`<row r="1"><c r="A1" t="inlineStr"><is><t xml:space="preserve"> x </t></is></c><c r="B1" t="inlineStr"><is ` +
				`xml:space="preserve"><t> y</t></is></c><c r="C1" t="str"><v xml:space="preserve"> z</v></c></row>`,
			"1: A=text: x  B=text: y C=text: z\n",
		},
		"escapes": {
			`<row r="1"><c r="A1" t="inlineStr"><is><t>a_x000D_b_x005F_x0041__x0041__x004_</t></is></c><c r="B1" t="inlineStr"><is><t>` +
				`_xD83D__xDE00__xD83D_!</t></is></c></row>`,
			"1: A=text:a\rb_x0041_A_x004_ B=text:\U0001F600_xD83D_!\n",
		},
		"CDATA and comments": {
			`<row r="1"><!-- x --><c r="A1"><v>1<!-- 5 -->2</v></c><c r="B1" t="inlineStr"><is><t>a<![CDATA[<b>]]>c</t></is></c><?pi?>` +
				`</row>`,
			"1: A=number:12 B=text:a<b>c\n",
		},
		"numeric entities": {`<row r="1"><c r="A1"><v>&#49;&#x32;</v></c></row>`, "1: A=number:12\n"},
		"cells far right": {
			`<row r="1"><c r="Z1"><v>1</v></c><c r="AA1"><v>2</v></c><c r="XFD1"><v>3</v></c></row>`,
			"1: Z=number:1 AA=number:2 XFD=number:3\n",
		},
		"further attributes": {
			`<row r="1" spans="1:2" ht="15" customHeight="1"><c r="A1" cm="1" vm="1" ph="1"><v>1</v></c></row>`, "1: A=number:1\n",
		},
		"extensions":   {`<row r="1"><c r="A1"><v>1</v><extLst><ext uri="x"><y/></ext></extLst></c><extLst/></row>`, "1: A=number:1\n"},
		"the last row": {`<row r="1048576"><c r="A1048576"><v>1</v></c></row>`, "1048576: A=number:1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := readSheet(t, sheetXML(tc.rows))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, dump(rows)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What spreadsheet programs and libraries write beyond the plain forms.
func TestXLSXReadsOtherWaysToWriteACell(t *testing.T) {
	inline := func(content string) string { return `<c t="inlineStr">` + content + `</c>` }
	runs := func(texts ...string) string {
		for i, text := range texts {
			texts[i] = "<r><t>" + text + "</t></r>"
		}
		return inline("<is>" + strings.Join(texts, "") + "</is>")
	}
	const keep, drop = ` xml:space="preserve"`, ` xml:space="default"`
	for _, tc := range []struct{ cell, want string }{
		{runs(" Jazz ", "in", " ", "the ", " cellar", " "), "text:Jazz in the  cellar"},
		{runs(" ", "\n", "x"), "text:x"},
		{runs(" _x0020_", "_x0020_ "), "text:  "},
		{runs(" ", " "), ""},
		{inline(`<is><r><t> </t></r><r><t` + keep + `> a </t></r><r><t> b </t></r></is>`), "text: a  b"},
		{inline(`<is><r` + keep + `><t> a </t></r><r` + drop + `><t> </t></r></is>`), "text: a "},
		{inline(`<is><t` + keep + `> x </t></is>`), "text: x "},
		{inline(`<is` + keep + `><t> x </t></is>`), "text: x "},
		{`<c t="inlineStr"` + keep + `><is><t> x </t></is></c>`, "text: x "},
		{`<c t="inlineStr"` + keep + `><is><t` + drop + `> x </t></is></c>`, "text:x"},
		{`<c t="str"` + keep + `><v> x </v></c>`, "text: x "},
		{inline("<v>1.0</v><is><t>1.</t></is>"), "text:1."},
		{inline("<v>1.0</v><is/>"), ""},
		{`<c s=""><v>1</v></c>`, "number:1"},
		{`<c r="a1" s="" t="s"><v>1</v></c>`, "text:Tea"},
	} {
		rows, err := readSheet(t, sheetXML(`<row r="1">`+tc.cell+`</row>`))
		want := ""
		if tc.want != "" {
			want = "1: A=" + tc.want + "\n"
		}
		if err != nil || dump(rows) != want {
			t.Errorf("%s: %q, %v, want %q", tc.cell, dump(rows), err, want)
		}
	}
	for _, cell := range []string{
		inline("<is><t>x</t></is><is><t>y</t></is>"), inline("<is><t>x</t></is><v>1</v>"), inline("<v>1</v><v>1</v><is/>"),
		`<c s="x"><v>1</v></c>`, `<c r="ä1"><v>1</v></c>`, `<c r="b1"><v>1</v></c><c r="a1"><v>1</v></c>`,
	} {
		rows, err := readSheet(t, sheetXML(`<row r="1">`+cell+`</row>`))
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%s: %q, %v", cell, dump(rows), err)
		}
	}
}

// A file in which anything is amiss ends in an error at the cell, never in fewer rows.
func TestXLSXRefusesWhatItCannotRead(t *testing.T) {
	const ok = `<row r="1"><c r="A1"><v>1</v></c></row>`
	long := strings.Repeat("x", maxCellUnits+1)
	for name, tc := range map[string]struct {
		rows, cell string
		code       schema.Code
	}{
		"a string that is not there": {ok + `<row r="2"><c r="B2" t="s"><v>2</v></c></row>`, "B2", schema.CodeBadSharedString},
		"a string below zero":        {`<row r="1"><c r="A1" t="s"><v>-1</v></c></row>`, "A1", schema.CodeBadSharedString},
		"a string beyond all numbers": {
			`<row r="1"><c r="A1" t="s"><v>99999999999999999999</v></c></row>`, "A1", schema.CodeBadSharedString,
		},
		"a style that is not there":    {`<row r="1"><c r="A1" s="3"><v>1</v></c></row>`, "A1", schema.CodeBadStyle},
		"a style that is not a number": {`<row r="1"><c r="A1" s="x"><v>1</v></c></row>`, "1", schema.CodeBadStyle},
		"a number that is none":        {`<row r="1"><c r="A1"><v>1,5</v></c></row>`, "A1", schema.CodeBadXML},
		"a number with a unit":         {`<row r="1"><c r="A1"><v>1e</v></c></row>`, "A1", schema.CodeBadXML},
		"not a number":                 {`<row r="1"><c r="A1"><v>NaN</v></c></row>`, "A1", schema.CodeBadXML},
		"a boolean that is none":       {`<row r="1"><c r="A1" t="b"><v>2</v></c></row>`, "A1", schema.CodeBadXML},
		"an unknown type":              {`<row r="1"><c r="A1" t="x"><v>2</v></c></row>`, "A1", schema.CodeUnsupportedFeature},
		"a long cell": {
			`<row r="1"><c r="A1" t="inlineStr"><is><t>` + long + `</t></is></c></row>`, "A1", schema.CodeTooLongCell,
		},
		"a column too far": {`<row r="1"><c r="XFE1"><v>2</v></c></row>`, "XFE1", schema.CodeTooManyColumns},
		"a row too far":    {`<row r="1048577"><c r="A1048577"><v>2</v></c></row>`, "1048577", schema.CodeTooManyRows},
		"a cell twice": {
			`<row r="1"><c r="B1"><v>1</v></c><c r="B1"><v>2</v></c></row>`, "B1", schema.CodeBadCellReference,
		},
		"cells out of order": {
			`<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>`, "B1", schema.CodeBadCellReference,
		},
		"a cell of another row":       {ok + `<row r="2"><c r="A3"><v>1</v></c></row>`, "2", schema.CodeBadCellReference},
		"a cell without a name":       {`<row r="1"><c r="1"><v>1</v></c></row>`, "1", schema.CodeBadCellReference},
		"a row twice":                 {ok + ok, "1", schema.CodeRowOrder},
		"rows out of order":           {`<row r="3"/>` + ok, "3", schema.CodeRowOrder},
		"row zero":                    {`<row r="0"/>`, "", schema.CodeRowOrder},
		"a row that is not a number":  {`<row r="x"/>`, "", schema.CodeBadCellReference},
		"a row hidden perhaps":        {`<row r="1" hidden="perhaps"/>`, "", schema.CodeBadXML},
		"two values":                  {`<row r="1"><c r="A1"><v>1</v><v>2</v></c></row>`, "A1", schema.CodeBadXML},
		"a value after inline text":   {`<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is><v>1</v></c></row>`, "A1", schema.CodeBadXML},
		"an element in a value":       {`<row r="1"><c r="A1"><v>1<b/></v></c></row>`, "A1", schema.CodeBadXML},
		"a stranger in a cell":        {`<row r="1"><c r="A1"><w>1</w></c></row>`, "A1", schema.CodeBadXML},
		"a stranger in a row":         {`<row r="1"><d r="A1"><v>1</v></d></row>`, "1", schema.CodeBadXML},
		"a stranger among rows":       {`<rov r="1"/>`, "", schema.CodeBadXML},
		"a row of another namespace":  {`<y:row xmlns:y="u" r="1"/>`, "", schema.CodeBadXML},
		"text among cells":            {`<row r="1">x</row>`, "1", schema.CodeBadXML},
		"inline text in a number":     {`<row r="1"><c r="A1"><is><t>x</t></is></c></row>`, "A1", schema.CodeBadXML},
		"an entity that is not known": {`<row r="1"><c r="A1" t="str"><v>&nbsp;</v></c></row>`, "A1", schema.CodeBadXML},
		"bytes that are not UTF-8":    {"<row r=\"1\"><c r=\"A1\" t=\"str\"><v>\xE9</v></c></row>", "A1", schema.CodeBadXML},
		"an end that does not fit":    {`<row r="1"><c r="A1"><v>1</w></c></row>`, "A1", schema.CodeBadXML},
		"the XML cut":                 {ok + `<row r="2"><c r="A2"><v>1`, "A2", schema.CodeBadXML},
		"a merged range that is none": {
			`</sheetData><mergeCells><mergeCell ref="B2:A1"/></mergeCells><sheetData>`, "", schema.CodeBadCellReference,
		},
		"rows in two places":           {ok + `</sheetData><sheetData>`, "", schema.CodeBadXML},
		"rows where none belong":       {`</sheetData><z:a xmlns:z="u"><row r="1"/></z:a><sheetData>`, "", schema.CodeBadXML},
		"the end of the sheet missing": {ok + `</sheetData></worksheet><sheetData>`, "", schema.CodeBadXML},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := readSheet(t, sheetXML(tc.rows))
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v and %s", err, dump(rows))
			}
			if e.Code != tc.code || e.Place.Cell() != tc.cell || e.Place.Sheet != "Events" || e.Place.File != "book.xlsx" || e.Hint == "" {
				t.Errorf("got %s at %q (%v), want %s at %q", e.Code, e.Place.Cell(), e, tc.code, tc.cell)
			}
		})
	}
}

func TestXLSXEndOfSheetMustBeSeen(t *testing.T) {
	whole := sheetXML(`<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>`)
	for n := range len(whole) {
		rows, err := readSheet(t, whole[:n])
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeCutXML {
			t.Fatalf("cut after %d bytes: %v, %s", n, err, dump(rows))
		}
	}
}

func TestXLSXDialects(t *testing.T) {
	const rows = `<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t>x</t></is></c></row>`
	prefixed := strings.NewReplacer("</", "</x:", "<", "<x:").Replace
	strict := func(s string) string {
		return strings.NewReplacer(
			"http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main",
			"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
			"http://purl.oclc.org/ooxml/officeDocument/relationships",
		).Replace(s)
	}
	body := strings.TrimPrefix(sheetXML(rows), xmlHead)
	small := bookParts("")
	big := binary.BigEndian
	wide := []string{"xl/workbook.xml", utf16XML(big, "\uFEFF", small[5]), stringsName, utf16XML(big, "", small[11])}
	for name, tc := range map[string]struct {
		sheet string
		more  []string
	}{
		"UTF-16":   {sheet: utf16XML(binary.LittleEndian, "\uFEFF", sheetXML(rows)), more: wide},
		"a prefix": {sheet: strings.Replace(prefixed(body), "xmlns=", "xmlns:x=", 1)},
		"two prefixes": {sheet: `<w:worksheet xmlns:w="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` + xmlMain +
			`><sheetData>` + rows + `</sheetData></w:worksheet>`},
		"strict": {
			sheet: strict(body),
			more: []string{
				"xl/workbook.xml", strict(small[5]), "xl/_rels/workbook.xml.rels", strict(small[7]), "xl/styles.xml",
				strict(small[9]), "xl/sharedStrings.xml", strict(small[11]),
			},
		},
		"mark and CRLF": {sheet: "\uFEFF" + strings.ReplaceAll(sheetXML(rows), "\n", "\r\n") + "\r\n"},
		"absolute paths": {
			sheet: body, more: []string{"xl/_rels/workbook.xml.rels", strings.ReplaceAll(small[7], `Target="`, `Target="/xl/`)},
		},
	} {
		got, err := readSheet(t, tc.sheet, tc.more...)
		if want := "1: A=text:Tea B=text:x\n"; err != nil || dump(got) != want {
			t.Errorf("%s: %v, %s", name, err, dump(got))
		}
	}
}

func TestXLSXSharedStrings(t *testing.T) {
	const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>` +
		`3</v></c><c r="E1" t="s"><v>4</v></c></row>`
	shared := xmlHead + `<sst ` + xmlMain + ` count="5" uniqueCount="5"><si><t> a&#10;b </t></si>` +
		`<si><t xml:space="preserve"> c &lt;</t></si>
		<si><r><t>d</t></r><r><rPr><sz val="9"/></rPr><t xml:space="preserve"> e</t></r><rPh sb="0" eb="1"><t>no</t></rPh></si>` +
		`<si/><si><t>_x0041_</t></si></sst>`
	got, err := readSheet(t, sheetXML(rows), "xl/sharedStrings.xml", shared)
	if want := "1: A=text:a\nb B=text: c < C=text:d e E=text:A\n"; err != nil || dump(got) != want {
		t.Errorf("%v, %s", err, dump(got))
	}
	for _, bad := range []string{
		shared[:len(shared)-7], strings.Replace(shared, "</sst>", "</sst><si/>", 1),
		strings.Replace(shared, "<si/>", "<si><x/></si>", 1), "<sst/>",
	} {
		if _, err := readSheet(t, sheetXML(rows), "xl/sharedStrings.xml", bad); err == nil {
			t.Errorf("no error for %s", bad)
		} else if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Message, "shared string") {
			t.Errorf("%v", err)
		}
	}
}

// utf16XML gives a part as programs write it in UTF-16.
func utf16XML(order binary.AppendByteOrder, mark, part string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(mark + strings.Replace(part, "UTF-8", "UTF-16", 1))) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func TestXLSXRefusesDamagedUTF16(t *testing.T) {
	half := sheetXML(`<row r="1"><c r="A1" t="str"><v>x` + "\uFFFF" + `</v></c></row>`)
	for name, sheet := range map[string]string{
		"half a pair":          strings.ReplaceAll(utf16XML(binary.LittleEndian, "\uFEFF", half), "\xFF\xFF", "\x00\xD8"),
		"half a pair, turned":  strings.ReplaceAll(utf16XML(binary.LittleEndian, "\uFEFF", half), "\xFF\xFF", "\x00\xDC"),
		"half a character":     strings.TrimSuffix(utf16XML(binary.LittleEndian, "\uFEFF", sheetXML(``)), "\x00"),
		"UTF-8 that says else": strings.Replace(sheetXML(``), "UTF-8", "UTF-16", 1),
	} {
		_, err := readSheet(t, sheet)
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeBadEncoding && e.Code != schema.CodeCutXML || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// White space counts where an element around the text says so, the root too.
func TestXLSXInheritsXMLSpace(t *testing.T) {
	spaced := func(part, root string) string {
		return strings.Replace(part, "<"+root+" ", "<"+root+` xml:space="preserve" `, 1)
	}
	const rows = `<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t> x </t></is></c>` +
		`<c r="C1" t="str"><v> y</v></c><c r="D1" t="inlineStr"><is><r><t> z </t></r></is></c></row>`
	shared := stringsXML("name", " Tea ")
	for _, tc := range []struct{ sheet, shared, want string }{
		{sheetXML(rows), shared, "1: A=text:Tea B=text:x C=text:y D=text:z\n"},
		{spaced(sheetXML(rows), "worksheet"), shared, "1: A=text:Tea B=text: x  C=text: y D=text: z \n"},
		{sheetXML(rows), spaced(shared, "sst"), "1: A=text: Tea  B=text:x C=text:y D=text:z\n"},
	} {
		got, err := readSheet(t, tc.sheet, "xl/sharedStrings.xml", tc.shared)
		if err != nil || dump(got) != tc.want {
			t.Errorf("%v, %q, want %q", err, dump(got), tc.want)
		}
	}
}

// Whole columns and rows are merged as far as there are rows and columns.
func TestXLSXMergesOfWholeColumnsAndRows(t *testing.T) {
	const rows = `<row r="1"><c r="A1"><v>1</v></c></row><row r="3"><c r="E3"><v>1</v></c></row>`
	for refs, blank := range map[string]string{
		"A:A": "2", "B:D": "8", "3:4": "9", "1:1": "4", "A:XFD": "14", "1:1048576": "14",
		"A:1": "refused", "A": "refused", "C:B": "refused", "4:3": "refused", "A:XFE": "refused",
		"0:1": "refused", "1:1048577": "refused", "": "refused",
	} {
		merged := `<mergeCells count="1"><mergeCell ref="` + refs + `"/></mergeCells></worksheet>`
		w, err := openBytes(t.Context(), zipped(t, bookParts(strings.Replace(sheetXML(rows), "</worksheet>", merged, 1))...), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = readAll(t.Context(), w, "Events")
		if e, ok := errors.AsType[*Error](err); blank == "refused" && (!ok || e.Code != schema.CodeBadCellReference) {
			t.Errorf("%s: %v", refs, err)
		}
		if blank == "refused" {
			continue
		}
		if err != nil || len(w.notes()) != 1 || !strings.HasSuffix(w.notes()[0].Message, ": "+blank) {
			t.Errorf("%s: %v, %+v", refs, err, w.notes())
		}
	}
}

func TestXLSXNotes(t *testing.T) {
	sheet := strings.Replace(sheetXML(`<row r="1" hidden="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="1"/>`), "</worksheet>",
		`<mergeCells count="2"><mergeCell ref="A1:B2"/><mergeCell ref="C1:C3"/></mergeCells></worksheet>`, 1)
	w, err := openBytes(t.Context(), zipped(t, bookParts(sheet)...), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // read again, the notes are replaced
		if _, err := readAll(t.Context(), w, "Events"); err != nil {
			t.Fatal(err)
		}
		notes := w.notes()
		if len(notes) != 2 || notes[0].Code != schema.CodeHiddenRows || notes[1].Code != schema.CodeMergedCells ||
			!strings.HasSuffix(notes[0].Message, ": 1") || !strings.HasSuffix(notes[1].Message, ": 5") ||
			notes[0].Severity != schema.Warning {
			t.Errorf("%+v", notes)
		}
	}
}
