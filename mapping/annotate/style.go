package annotate

import (
	"bytes"
	"strings"

	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// sheetOrder is the order of the children of a worksheet, which spreadsheet programs
// insist on.
var sheetOrder = strings.Fields(`sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection
		protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr
		conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks
		colBreaks customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF drawingHF
		picture oleObjects controls webPublishItems tableParts extLst`)

// markLooks are the formats of marked cells, by severity: red and amber, with
// letters dark enough to be read on either.
var markLooks = [2]string{
	`<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><fgColor rgb="FFFFC7CE"/><bgColor ` +
		`rgb="FFFFC7CE"/></patternFill></fill></dxf>`,
	`<dxf><font><color rgb="FF7F4F00"/></font><fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/><bgColor ` +
		`rgb="FFFFE699"/></patternFill></fill></dxf>`,
}

// wrappedLook is the format of what is said of a row: a text of several lines.
const wrappedLook = `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1"><alignment wrapText="1"/></xf>`

// looks are the formats of what is shown, by their numbers in the workbook.
type looks struct {
	colors  [2]int // of marks, by severity
	wrapped string // of what is said of a row
}

// markFormulas are always true; they tell our formats from the user's.
var markFormulas = [2]string{`LEN("eventbatch error")>0`, `LEN("eventbatch warning")>0`}

// ours reports whether a formula is that of a mark.
func ours(formula []byte) bool { return bytes.Contains(formula, []byte(`"eventbatch`)) }

// inlineCell writes a cell with as much of a text as it can hold.
func inlineCell(ref, format, text string) string {
	return ooxml.TextCell(ref, format, ooxml.CutText(sheet.Guard(text)))
}
