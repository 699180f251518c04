package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// bookWriter collects a workbook line by line. A line in brackets begins a sheet, one with an
// exclamation mark does something to it (merge A1:C1, hide row 7, hide sheet, strike row 7,
// comment D8 text, style A9:C90, epoch 1904), and any other is a row: its cells between bars,
// then perhaps => and what it means. A cell @2027-03-04 is a real date, @2027-03-04 19:30 one
// with its time, @19:30 a real time, #40 a number, =SUM(A1:A3)#6 a formula with its value.
type bookWriter struct {
	t      *testing.T
	p      *peoplesFile
	sheets []*bookSheet
	epoch  bool // dates are counted from 1904
}

type bookSheet struct {
	name   string
	rows   [][]string
	acts   [][]string
	hidden map[int]bool // rows
	struck map[int]bool
	gone   bool // the sheet is hidden
}

func (w *bookWriter) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *bookWriter) line(line string) {
	w.t.Helper()
	if line == "" {
		return
	}
	if line[0] == '[' {
		w.sheets = append(w.sheets, &bookSheet{name: strings.Trim(line, "[]"), hidden: map[int]bool{}, struck: map[int]bool{}})
		return
	}
	s := w.sheets[len(w.sheets)-1]
	if line[0] == '!' {
		words := strings.Fields(line[1:])
		switch words[0] + " " + words[1] {
		case "hide row", "strike row":
			row, err := strconv.Atoi(words[2])
			w.must(err)
			if words[0] == "hide" {
				s.hidden[row] = true
			} else {
				s.struck[row] = true
			}
		case "hide sheet":
			s.gone = true
		case "epoch 1904":
			w.epoch = true
		default:
			s.acts = append(s.acts, words)
		}
		return
	}
	text, meaning, says := strings.Cut(line, " => ")
	cells := strings.Split(text, "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	s.rows = append(s.rows, cells)
	if says {
		w.p.mean(w.t, s.name, len(s.rows), meaning)
	}
}

// bookCell is a cell by its kind, which is the letter that begins it.
type bookCell struct {
	kind    byte // @ a date, : a time of day, # a number, = a formula, 0 a text
	at      time.Time
	number  float64
	text    string // or formula
	instant bool   // a date with its time
}

func (w *bookWriter) cell(text string) bookCell {
	w.t.Helper()
	formula, value, isFormula := strings.Cut(text, ")#")
	var c bookCell
	var err error
	switch {
	case text == "":
	case text[0] == '=' && isFormula:
		c.kind, c.text = '=', formula[1:]+")"
		c.number, err = strconv.ParseFloat(value, 64)
	case text[0] == '#':
		c.kind = '#'
		c.number, err = strconv.ParseFloat(text[1:], 64)
	case text[0] == '@' && strings.Contains(text, " "):
		c.kind, c.instant = '@', true
		c.at, err = time.Parse("2006-01-02 15:04", text[1:])
	case text[0] == '@' && strings.Contains(text, ":"):
		c.kind = ':'
		c.at, err = time.Parse("15:04", text[1:])
	case text[0] == '@':
		c.kind = '@'
		c.at, err = time.Parse(time.DateOnly, text[1:])
	default:
		c.text = text
	}
	w.must(err)
	return c
}

// xlsx returns the workbook as Excel saves it.
func (w *bookWriter) xlsx() []byte {
	f := excelize.NewFile()
	defer f.Close()
	w.must(f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &w.epoch}))
	styles := map[string]int{}
	styled := func(format string, struck bool) int {
		name := fmt.Sprint(format, struck)
		if _, made := styles[name]; !made {
			style := &excelize.Style{Font: &excelize.Font{Strike: struck}}
			if format != "" {
				style.CustomNumFmt = &format
			}
			id, err := f.NewStyle(style)
			w.must(err)
			styles[name] = id
		}
		return styles[name]
	}
	for _, s := range w.sheets {
		_, err := f.NewSheet(s.name)
		w.must(err)
		for r, row := range s.rows {
			for i, text := range row {
				ref, err := excelize.CoordinatesToCellName(i+1, r+1)
				w.must(err)
				if format := w.xlsxCell(f, s.name, ref, w.cell(text)); format != "" || s.struck[r+1] {
					w.must(f.SetCellStyle(s.name, ref, ref, styled(format, s.struck[r+1])))
				}
			}
		}
		for row := range s.hidden {
			w.must(f.SetRowVisible(s.name, row, false))
		}
		for _, words := range s.acts {
			w.act(f, s.name, words)
		}
	}
	w.must(f.DeleteSheet("Sheet1"))
	for _, s := range w.sheets {
		if s.gone {
			w.must(f.SetSheetVisible(s.name, false))
		}
	}
	var out bytes.Buffer
	w.must(f.Write(&out))
	return out.Bytes()
}

