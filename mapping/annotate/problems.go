package annotate

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// linksPerSheet is how many links spreadsheet programs take in one sheet.
const linksPerSheet = 65_000

// problemsListed is how many problems the sheet lists: nobody works through more by
// hand, and the copy is put together in memory. It says how many there are besides.
const problemsListed = 100_000

// problemList is the sheet of problems.
type problemList struct {
	namespace string
	sheets    []*sheetEdit // of the copy, but for this one
	problems  []schema.Problem

	head, text, link, number string    // formats of cells
	marks                    [2]string // of the word of a severity
}

var problemColumns = []struct {
	header string
	width  string
}{
	{"Where", "17"},
	{"Row", "7"},
	{"Column", "20"},
	{"Severity", "10"},
	{"Problem", "58"},
	{"What to do", "52"},
	{"The cell holds", "30"},
	{"Proposal", "30"},
	{"Field", "22"},
	{"Code", "20"},
}

// dress adds the formats that the sheet uses to the workbook's styles.
func (l *problemList) dress(styles []byte) []byte {
	var font, fill int
	format := func(fontXML, fillXML, alignment string) string {
		font, fill = 0, 0
		if fontXML != "" {
			styles, font = ooxml.Interned(styles, "fonts", fontXML, ooxml.StyleOrder)
		}
		if fillXML != "" {
			styles, fill = ooxml.Interned(
				styles, "fills",
				`<fill><patternFill patternType="solid"><fgColor rgb="`+fillXML+`"/><bgColor indexed="64"/></patternFill></fill>`,
				ooxml.StyleOrder,
			)
		}
		var id int
		styles, id = ooxml.Interned(styles, "cellXfs", `<xf numFmtId="0" fontId="`+strconv.Itoa(font)+`" fillId="`+strconv.Itoa(fill)+
			`" borderId="0" xfId="0" applyFont="1" applyFill="1" applyAlignment="1"><alignment `+alignment+`/></xf>`, ooxml.StyleOrder)
		return strconv.Itoa(id)
	}
	letters := func(style, color string) string {
		return `<font>` + style + `<sz val="10"/><color rgb="` + color + `"/><name val="Calibri"/><family val="2"/></font>`
	}
	const top = `vertical="top" wrapText="1"`
	l.head = format(letters("<b/>", "FFFFFFFF"), "FF44546A", `vertical="center"`)
	l.text = format(letters("", "FF000000"), "", top)
	l.link = format(letters("<u/>", "FF0563C1"), "", `vertical="top"`)
	l.marks[schema.Error] = format(letters("<b/>", "FF9C0006"), "FFFFC7CE", `vertical="top"`)
	l.marks[schema.Warning] = format(letters("<b/>", "FF7F4F00"), "FFFFE699", `vertical="top"`)
	l.number = format(letters("", "FF000000"), "", `vertical="top" horizontal="center"`)
	return styles
}

// filter is the range that can be filtered.
func (l *problemList) filter() string {
	return "$A$1:$" + schema.ColumnName(len(problemColumns)-1) + "$" + strconv.Itoa(l.rows())
}

func (l *problemList) rows() int { return min(len(l.problems), problemsListed) + 1 }

// more is how many problems are not listed.
func (l *problemList) more() int { return len(l.problems) + 1 - l.rows() }

