package sheet

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"eventbatch/mapping/sheet/ooxml"
)

// What excelize writes at random is read back as it was put in, and as excelize
// itself reads it.
func TestXLSXReadsWhatExcelizeWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := excelize.NewFile()
		defer f.Close()
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		const name = "Sheet1"
		date, err := f.NewStyle(&excelize.Style{NumFmt: 22})
		must(err)
		custom, err := f.NewStyle(&excelize.Style{CustomNumFmt: new(`d/m/yyyy "at" hh:mm`)})
		must(err)
		plain, err := f.NewStyle(&excelize.Style{NumFmt: 2})
		must(err)
		want := make(map[string]Cell)
		cells := rapid.MapOfN(rapid.IntRange(0, 399), rapid.IntRange(0, 8), 0, 30).Draw(t, "cells")
		for at, kind := range cells {
			ref, err := excelize.CoordinatesToCellName(at%20*at%7+1, at/8+1)
			must(err)
			if _, taken := want[ref]; taken {
				continue
			}
			switch kind {
			case 0:
				s := rapid.StringOfN(rapid.Rune().Filter(inXML), 0, 40, -1).Draw(t, "text")
				must(f.SetCellStr(name, ref, s))
				want[ref] = Cell{Text: s, Kind: Text}
				if s == "" {
					want[ref] = Cell{}
				}
			case 1:
				n := rapid.Float64Range(-1e12, 1e12).Draw(t, "number")
				must(f.SetCellFloat(name, ref, n, -1, 64))
				want[ref] = Cell{Text: strconv.FormatFloat(n, 'f', -1, 64), Kind: Number}
			case 2:
				n := rapid.Int().Draw(t, "integer")
				must(f.SetCellInt(name, ref, int64(n)))
				want[ref] = Cell{Text: strconv.Itoa(n), Kind: Number}
			case 3:
				b := rapid.Bool().Draw(t, "boolean")
				must(f.SetCellBool(name, ref, b))
				want[ref] = Cell{Text: strconv.FormatBool(b), Kind: Bool}
			case 4, 5:
				day := rapid.IntRange(100, 60_000).Draw(t, "day")
				must(f.SetCellValue(name, ref, time.Date(1899, 12, 30, 12, 0, 0, 0, time.UTC).AddDate(0, 0, day)))
				must(f.SetCellStyle(name, ref, ref, []int{date, custom}[kind-4]))
				want[ref] = Cell{Text: strconv.Itoa(day) + ".5", Kind: Date}
			case 6:
				must(f.SetCellFormula(name, ref, "A1&\"<\""))
				want[ref] = Cell{Text: `=A1&"<"`, Kind: NoCache}
			case 7:
				must(f.SetCellStyle(name, ref, ref, plain)) // a blank cell with a format
				want[ref] = Cell{}
			case 8:
				must(f.SetCellRichText(
					name, ref, []excelize.RichTextRun{{Text: "a "}, {Text: "<b>", Font: &excelize.Font{Bold: true}}, {Text: " c"}},
				))
				want[ref] = Cell{Text: "a <b> c", Kind: Text}
			}
		}
		hidden := rapid.SliceOfNDistinct(rapid.IntRange(1, 50), 0, 5, rapid.ID).Draw(t, "hidden")
		for _, row := range hidden {
			must(f.SetRowVisible(name, row, false))
		}
		merged := rapid.Bool().Draw(t, "merged")
		if merged {
			must(f.MergeCell(name, "AA100", "AB102"))
		}
		from04 := rapid.Bool().Draw(t, "from 1904")
		must(f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &from04}))
		var file bytes.Buffer
		must(f.Write(&file))

		w, err := openBytes(t.Context(), file.Bytes(), Limits{})
		must(err)
		rows, err := readAll(t.Context(), w, name)
		must(err)
		if w.date1904() != from04 {
			t.Errorf("from 1904: %v, want %v", w.date1904(), from04)
		}
		got, last := make(map[string]Cell), 0
		for _, row := range rows {
			if row.Number <= last {
				t.Errorf("row %d after %d", row.Number, last)
			}
			last = row.Number
			for i, c := range row.Cells {
				ref, err := excelize.CoordinatesToCellName(i+1, row.Number)
				must(err)
				if c != (Cell{}) {
					got[ref] = c
				} else if want[ref] == c {
					delete(want, ref)
				}
				if row.Hidden != slices.Contains(hidden, row.Number) {
					t.Errorf("row %d hidden: %v", row.Number, row.Hidden)
				}
				theirs, err := f.GetCellValue(name, ref, excelize.Options{RawCellValue: true})
				must(err)
				if c.Kind == Bool {
					theirs = map[string]string{"1": "true", "0": "false", "TRUE": "true", "FALSE": "false"}[theirs]
				}
				if c.Kind != NoCache && theirs != c.Text {
					t.Errorf("%s: %q, excelize reads %q", ref, c.Text, theirs)
				}
			}
		}
		for ref, c := range want {
			if c == (Cell{}) {
				delete(want, ref)
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if notes := len(w.notes()); merged && notes == 0 {
			t.Error("no word about merged cells")
		}
	})
}

