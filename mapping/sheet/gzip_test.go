package sheet

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"eventbatch/mapping/schema"
)

func gzipOf(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// A compressed file is what is in it, by its bytes and by the name without .gz.
func TestCompressedFilesAreUnpacked(t *testing.T) {
	const table = "a,b\n1,2\n"
	book := new(bytes.Buffer)
	if err := WriteXLSX(book, []SheetData{{Name: "E", Header: []string{"a"}, Rows: func(func([]Out) bool) {}}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, content, what, err string }{
		{"f.csv.gz", gzipOf(t, table), table, ""},
		{"f.csv", gzipOf(t, table), table, ""},
		{"f.tsv.GZ", gzipOf(t, "a,\tb\n1\t2\n"), "a,\tb\n1\t2\n", ""},
		{"f.gz", gzipOf(t, book.String()), book.String(), ""},
		{"f.ndjson.gz", gzipOf(t, `{"a":"1"}`), `{"a":"1"}`, ""},
		{"two.csv.gz", gzipOf(t, "a,b\n") + gzipOf(t, "1,2\n"), table, ""},
		{"unpacked on its way.csv.gz", table, table, ""},
		{"twice.csv.gz", gzipOf(t, gzipOf(t, table)), "", "the file is compressed twice"},
		{"cut.csv.gz", gzipOf(t, table)[:20], "", "unpacking the file: unexpected EOF"},
		{"head.csv.gz", gzipOf(t, table)[:5], "", "unpacking the file: unexpected EOF"},
		{"flipped.csv.gz", gzipOf(t, table)[:len(gzipOf(t, table))-8] + "checksum", "", "unpacking the file: gzip: invalid checksum"},
		{"large.csv.gz", gzipOf(t, strings.Repeat("a,b\n", 1<<18)), "", "it unpacks to more than 1000000 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Open(t.Context(), writeTemp(t, tc.name, tc.content), Options{Limits: Limits{FileBytes: 1_000_000}})
			if err != nil {
				if tc.err == "" || !strings.HasSuffix(err.Error(), tc.err) {
					t.Fatalf("got %v, want %s", err, tc.err)
				}
				return
			}
			defer f.Close()
			if tc.err != "" {
				t.Fatalf("got no error, want %s", tc.err)
			}
			rows := 0
			for row, err := range f.Rows(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				if row.Cell(0).Text == "" {
					t.Errorf("row %d is blank", row.Number)
				}
				rows++
			}
			if sum := sha256.Sum256([]byte(tc.what)); rows == 0 || f.SHA256() != hex.EncodeToString(sum[:]) {
				t.Errorf("%d rows, hash %s", rows, f.SHA256())
			}
		})
	}
}

// A stream may be compressed too.
func TestCompressedStreamIsUnpacked(t *testing.T) {
	f, err := Open(t.Context(), "-", Options{Format: "csv", Stdin: strings.NewReader(gzipOf(t, "a,b\n1,2\n"))})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil || len(row.Cells) != 2 {
			t.Errorf("%v, %v", row, err)
		}
	}
}

// The copy of a compressed file would have its name and not its form.
func TestCompressedFilesAreNotPatched(t *testing.T) {
	p := Patch{Path: writeTemp(t, "f.csv.gz", gzipOf(t, "a,b\n1,2\n")), Cells: []NewCell{{Row: 2}}}
	err := p.Write(t.Context(), io.Discard)
	if e, ok := err.(*Error); !ok || e.Code != schema.CodeUnknownFormat || e.Hint != "unpack it first" {
		t.Errorf("got %v", err)
	}
}
