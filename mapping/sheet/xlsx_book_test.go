package sheet

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// These files were written by LibreOffice 7.4.
func TestXLSXReadsWhatLibreOfficeWrites(t *testing.T) {
	const programme = `1: A=text:name B=text:date C=text:start D=text:length E=text:price F=text:open G=text:note H=text:id
2: A=text:Tea & talk <é> B=date:46089 C=date:46089.7708333333 D=date:1.09375 E=number:12.5 F=bool:true G=text:first line
second line H=number:1234567890123460
5: hidden A=text:  hidden  row B=date:46096 C=text:x E=fault:#N/A F=bool:false G=number:0.333333333333333
6: A=text:日本語 😀 merged C=text:_x0041_ and =1+1
7: C=number:-0.000125
`
	from04 := strings.NewReplacer("46089", "44627", "46096", "44634").Replace(programme)
	sheets := []Info{{Name: "Spring 2026"}, {Name: "Lists & more", Hidden: true}}
	notes := []schema.Code{schema.CodeHiddenRows, schema.CodeMergedCells}
	for file, want := range map[string]struct {
		sheets []Info
		rows   string
		from04 bool
		notes  []schema.Code
	}{
		"programme.xlsx": {sheets, programme, false, notes},
		"macintosh.xlsx": {sheets, from04, true, notes},
		"plain.xlsx": {[]Info{{Name: "plain"}}, `1: A=text:name B=text:start_at C=text:capacity
2: A=text:Tea, and "talk" B=text:2026-03-08 18:30 C=number:40
3: A=text:Walk B=date:46090 C=number:1000
`, false, nil},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile("testdata/xlsx/" + file)
			if err != nil {
				t.Fatal(err)
			}
			w, err := openBytes(t.Context(), data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.sheets, w.sheets()); diff != "" || w.date1904() != want.from04 {
				t.Errorf("from 1904: %v, sheets: %s", w.date1904(), diff)
			}
			rows, err := readAll(t.Context(), w, want.sheets[0].Name)
			if diff := cmp.Diff(want.rows, dump(rows)); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
			var codes []schema.Code
			for _, n := range w.notes() {
				codes = append(codes, n.Code)
			}
			if diff := cmp.Diff(want.notes, codes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestXLSXListsSheetsInOrder(t *testing.T) {
	book := xmlHead + `<workbook ` + xmlMain + ` xmlns:q="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<workbookPr date1904="0"/><sheets>
		<sheet name="Last &amp; first" sheetId="9" q:id="b"/><sheet name="Secret" sheetId="2" state="veryHidden" q:id="a"/>` +
		`<sheet name="Picture" sheetId="3" q:id="c"/></sheets></workbook>`
	related := xmlHead + `<Relationships ` + xmlPackage + `>
		<Relationship Id="a" Type="` + relationType + `worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="` +
		relationType + `worksheet" Target="../xl/Worksheets/Other.XML"/>
		<Relationship Id="c" Type="` + relationType + `chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="d" Type="` +
		relationType + `hyperlink" Target="https://example.org" TargetMode="External"/></Relationships>`
	file := zipped(t, bookParts(sheetXML(``), "xl/workbook.xml", book, "xl/_rels/workbook.xml.rels", related,
		"xl/worksheets/other.xml", sheetXML(
			`<row r="1"><c r="A1"><v>1</v></c></row>`,
		), "xl/chartsheets/sheet1.xml", `<chartsheet `+xmlMain+`/>`)...)
	w, err := openBytes(t.Context(), file, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Info{{Name: "Last & first"}, {Name: "Secret", Hidden: true}}, w.sheets()); diff != "" {
		t.Error(diff)
	}
	if rows, err := readAll(t.Context(), w, "Last & first"); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
	for _, name := range []string{"Picture", "None"} {
		_, err := readAll(t.Context(), w, name)
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeNoSheet {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestXLSXRefusesOtherFiles(t *testing.T) {
	small := bookParts(sheetXML(``))
	whole := zipped(t, small...)
	without := func(name string) []byte {
		var parts []string
		for i := 0; i < len(small); i += 2 {
			if small[i] != name {
				parts = append(parts, small[i], small[i+1])
			}
		}
		return zipped(t, parts...)
	}
	with := func(more ...string) []byte { return zipped(t, bookParts(sheetXML(``), more...)...) }
	replaced := func(part int, old, new string) []byte {
		if !strings.Contains(small[part+1], old) {
			t.Fatalf("%s does not contain %s", small[part], old)
		}
		return with(small[part], strings.Replace(small[part+1], old, new, 1))
	}
	const rootRels, book, bookRels, styles = 2, 4, 6, 8
	for name, tc := range map[string]struct {
		file []byte
		code schema.Code
		says string
	}{
		"nothing":            {nil, schema.CodeBadZip, "zip"},
		"text":               {[]byte("name,start_at\nTea,2026-03-08\n"), schema.CodeBadZip, "zip"},
		"an archive cut":     {whole[:len(whole)-1], schema.CodeBadZip, "zip"},
		"an old workbook":    {oleFile("Workbook"), schema.CodeOldWorkbook, ".xls"},
		"an old document":    {oleFile("WordDocument"), schema.CodeOldWorkbook, "old"},
		"a password":         {oleFile("EncryptionInfo", "EncryptedPackage"), schema.CodeEncryptedWorkbook, "password"},
		"an old header only": {oleFile()[:512], schema.CodeOldWorkbook, "old"},
		"OpenDocument": {
			zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "<x/>"), schema.CodeUnknownFormat,
			"OpenDocument",
		},
		"another archive":   {zipped(t, "a.txt", "x"), schema.CodeUnknownFormat, "no workbook"},
		"a binary workbook": {replaced(rootRels, "workbook.xml", "workbook.bin"), schema.CodeUnknownFormat, ".xlsb"},
		"no workbook part":  {without("xl/workbook.xml"), schema.CodeMissingPart, "xl/workbook.xml"},
		"no sheet part":     {without(sheetName), schema.CodeMissingPart, sheetName},
		"a link to nothing": {replaced(book, "rId1", "rId9"), schema.CodeMissingPart, "Events"},
		"no relationships":  {without("xl/_rels/workbook.xml.rels"), schema.CodeMissingPart, "Events"},
		"no sheets":         {replaced(book, `<sheet name="Events" sheetId="1" r:id="rId1"/>`, ""), schema.CodeMissingPart, "no sheets"},
		"a sheet twice": {
			replaced(book, `</sheets>`, `<sheet name="EVENTS" sheetId="2" r:id="rId1"/></sheets>`), schema.CodeBadXML, "EVENTS",
		},
		"an id twice":         {replaced(bookRels, "rId2", "rId1"), schema.CodeBadXML, "relationship"},
		"another root":        {replaced(book, xmlMain, ""), schema.CodeBadXML, "root"},
		"an undecided date":   {replaced(book, "<sheets>", `<workbookPr date1904="x"/><sheets>`), schema.CodeBadXML, "xl/workbook.xml"},
		"a style of no kind":  {replaced(styles, `numFmtId="14"`, `numFmtId="x"`), schema.CodeBadStyle, "xl/styles.xml"},
		"styles cut":          {replaced(styles, `</styleSheet>`, ``), schema.CodeCutXML, "xl/styles.xml"},
		"an entry twice":      {zipped(t, append(small, "XL\\Workbook.xml", small[book+1])...), schema.CodeBadZip, "twice"},
		"a huge workbook.xml": {with("xl/workbook.xml", strings.Repeat(" ", 32<<20)+small[book+1]), schema.CodeZipBomb, "xl/workbook.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(t.Context(), tc.file, Limits{})
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != tc.code || !strings.Contains(e.Message, tc.says) || e.Hint == "" {
				t.Errorf("got %v, want %s about %q", err, tc.code, tc.says)
			}
		})
	}
	for n := 0; n < len(whole); n += 7 {
		if _, err := openBytes(t.Context(), whole[:n], Limits{}); err == nil {
			t.Errorf("no error for an archive cut after %d bytes", n)
		}
	}
}

// What is named but absent is missed only where a cell needs it.
func TestXLSXReadsWithoutPartsThatNoCellNeeds(t *testing.T) {
	const plain, text, format = `<c><v>1</v></c>`, `<c t="s"><v>1</v></c>`, `<c s="1"><v>1</v></c>`
	for name, want := range map[string]map[string]schema.Code{
		stringsName:     {plain: "", text: schema.CodeBadSharedString, format: ""},
		"xl/styles.xml": {plain: "", text: "", format: schema.CodeBadStyle},
	} {
		for cell, code := range want {
			var parts []string
			for parts = bookParts(sheetXML(`<row>` + cell + `</row>`)); slices.Contains(parts, name); {
				i := slices.Index(parts, name)
				parts = slices.Delete(parts, i, i+2)
			}
			w, err := openBytes(t.Context(), zipped(t, parts...), Limits{})
			if err != nil {
				t.Errorf("without %s: %v", name, err)
				continue
			}
			rows, err := readAll(t.Context(), w, "Events")
			e, refused := errors.AsType[*Error](err)
			if refused != (code != "") || refused && e.Code != code || !refused && len(rows) != 1 {
				t.Errorf("without %s, %s: %v, %v", name, cell, rows, err)
			}
		}
	}
}

// A sheet of macros has no part, and is missed only by whoever asks for it.
func TestXLSXReadsBesideSheetsWithoutAPart(t *testing.T) {
	small := bookParts(sheetXML(`<row r="1"><c r="A1"><v>1</v></c></row>`))
	const macros = `<sheet name="Module" sheetId="2" r:id=""/><sheet name="Macro" sheetId="3" state="veryHidden"/></sheets>`
	book := strings.Replace(small[5], "</sheets>", macros, 1)
	file := zipped(t, bookParts(small[13], "xl/workbook.xml", book)...)
	w, err := openBook(t.Context(), "book.xlsx", bytes.NewReader(file), int64(len(file)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Info: Info{Name: "Events"}, HasRows: true, Part: sheetName},
		{Info: Info{Name: "Module"}},
		{Info: Info{Name: "Macro", Hidden: true}},
	}
	if diff := cmp.Diff(want, w.Entries()); diff != "" || len(w.sheets()) != 1 {
		t.Error(diff, w.sheets())
	}
	if rows, err := readAll(t.Context(), w.workbook, "Events"); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
	_, err = readAll(t.Context(), w.workbook, "Module")
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeNoSheet || e.Place.Sheet != "Module" {
		t.Error(err)
	}
}

// oleFile makes the header and the directory of an old container.
func oleFile(names ...string) []byte {
	b := make([]byte, 512*3)
	copy(b, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	b[30] = 9 // sectors of 512 bytes
	b[48] = 1 // the directory is in the second
	for i, name := range append([]string{"Root Entry"}, names...) {
		for j, c := range []byte(name) {
			b[1024+128*i+2*j] = c // UTF-16
		}
	}
	return b
}

func TestXLSXLimits(t *testing.T) {
	sheet := sheetXML(`<row r="1"><c r="A1" t="inlineStr"><is><t>` + strings.Repeat("x", 100) +
		`</t></is></c></row><row r="30"><c r="D30"><v>1</v></c></row>`)
	file := zipped(t, bookParts(sheet)...)
	for name, tc := range map[string]struct {
		limits Limits
		code   schema.Code
	}{
		"none":          {Limits{}, ""},
		"cell bytes":    {Limits{CellBytes: 99}, schema.CodeTooLongCell},
		"columns":       {Limits{Columns: 3}, schema.CodeTooManyColumns},
		"rows":          {Limits{Rows: 29}, schema.CodeTooManyRows},
		"entries":       {Limits{Entries: 6}, schema.CodeTooManyEntries},
		"inflated":      {Limits{InflatedBytes: 2000}, schema.CodeZipBomb},
		"string memory": {Limits{StringBytes: 8}, schema.CodeZipBomb},
	} {
		w, err := openBytes(t.Context(), file, tc.limits)
		if err == nil {
			_, err = readAll(t.Context(), w, "Events")
		}
		if e, ok := errors.AsType[*Error](err); ok != (tc.code != "") || ok && e.Code != tc.code {
			t.Errorf("%s: got %v, want %s", name, err, tc.code)
		}
	}
	ratio := zipped(t, bookParts(sheetXML(strings.Repeat(" ", 2<<20)))...)
	if _, err := openBytes(t.Context(), ratio, Limits{Ratio: 100}); err == nil {
		t.Error("no error for a part that inflates to more than a hundred times its size")
	}
}

func TestShowsDate(t *testing.T) {
	for code, want := range map[string]bool{
		"General": false, "0.00": false, "@": false, "": false, "0.00E+00": false, "# ?/?": false,
		`"$"#,##0.00_);[Red]\("$"#,##0.00\)`: false,
		"[$-409]0":                           false, `0" days"`: false, `0\d`: false, "0_d": false, "*d0": false,
		`[Red]0;[Blue]-0`: false, "[>=100]0": false, `"yyyy`: false, "[yyyy": false,
		`"TRUE";"TRUE";"FALSE"`: false, "[$kr-41D] 0": false,
		"yyyy-mm-dd": true, "m/d/yy h:mm": true, "[h]:mm:ss": true, "[ss]": true, "[MM]": true, `d". "mmmm\ h:mm`: true,
		"[$-F800]dddd": true, "AM/PM": true, "YYYY": true,
		`[Red]0;yyyy`: true, "mmm": true, `"at "hh`: true,
	} {
		if got := showsDate(code); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}

func TestShowsMonth(t *testing.T) {
	for code, want := range map[string]bool{
		"mmmm yyyy": true, "mmm-yy": true, `[$-407]MMMM\ YYYY;@`: true, `"Programm" mmmm yyyy`: true, "yyyy-mm": true,
		"dd.mm.yyyy": false, "mmmm": false, "yyyy": false, "h:mm": false, "d mmmm yyyy": false, `yyyy "m`: false, "[mm]yyyy ss": false,
	} {
		if got := showsMonth(code); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}

func TestXLSXDateStyles(t *testing.T) {
	styles := xmlHead + `<styleSheet ` + xmlMain + `><numFmts count="3"><numFmt numFmtId="164" formatCode="[h]:mm"/>` +
		`<numFmt numFmtId="165" formatCode="0&quot;d&quot;"/><numFmt numFmtId="14" formatCode="0.0"/></numFmts>
		<cellStyleXfs><xf numFmtId="22"/></cellStyleXfs><cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="165"><alignment/></xf>` +
		`<xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="47"/><xf numFmtId="58"/><xf numFmtId="49"/></cellXfs></styleSheet>`
	rows, err := readSheet(
		t,
		sheetXML(`<row r="1"><c s="0"><v>1</v></c><c s="1"><v>1</v></c><c s="2"><v>1</v></c><c s="3"><v>1</v></c><c s="4"><v>1</v></c>`+
			`<c s="5"><v>1</v></c><c s="6"><v>1</v></c><c s="7"><v>1</v></c></row>`),
		"xl/styles.xml", styles,
	)
	if want := "1: A=number:1 B=date:1 C=number:1 D=number:1 E=date:1 F=date:1 G=date:1 H=number:1\n"; err != nil || dump(rows) != want {
		t.Errorf("%v %s", err, dump(rows))
	}
}
