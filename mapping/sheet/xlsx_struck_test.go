package sheet

import (
	"testing"

	"eventbatch/mapping/schema"
)

func TestRowsThatAreStruckThroughAreTold(t *testing.T) {
	styles := xmlHead + `<styleSheet ` + xmlMain + `><fonts count="3"><font/><font><strike/></font><font><strike val="0"/></font></fonts>` +
		`<cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/></cellXfs></styleSheet>`
	rows := `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>1</v></c></row>` +
		`<row r="2"><c r="A2" s="1"><v>1</v></c><c r="B2" s="1"><v>1</v></c></row>` +
		`<row r="3"><c r="A3" s="2"><v>1</v></c><c r="B3"><v>1</v></c></row>` +
		`<row r="4"><c r="A4" s="1"><v>1</v></c><c r="B4"><v>1</v></c><c r="C4"><v>1</v></c></row>`
	w, err := openBytes(t.Context(), zipped(t, bookParts(sheetXML(rows), "xl/styles.xml", styles)...), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(t.Context(), w, "Events"); err != nil {
		t.Fatal(err)
	}
	for _, note := range w.notes() {
		if note.Code == schema.CodeStruckRows && note.Message == "rows that are struck through are read like the others: 2" {
			return
		}
	}
	t.Errorf("%v", w.notes())
}
