package sheet

import (
	"errors"
	"testing"
)

// No file makes the reader do anything but read it or refuse it.
func FuzzXLSXFile(f *testing.F) {
	f.Add(zipped(f, bookParts(sheetXML(`<row r="1"><c r="A1"><v>1</v></c></row>`))...))
	f.Add(oleFile("Workbook"))
	f.Add(manyEntries(3))
	f.Fuzz(func(t *testing.T, file []byte) {
		w, err := openBytes(t.Context(), file, Limits{InflatedBytes: 1 << 22, StringBytes: 1 << 20})
		if err == nil {
			for _, s := range w.sheets() {
				if _, err = readAll(t.Context(), w, s.Name); err != nil {
					break
				}
			}
		}
		if _, ours := errors.AsType[*Error](err); err != nil && !ours {
			t.Fatalf("%T: %v", err, err)
		}
	})
}

// The same for files that are whole archives of any parts.
func FuzzXLSXParts(f *testing.F) {
	p := bookParts(sheetXML(`<row r="1"><c r="A1" s="1" t="s"><v>1</v></c></row>`))
	f.Add(p[3], p[5], p[7], p[9], p[11], p[13])
	f.Fuzz(func(t *testing.T, rels, book, bookRels, styles, shared, sheet string) {
		parts := bookParts(sheet, p[2], rels, p[4], book, p[6], bookRels, p[8], styles, p[10], shared)
		w, err := openBytes(t.Context(), zipped(t, parts...), Limits{})
		if err == nil {
			for _, s := range w.sheets() {
				if _, err = readAll(t.Context(), w, s.Name); err != nil {
					break
				}
			}
		}
		if _, ours := errors.AsType[*Error](err); err != nil && !ours {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