// xlsxCell writes a cell and returns the format that its value needs.
func (w *bookWriter) xlsxCell(f *excelize.File, sheet, ref string, c bookCell) (format string) {
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if w.epoch {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	switch c.kind {
	case '@':
		w.must(f.SetCellValue(sheet, ref, c.at.Sub(epoch).Hours()/24))
		if c.instant {
			return "dd.mm.yyyy hh:mm"
		}
		return "dd.mm.yyyy"
	case ':':
		w.must(f.SetCellValue(sheet, ref, float64(c.at.Hour()*60+c.at.Minute())/(24*60)))
		return "hh:mm"
	case '#':
		w.must(f.SetCellValue(sheet, ref, c.number))
	case '=':
		w.must(f.SetCellValue(sheet, ref, c.number))
		w.must(f.SetCellFormula(sheet, ref, c.text))
	default:
		if c.text != "" {
			w.must(f.SetCellStr(sheet, ref, c.text))
		}
	}
	return ""
}

func (w *bookWriter) act(f *excelize.File, sheet string, words []string) {
	from, to, _ := strings.Cut(words[1], ":")
	switch words[0] {
	case "merge":
		w.must(f.MergeCell(sheet, from, to))
	case "comment":
		w.must(f.AddComment(sheet, excelize.Comment{Cell: from, Author: "Jana", Text: strings.Join(words[2:], " ")}))
	case "style":
		style, err := f.NewStyle(&excelize.Style{Border: []excelize.Border{{Type: "bottom", Style: 1, Color: "CCCCCC"}}})
		w.must(err)
		w.must(f.SetCellStyle(sheet, from, to, style))
	default:
		w.t.Fatalf("%s is not known", words)
	}
}

// ods returns the workbook as LibreOffice saves it.
func (w *bookWriter) ods() []byte {
	var x strings.Builder
	x.WriteString(`<?xml version="1.0" encoding="UTF-8"?><office:document-content` +
		` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"` +
		` xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">` +
		`<office:automatic-styles><style:style style:name="struck" style:family="table-cell">` +
		`<style:text-properties style:text-line-through-style="solid"/></style:style></office:automatic-styles>` +
		`<office:body><office:spreadsheet>`)
	for _, s := range w.sheets {
		fmt.Fprintf(&x, `<table:table table:name="%s">`, html.EscapeString(s.name))
		spans, covered := w.spans(s)
		for r, row := range s.rows {
			visible, style := "visible", ""
			if s.hidden[r+1] {
				visible = "collapse"
			}
			if s.struck[r+1] {
				style = ` table:style-name="struck"`
			}
			fmt.Fprintf(&x, `<table:table-row table:visibility="%s">`, visible)
			for i, text := range row {
				if covered[[2]int{i + 1, r + 1}] {
					x.WriteString(`<table:covered-table-cell/>`)
					continue
				}
				fmt.Fprintf(&x, `<table:table-cell%s%s%s`, style, spans[[2]int{i + 1, r + 1}], odsCell(w.cell(text)))
			}
			x.WriteString(`</table:table-row>`)
		}
		x.WriteString(`<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/>` +
			`</table:table-row></table:table>`)
	}
	x.WriteString(`</office:spreadsheet></office:body></office:document-content>`)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	parts := map[string]string{"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": x.String()}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(parts))) {
		part, err := z.CreateHeader(&zip.FileHeader{Name: name})
		w.must(err)
		_, err = part.Write([]byte(parts[name]))
		w.must(err)
	}
	w.must(z.Close())
	return out.Bytes()
}

// spans returns the attributes of merged cells, and the cells that they cover.
func (w *bookWriter) spans(s *bookSheet) (spans map[[2]int]string, covered map[[2]int]bool) {
	spans, covered = map[[2]int]string{}, map[[2]int]bool{}
	for _, words := range s.acts {
		if words[0] != "merge" {
			w.t.Fatalf("%s is not known", words)
		}
		from, to, _ := strings.Cut(words[1], ":")
		left, top, err := excelize.CellNameToCoordinates(from)
		w.must(err)
		right, bottom, err := excelize.CellNameToCoordinates(to)
		w.must(err)
		for column := left; column <= right; column++ {
			for row := top; row <= bottom; row++ {
				covered[[2]int{column, row}] = true
			}
		}
		delete(covered, [2]int{left, top})
		const span = ` table:number-columns-spanned="%d" table:number-rows-spanned="%d"`
		spans[[2]int{left, top}] = fmt.Sprintf(span, right-left+1, bottom-top+1)
	}
	return spans, covered
}

// odsCell returns the end of a cell's element: its value, and what LibreOffice shows of it.
func odsCell(c bookCell) string {
	value, shown := "", c.text
	switch c.kind {
	case '@':
		value, shown = `date" office:date-value="`+c.at.Format(time.DateOnly), c.at.Format("02.01.06")
		if c.instant {
			value, shown = `date" office:date-value="`+c.at.Format("2006-01-02T15:04:05"), c.at.Format("02.01.06 15:04")
		}
	case ':':
		value, shown = `time" office:time-value="`+c.at.Format("PT15H04M05S"), c.at.Format("15:04")
	case '#', '=':
		shown = strconv.FormatFloat(c.number, 'f', -1, 64)
		value = `float" office:value="` + shown
	default:
		if c.text == "" {
			return "/>"
		}
		value = "string"
	}
	return ` office:value-type="` + value + `"><text:p>` + html.EscapeString(shown) + `</text:p></table:table-cell>`
}
