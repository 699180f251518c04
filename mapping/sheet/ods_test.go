package sheet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

const odsHead = `<?xml version="1.0" encoding="UTF-8"?><office:document-content ` +
	`xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
	`xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" ` +
	`xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"><office:automatic-styles>` +
	`<style:style style:name="off"><style:text-properties style:text-line-through-style="solid"/></style:style>` +
	`<style:style style:name="away"><style:table-properties table:display="false"/></style:style></office:automatic-styles>` +
	`<office:body><office:spreadsheet>`

const odsTail = `</office:spreadsheet></office:body></office:document-content>`

// odsFile makes a file of one sheet with these rows.
func odsFile(tb testing.TB, rows string) []byte {
	return odsParts(tb, odsHead+`<table:table table:name="E">`+rows+`</table:table>`+odsTail)
}

func odsParts(tb testing.TB, content string, more ...string) []byte {
	return zipped(tb, append([]string{"mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", content}, more...)...)
}

// odsRows reads a sheet in a form that is easy to compare: "row: kind text|…".
func odsRows(tb testing.TB, path, sheet string, l Limits) (rows []string, f *File, err error) {
	tb.Helper()
	if f, err = Open(tb.Context(), path, Options{Limits: l}); err != nil {
		return nil, nil, err
	}
	tb.Cleanup(func() { _ = f.Close() })
	for row, err := range f.Rows(tb.Context(), sheet) {
		if err != nil {
			return rows, f, err
		}
		var cells []string
		for _, c := range row.Cells {
			cells = append(cells, string(rune('0'+c.Kind))+" "+c.Text)
		}
		rows = append(rows, fmt.Sprintf("%d: %s", row.Number, strings.Join(cells, "|")))
	}
	return rows, f, nil
}

func odsText(t string) string {
	return `<table:table-cell office:value-type="string"><text:p>` + t + `</text:p></table:table-cell>`
}

