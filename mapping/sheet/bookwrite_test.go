package sheet

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestColumnsAreToldInOrder: spreadsheet programs take a sheet whose columns are
// out of order for a damaged one.
func TestColumnsAreToldInOrder(t *testing.T) {
	book := newOutBook()
	defer book.close()
	out, err := book.sheet("Events", []float64{8, 0, 12, 20, 9})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.write([]Out{{Kind: Text, Text: "a"}}); err != nil {
		t.Fatal(err)
	}
	if err := out.flush(); err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	if err := book.write(&made); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		t.Fatal(err)
	}
	part, err := r.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	var columns []int
	for _, m := range regexp.MustCompile(`<col min="(\d+)"`).FindAllSubmatch(content, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, n)
	}
	if !slices.Equal(columns, []int{1, 3, 4, 5}) {
		t.Errorf("columns %v", columns)
	}
}
