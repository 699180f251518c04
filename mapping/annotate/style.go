package annotate

import "strings"

// The order of the children of a part of styles and of a worksheet, which
// spreadsheet programs insist on.
var (
	styleOrder = strings.Fields("numFmts fonts fills borders cellStyleXfs cellXfs cellStyles dxfs tableStyles colors extLst")
	sheetOrder = strings.Fields(`sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection
		protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr
		conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks
		colBreaks customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF drawingHF
		picture oleObjects controls webPublishItems tableParts extLst`)
)

// markLooks are the formats of marked cells, by severity: red and amber, with
// letters dark enough to be read on either.
var markLooks = [2]string{
	`<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><fgColor rgb="FFFFC7CE"/><bgColor ` +
		`rgb="FFFFC7CE"/></patternFill></fill></dxf>`,
	`<dxf><font><color rgb="FF7F4F00"/></font><fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/><bgColor ` +
		`rgb="FFFFE699"/></patternFill></fill></dxf>`,
}

// markFormulas are always true; they tell our formats from the user's.
var markFormulas = [2]string{`LEN("eventbatch error")>0`, `LEN("eventbatch warning")>0`}

// plainStyles is the least that a workbook's styles can be, behind the root's tag.
const plainStyles = `<fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