func TestODSCells(t *testing.T) {
	cell := func(attrs, text string) string {
		return `<table:table-row><table:table-cell ` + attrs + `><text:p>` + text + `</text:p></table:table-cell></table:table-row>`
	}
	for name, tc := range map[string]struct{ rows, want string }{
		"a text":       {cell(`office:value-type="string"`, `Tea &amp; <text:span>cake</text:span>`), "1 Tea & cake"},
		"blanks":       {cell(`office:value-type="string"`, `a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d`), "1 a  b\tc\nd"},
		"laid out XML": {cell(`office:value-type="string"`, "a\n     b"), "1 a b"},
		"two lines":    {cell(`office:value-type="string"`, `a</text:p><text:p>b`), "1 a\nb"},
		"a comment": {
			cell(`office:value-type="string"`, `a</text:p><office:annotation><text:p>no</text:p></office:annotation><text:p>b`),
			"1 a\nb",
		},
		"a guarded one": {cell(`office:value-type="string"`, `&apos;=1+1`), "1 =1+1"},
		"a number":      {cell(`office:value-type="float" office:value="12.5"`, `12,50`), "2 12.5"},
		"percent":       {cell(`office:value-type="percentage" office:value="0.5"`, `50 %`), "2 0.5"},
		"money":         {cell(`office:value-type="currency" office:currency="EUR" office:value="20"`, `20 €`), "2 20"},
		"a day":         {cell(`office:value-type="date" office:date-value="2027-03-20"`, `20.3.`), "3 46466"},
		"a moment":      {cell(`office:value-type="date" office:date-value="2027-03-20T18:00:00"`, `18 Uhr`), "3 46466.75"},
		"an early day":  {cell(`office:value-type="date" office:date-value="1850-01-01"`, `1850`), "1 1850-01-01"},
		"a time":        {cell(`office:value-type="time" office:time-value="PT18H00M00S"`, `18:00`), "3 0.75"},
		"a duration":    {cell(`office:value-type="time" office:time-value="PT36H"`, `36:00`), "3 1.5"},
		"a truth":       {cell(`office:value-type="boolean" office:boolean-value="true"`, `WAHR`), "4 true"},
		"an error": {
			cell(`table:formula="of:=NA()" office:value-type="string" office:string-value="" calcext:value-type="error"`, `#N/A`),
			"5 #N/A",
		},
		"uncomputed": {`<table:table-row><table:table-cell table:formula="of:=A2"/></table:table-row>`, "6 of:=A2"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := odsRows(t, writeTemp(t, "f.ods", string(odsFile(t, tc.rows))), "", Limits{})
			if diff := cmp.Diff([]string{"1: " + tc.want}, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Blank rows and cells that stand for a million cost nothing, and rows and cells that do stand
// for several are each there.
func TestODSRepeats(t *testing.T) {
	const blank = `<table:table-cell table:number-columns-repeated="16384"/>`
	file := odsFile(t, `<table:table-column table:number-columns-repeated="16384"/><table:table-header-rows><table:table-row>`+
		odsText("a")+`<table:table-cell table:number-columns-repeated="2"/>`+
		`<table:table-cell table:number-columns-repeated="2" office:value-type="float" office:value="1"/>`+
		`</table:table-row></table:table-header-rows><table:table-row-group><table:table-row table:number-rows-repeated="700">`+
		odsText("b")+
		`</table:table-row></table:table-row-group><table:table-row table:number-rows-repeated="1047875">`+blank+`</table:table-row>`)
	got, _, err := odsRows(t, writeTemp(t, "f.ods", string(file)), "E", Limits{})
	if err != nil || len(got) != 701 || got[0] != "1: 1 a|0 |0 |2 1|2 1" || got[1] != "2: 1 b" || got[700] != "701: 1 b" {
		t.Errorf("%v, %d rows: %.5q", err, len(got), got)
	}
}

func TestODSLayout(t *testing.T) {
	file := odsParts(t, odsHead+`<table:table table:name="Away" table:style-name="away"/><table:table table:name="E's">`+
		`<table:table-column table:visibility="collapse"/><table:table-column table:default-cell-style-name="off"/>`+
		`<table:table-row>`+odsText("a")+`</table:table-row>`+
		`<table:table-row table:visibility="filter"><table:table-cell table:number-columns-spanned="2" table:number-rows-spanned="2" `+
		`table:style-name="x" office:value-type="float" office:value="1"/><table:covered-table-cell/></table:table-row>`+
		`<table:table-row table:number-rows-repeated="2"><table:covered-table-cell/>`+odsText("off")+`</table:table-row></table:table>`+
		`<table:table table:name="Base"/><table:named-expressions><table:named-range table:name="_eventbatch_base" `+
		`table:cell-range-address="$Base.$A$1"/></table:named-expressions>`+odsTail)
	_, f, err := odsRows(t, writeTemp(t, "f.ods", string(file)), "", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Info{{Name: "Away", Hidden: true}, {Name: "E's"}, {Name: "Base", Own: true}}, f.Sheets()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Merge{{0, 2, 1, 3}}, f.Merges("E's")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0}, f.HiddenColumns("E's")); diff != "" || f.OwnSheet(BaseSheet) != "Base" {
		t.Error(diff, f.OwnSheet(BaseSheet))
	}
	var notes []schema.Code
	for _, p := range f.Notes() {
		notes = append(notes, p.Code)
	}
	if diff := cmp.Diff([]schema.Code{schema.CodeHiddenRows, schema.CodeStruckRows, schema.CodeMergedCells}, notes); diff != "" {
		t.Error(diff)
	}
}

// What is broken is refused, at its place.
func TestODSRefusesWhatIsBroken(t *testing.T) {
	row := func(cell string) []byte {
		return odsFile(t, `<table:table-row>`+odsText("a")+cell+`</table:table-row>`)
	}
	whole := odsFile(t, "")
	for name, tc := range map[string]struct {
		file []byte
		code schema.Code
		says string
	}{
		"cut":        {whole[:len(whole)-1], schema.CodeBadZip, "zip"},
		"cut XML":    {odsParts(t, odsHead), schema.CodeCutXML, "content.xml"},
		"no content": {zipped(t, "mimetype", "x"), schema.CodeMissingPart, "content.xml"},
		"a document": {
			odsParts(t, strings.ReplaceAll(odsHead+odsTail, "spreadsheet>", "text>")),
			schema.CodeUnknownFormat, "no spreadsheet",
		},
		"no sheets": {odsParts(t, odsHead+odsTail), schema.CodeMissingPart, "no sheets"},
		"a sheet twice": {
			odsParts(t, odsHead+strings.Repeat(`<table:table table:name="E"/>`, 2)+odsTail),
			schema.CodeBadXML, "two sheets",
		},
		"a password": {
			odsParts(t, "?", "META-INF/manifest.xml", `<m><e><encryption-data/></e></m>`),
			schema.CodeEncryptedWorkbook, "password",
		},
		"a newer password": {zipped(t, "mimetype", "x", "encrypted-package", "x"), schema.CodeEncryptedWorkbook, "password"},
		"a document type":  {odsParts(t, `<!DOCTYPE x><x/>`), schema.CodeDoctype, "document type"},
		"no number": {
			row(`<table:table-cell office:value-type="float" office:value="x"/>`),
			schema.CodeBadXML, `E!B1: "x" is not a number`,
		},
		"no date":  {row(`<table:table-cell office:value-type="date" office:date-value="2027-02-30"/>`), schema.CodeBadXML, "E!B1"},
		"no time":  {row(`<table:table-cell office:value-type="time" office:time-value="18:00"/>`), schema.CodeBadXML, "E!B1"},
		"no truth": {row(`<table:table-cell office:value-type="boolean" office:boolean-value="1"/>`), schema.CodeBadXML, "E!B1"},
		"no value": {
			row(`<table:table-cell office:value-type="float"><text:p>5</text:p></table:table-cell>`),
			schema.CodeBadXML, "E!B1",
		},
		"another type":    {row(`<table:table-cell office:value-type="void"/>`), schema.CodeUnsupportedFeature, "E!B1"},
		"a count of none": {row(`<table:table-cell table:number-columns-repeated="0"/>`), schema.CodeBadXML, "no number of rows"},
		"another element": {row(`<table:table-row/>`), schema.CodeBadXML, "does not belong"},
		"a table in it":   {row(`<table:table-cell><table:table/></table:table-cell>`), schema.CodeBadXML, "does not belong"},
		"a long text":     {row(odsText(strings.Repeat("x", 40_000))), schema.CodeTooLongCell, "characters"},
		"too wide": {
			row(`<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="20000"/>`),
			schema.CodeTooManyColumns, "columns",
		},
		"too long": {
			odsFile(t, `<table:table-row table:number-rows-repeated="1048577">`+odsText("a")+`</table:table-row>`),
			schema.CodeTooManyRows, "rows",
		},
		"too large": {
			odsFile(t, `<table:table-row table:number-rows-repeated="1000000">`+
				`<table:table-cell office:value-type="float" office:value="1" `+
				`table:number-columns-repeated="16000"/></table:table-row>`), schema.CodeTooManyRows, "repeated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := odsRows(t, writeTemp(t, "f.ods", string(tc.file)), "", Limits{})
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != tc.code || !strings.Contains(err.Error(), tc.says) || e.Hint == "" {
				t.Errorf("got %v, want %s about %q", err, tc.code, tc.says)
			}
		})
	}
}

// A workbook that LibreOffice saves as .ods holds the same cells.
func TestODSOfLibreOffice(t *testing.T) {
	office, err := exec.LookPath("soffice")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no soffice to write a file with")
		}
		t.Skip("no soffice to write a file with")
	}
	for _, name := range []string{"spring.xlsx"} {
		t.Run(name, func(t *testing.T) {
			source, folder := filepath.Join("..", "..", "samples", name), t.TempDir()
			convert := exec.CommandContext(t.Context(), office, "--headless", "-env:UserInstallation=file://"+filepath.Join(folder, "home"),
				"--convert-to", "ods", "--outdir", folder, source)
			if out, err := convert.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			book, err := Open(t.Context(), source, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer book.Close()
			for _, s := range book.Sheets() {
				want, _, err := odsRows(t, source, s.Name, Limits{})
				if err != nil {
					t.Fatal(err)
				}
				got, f, err := odsRows(t, filepath.Join(folder, strings.TrimSuffix(name, ".xlsx")+".ods"), s.Name, Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", s.Name, diff)
				}
				if diff := cmp.Diff(book.Sheets(), f.Sheets()); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// No file makes the reader do anything but read it or refuse it.
func FuzzODSContent(f *testing.F) {
	f.Add(`<table:table table:name="E"><table:table-row table:number-rows-repeated="3">` + odsText("a") +
		`</table:table-row></table:table>`)
	f.Add(`<table:table table:name="E"><table:table-row><table:covered-table-cell table:number-columns-repeated="9" ` +
		`office:value-type="time" office:time-value="PT1H2M3.5S"/></table:table-row></table:table>`)
	f.Fuzz(func(t *testing.T, tables string) {
		file := odsParts(t, odsHead+tables+odsTail)
		ctx := t.Context()
		l := Limits{Rows: 1000, Columns: 100}.withDefaults()
		path := writeTemp(t, "f.ods", string(file))
		in, err := openInput(ctx, path, Options{Limits: l})
		if err != nil {
			t.Fatal(err)
		}
		defer in.close()
		s, err := openODS(ctx, in, Options{Limits: l})
		if err == nil {
			for _, info := range s.sheets() {
				for batch, failed := range s.batches(ctx, info.Name) {
					if err = failed; batch != nil {
						batch.Release()
					}
				}
			}
		}
		if _, ours := errors.AsType[*Error](err); err != nil && !ours {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
