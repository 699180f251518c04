package sheet

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// record is what both readers must agree on.
type record struct {
	Line  int
	Cells []string
	Lines []int32 // of each cell
}

// FuzzCSV holds the scanner against encoding/csv: the same records at the same
// lines, the same kind of error in the same record.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "a,b\n1,2\n", "a,b\r\n\r\n1,2\r\n", "a,b\r", "\r", "\"a\r\nb\",c\n", "\"a\"\"b\",\"\"\n", "a\"b,c\n",
		"\"a\"b,c\n", "\"a\nb,c\nd", "x,\"a\"\r", "a,'=1+1,'twas\n", ",,,\n,\n", "\"\"", "\"a\r\r\n\"", "a\rb\n", "\"a\rb\"\n",
		"12345678,1234567,,,,,,,,-,-,\n", "a,b\n\"1\n2\",\"3\n4\"\n5,6", "\n\n\n\"x", "é,ü\n", "a,b\"\n",
	} {
		f.Add(seed, uint8(0))
		f.Add("k,x\n"+seed, uint8(4))
	}
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			t.Skip()
		}
		sep := []rune{',', ';', '\t', '§'}[mode%4]
		want, wantCode := oracle(text, sep)
		var from io.Reader = strings.NewReader(text)
		size := blockBytes
		if mode&4 != 0 {
			size = 16 // so that every record is cut by a block's end somewhere
		}
		if mode&8 != 0 {
			from = iotest.OneByteReader(from)
		}
		got, gotCode := scanAll(from, size, layout{sep: string(sep)})
		if gotCode == schema.CodeLoneCR {
			if !strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") {
				t.Fatalf("%q: refused for a lone carriage return that is not there", text)
			}
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: records (-encoding/csv +ours):\n%s", text, diff)
		}
		if gotCode != wantCode {
			t.Errorf("%q: error %q, encoding/csv: %q", text, gotCode, wantCode)
		}
	})
}

// oracle reads with encoding/csv and applies what we do on purpose on top:
// Unguard, one form of line end, no blank rows.
func oracle(text string, sep rune) (records []record, code schema.Code) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = sep, -1
	for {
		cells, err := r.Read()
		switch {
		case err == io.EOF:
			return records, ""
		case errors.Is(err, csv.ErrQuote):
			parse := err.(*csv.ParseError)
			if line := strings.Split(text, "\n")[parse.Line-1]; parse.Column <= len(line) && line[parse.Column-1] == '"' {
				return records, schema.CodeStrayQuote
			}
			return records, schema.CodeUnclosedQuote
		case err != nil:
			return records, schema.CodeStrayQuote
		}
		rec := record{}
		rec.Line, _ = r.FieldPos(0)
		for i, c := range cells {
			line, _ := r.FieldPos(i)
			rec.Cells = append(rec.Cells, Unguard(unixLines(c)))
			rec.Lines = append(rec.Lines, int32(line-rec.Line))
		}
		if strings.TrimSpace(strings.Join(rec.Cells, "")) != "" {
			records = append(records, rec)
		}
	}
}

func scanAll(from io.Reader, size int, l layout) (records []record, code schema.Code) {
	w := newWindow("f.csv", newUTF8(from), Limits{}.withDefaults())
	w.buf = make([]byte, size)
	scan := newCSVScan(w, l)
	for {
		slab := takeSlab()
		err := scan.next(slab)
		for _, row := range slab.rows {
			rec := record{Line: row.Line}
			for _, c := range row.Cells {
				rec.Cells = append(rec.Cells, strings.Clone(c.Text))
				rec.Lines = append(rec.Lines, c.Line)
			}
			records = append(records, rec)
		}
		slabs.Put(slab)
		if err == io.EOF {
			return records, ""
		}
		if err != nil {
			e, _ := errors.AsType[*Error](err)
			return records, e.Code
		}
	}
}