// inXML leaves out what a workbook holds as escapes only, and the underscore
// that begins one, which excelize and spreadsheet programs resolve differently.
func inXML(r rune) bool {
	return r >= ' ' && r != 0xFFFE && r != 0xFFFF && r != '_'
}

// xmlSheet is a sheet as encoding/xml sees it.
type xmlSheet struct {
	XMLName xml.Name `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main worksheet"`
	Rows    []struct {
		R     string `xml:"r,attr"`
		Space string `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
		Cells []struct {
			R string   `xml:"r,attr"`
			X string   `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
			S string   `xml:"s,attr"`
			T string   `xml:"t,attr"`
			V *xmlText `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main v"`
			F *xmlText `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main f"`
			I *struct {
				Space string    `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
				T     []xmlText `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main t"`
				R     []struct {
					Space string    `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
					T     []xmlText `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main t"`
				} `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main r"`
			} `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main is"`
		} `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main c"`
	} `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main sheetData>row"`
}

type xmlText struct {
	Space string `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
	Text  string `xml:",chardata"`
}

// shownRuns is the text of a cell that comes in runs, each with the elements around
// it, the nearest first.
func shownRuns(runs []xmlText) string {
	const blanks = " \t\r\n"
	for i := range runs {
		if runs[i].Space != "preserve" {
			runs[i].Text = strings.TrimLeft(runs[i].Text, blanks)
		}
		if runs[i].Text != "" {
			break
		}
	}
	for i := range slices.Backward(runs) {
		if runs[i].Space != "preserve" {
			runs[i].Text = strings.TrimRight(runs[i].Text, blanks)
		}
		if runs[i].Text != "" {
			break
		}
	}
	var text strings.Builder
	for _, run := range runs {
		text.WriteString(string(ooxml.Unescape([]byte(run.Text))))
	}
	return text.String()
}

// in gives the text with what the elements around it say of white space, the nearest first.
func (t xmlText) in(spaces ...string) xmlText {
	t.Space = cmp.Or(append([]string{t.Space}, spaces...)...)
	return t
}

// oracleRows reads a sheet by way of encoding/xml, trusting that it is sound.
func oracleRows(doc string, shared []string) (string, error) {
	var s xmlSheet
	if err := xml.Unmarshal([]byte(doc), &s); err != nil {
		return "", err
	}
	var b strings.Builder
	number := 0
	for _, row := range s.Rows {
		number++
		if row.R != "" {
			number, _ = strconv.Atoi(row.R)
		}
		line, column := "", 0
		for _, c := range row.Cells {
			column++
			if c.R != "" {
				column, _, _ = excelize.CellNameToCoordinates(c.R)
			}
			name, _ := excelize.ColumnNumberToName(column)
			var v xmlText
			if c.V != nil {
				v = *c.V
			}
			trimmed := strings.Trim(v.Text, " \t\r\n")
			text, kind := trimmed, "number"
			switch c.T {
			case "s":
				kind = "text"
				if i, err := strconv.Atoi(trimmed); err == nil {
					text = shared[i]
				}
			case "b":
				kind, text = "bool", map[string]string{"1": "true", "true": "true", "0": "false", "false": "false"}[trimmed]
			case "e":
				kind = "fault"
			case "str":
				kind, text = "text", shownRuns([]xmlText{v.in(c.X, row.Space)})
			case "d":
				kind = "text"
			case "inlineStr":
				runs := []xmlText{v.in(c.X, row.Space)}
				if c.I != nil {
					if len(c.I.T) > 0 && len(c.I.R) > 0 {
						return "", errors.New("the order of t and r is lost")
					}
					runs = nil
					for _, t := range c.I.T {
						runs = append(runs, t.in(c.I.Space, c.X, row.Space))
					}
					for _, r := range c.I.R {
						for _, t := range r.T {
							runs = append(runs, t.in(r.Space, c.I.Space, c.X, row.Space))
						}
					}
				}
				kind, text = "text", shownRuns(runs)
			default:
				if c.S == "1" || c.S == "2" {
					kind = "date"
				}
			}
			if given := c.V != nil || c.I != nil; c.F != nil && (!given || trimmed == "" && c.T != "str" && c.T != "inlineStr") {
				kind, text = "nocache", "="+c.F.Text
			}
			if text != "" {
				line += fmt.Sprintf(" %s=%s:%s", name, kind, text)
			}
		}
		if line != "" {
			fmt.Fprintf(&b, "%d:%s\n", number, line)
		}
	}
	return b.String(), nil
}

// soundXML reports whether encoding/xml reads a document to its end.
func soundXML(doc string) bool {
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		switch _, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		}
	}
}

// inBlocks gives a document in blocks of one size, with this much room before each.
type inBlocks struct {
	doc         []byte
	size, front int
}

func (s *inBlocks) Next() (ooxml.Block, error) {
	n := min(s.size, len(s.doc))
	if n == 0 {
		return ooxml.Block{}, io.EOF
	}
	mem := append(make([]byte, s.front), s.doc[:n]...)
	s.doc = s.doc[n:]
	return ooxml.Block{Mem: mem, From: s.front, To: len(mem)}, nil
}

// Recycle spoils the block, so that whoever still looks at it fails.
func (*inBlocks) Recycle(b ooxml.Block) { clear(b.Mem) }

// Whatever the reader takes, it reads as encoding/xml does, in blocks of any size.
func FuzzXLSXSheet(f *testing.F) {
	for _, rows := range []string{
		`<row r="1" spans="1:2"><c r="A1" s="1" t="s"><v>1</v></c><c r="B1"><v>4.5</v></c><c r="C1" t="b"><v>1</v></c></row>`,
		`<row r="2"><c r="A2" t="inlineStr"><is><t>a &amp; b</t></is></c><c r="B2" t="inlineStr"><is><t xml:space="preserve"> _x0041_ ` +
			`</t></is></c></row>`,
		`<row><c t="inlineStr"><is><r><rPr><b/></rPr><t>x</t></r><r xml:space="preserve"><t> y</t></r><rPh><t>z</t></rPh></is></c><c>` +
			`<f>A1</f></c></row>`,
		`<row r="7"><c r="C7" t="str"><f>x</f><v> é </v></c><c r="D7" t="e"><v>#N/A</v></c><c r="E7" s="2"><v>1e5</v></c><c/></row>` +
			`<row r="9"/>`,
		`<row r="3"><!-- x --><c r="A3" s="2"><v>1<![CDATA[2]]></v><extLst><v/></extLst></c><x:c ` +
			`xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:v>3</x:v></x:c></row>`,
		`<row r="1" xml:space="preserve"><c r="a1" s="" t="inlineStr"><v>1</v>` +
			`<is><r><t> x </t></r><r xml:space="default"><t> y </t></r></is></c></row>`,
		`<row r="1"><c r="A1" t="d"><v>2026-03-08</v></c><c r="B1"><v/></c><c r="C1"><f>1</f><v></v></c></row>`,
	} {
		f.Add(rows, uint8(5))
		f.Add(rows, uint8(255))
	}
	shared := []string{"name", "Tea"}
	f.Fuzz(func(t *testing.T, rows string, size uint8) {
		doc := sheetXML(rows)
		read := func(size, front int) (string, error) {
			var all []Row
			w := &workbook{
				limits: Limits{Rows: 1 << 20}.withDefaults(), styles: []cellStyle{{}, {date: true}, {date: true}},
				shared: &sharedStrings{texts: arena{size: 64}},
			}
			for _, s := range shared {
				if err := w.shared.add([]byte(s), w.limits); err != nil {
					t.Fatal(err)
				}
			}
			r := newSheetReader(w, w.place("Events"), ooxml.NewScanner(
				&inBlocks{[]byte(doc), size, front},
			), func(b *Batch, err error) bool {
				for _, row := range b.Rows {
					row.Cells, row.Hidden = append([]Cell(nil), row.Cells...), false
					all = append(all, row)
				}
				b.Release()
				return true
			})
			err := r.read()
			return dump(all), err
		}
		got, err := read(1<<20, 0)
		cut, err2 := read(1+int(size), int(size)%16)
		if got != cut || (err == nil) != (err2 == nil) {
			t.Fatalf("the size of the blocks matters: %v %v\n%s", err, err2, gocmp.Diff(got, cut))
		}
		if err != nil {
			return
		}
		if !soundXML(doc) {
			t.Fatalf("encoding/xml refuses %q", doc)
		}
		if want, err := oracleRows(doc, shared); err == nil && want != got {
			t.Fatal(gocmp.Diff(want, got))
		}
	})
}