func (l *problemList) xml() []byte {
	var b, links strings.Builder
	last := ooxml.CellRef(l.rows(), len(problemColumns)-1)
	end := l.rows()
	if l.more() > 0 {
		end++
	}
	b.WriteString(ooxml.Prolog + `<worksheet xmlns="` + l.namespace +
		`"><sheetPr><tabColor rgb="FFC00000"/><pageSetUpPr fitToPage="1"/></sheetPr>` +
		`<dimension ref="A1:` + ooxml.CellRef(
		end, len(problemColumns)-1,
	) + `"/><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>` +
		`<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>`)
	for i, column := range problemColumns {
		n := strconv.Itoa(i + 1)
		b.WriteString(`<col min="` + n + `" max="` + n + `" width="` + column.width + `" customWidth="1"/>`)
	}
	b.WriteString(`</cols><sheetData><row r="1" ht="20" customHeight="1">`)
	for i, column := range problemColumns {
		b.WriteString(inlineCell(ooxml.CellRef(1, i), l.head, column.header))
	}
	b.WriteString("</row>")
	for i := range l.problems[:l.rows()-1] {
		l.row(&b, &links, i+2, &l.problems[i])
	}
	if l.more() > 0 {
		b.WriteString(`<row r="` + strconv.Itoa(end) + `">` +
			inlineCell(ooxml.CellRef(end, 4), l.text, "and "+strconv.Itoa(l.more())+" more, which a report as CSV lists") + "</row>")
	}
	b.WriteString(`</sheetData><autoFilter ref="A1:` + last + `"/>`)
	if links.Len() > 0 {
		b.WriteString("<hyperlinks>" + links.String() + "</hyperlinks>")
	}
	b.WriteString(`<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/><pageSetup ` +
		`orientation="landscape" fitToHeight="0"/></worksheet>`)
	return []byte(b.String())
}

// row writes one problem, with a link to its cell.
func (l *problemList) row(b, links *strings.Builder, number int, p *schema.Problem) {
	at, name := p.Place, l.sheetOf(p)
	where, linked := "the file", ""
	switch {
	case at.Row > 0:
		where, linked = at.Cell(), ooxml.CellRef(at.Row, max(at.Column, 0))
		if at.Column < 0 {
			where = "row " + where
		}
	case at.Sheet != "":
		where = "the sheet"
	}
	if name != "" && (at.Row > 0 || at.Sheet != "") && len(l.sheets) > 1 {
		where = name + " " + where
	}
	style := l.text
	if linked != "" && name != "" && number < linksPerSheet {
		style = l.link
		links.WriteString(`<hyperlink ref="A` + strconv.Itoa(number) + `" location="` + ooxml.EscapeAttr(
			ooxml.QuoteSheet(name)+"!"+linked,
		) + `" display="` + ooxml.EscapeAttr(where) + `"/>`)
	}
	r := strconv.Itoa(number)
	b.WriteString(`<row r="` + r + `" ht="` + strconv.Itoa(3+13*l.lines(p)) + `" customHeight="1">` + inlineCell("A"+r, style, where))
	if at.Row > 0 {
		b.WriteString(`<c r="B` + r + `" s="` + l.number + `"><v>` + strconv.Itoa(at.Row) + `</v></c>`)
	}
	letter := ""
	if at.Column >= 0 && at.Row > 0 {
		letter = schema.ColumnName(at.Column)
	}
	b.WriteString(inlineCell("C"+r, l.text, cmp.Or(at.Header, letter)))
	b.WriteString(inlineCell("D"+r, l.marks[p.Severity], p.Severity.String()))
	for i, text := range []string{p.Message, p.Hint, p.Value, p.Proposal, p.Field, string(p.Code)} {
		b.WriteString(inlineCell(ooxml.CellRef(number, 4+i), l.text, text))
	}
	b.WriteString("</row>")
}

// lines is how many lines a problem takes: not every program finds the height of a
// row by itself.
func (l *problemList) lines(p *schema.Problem) int {
	lines := 1
	for i, text := range []string{p.Message, p.Hint, p.Value, p.Proposal} {
		width, _ := strconv.Atoi(problemColumns[4+i].width)
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			n += 1 + utf8.RuneCountInString(line)*10/(width*11)
		}
		lines = max(lines, min(n, 12))
	}
	return lines
}

// sheetOf is the sheet of the copy that a problem is in.
func (l *problemList) sheetOf(p *schema.Problem) string {
	for _, s := range l.sheets {
		if s.entry.Name == p.Place.Sheet || p.Place.Sheet == "" && s.marked != nil {
			return s.entry.Name
		}
	}
	return ""
}
