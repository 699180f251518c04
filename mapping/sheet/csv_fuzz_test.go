package sheet

import (
	"encoding/csv"
	"errors"
	"io"
	"regexp"
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
	Wrong bool    // its quotes are
}

// FuzzCSV holds the scanner against a plain one, and against encoding/csv wherever that
// finds nothing wrong: the same records at the same lines, the same kind of error in
// the same record.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "a,b\n1,2\n", "a,b\r\n\r\n1,2\r\n", "a,b\r", "\r", "\"a\r\nb\",c\n", "\"a\"\"b\",\"\"\n", "a\"b,c\n",
		"\"a\"b,c\n", "\"a\nb,c\nd", "x,\"a\"\r", "a,'=1+1,'twas\n", ",,,\n,\n", "\"\"", "\"a\r\r\n\"", "a\rb\n", "\"a\rb\"\n",
		"12345678,1234567,,,,,,,,-,-,\n", "a,b\n\"1\n2\",\"3\n4\"\n5,6", "\n\n\n\"x", "é,ü\n", "a,b\"\n",
		"37°36'37.8\"N,x\n", "12\" a,\"b\nc\",5\"\n", " \"x\",y\n1,2\n",
		"\t\"x\" ,\"y\"\n", "\"a 12\" b\",c\n", " \"x\n\"", "a, \"\"x\"\"\n", "\"\"\r\r\n\"",
	} {
		f.Add(seed, uint8(0))
		f.Add("k,x\n"+seed, uint8(4))
	}
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			t.Skip()
		}
		sep := []rune{',', ';', '\t', '§'}[mode%4]
		want, wantCode := plainCSV(text, string(sep))
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
			t.Errorf("%q: records (-plain +ours):\n%s", text, diff)
		}
		if gotCode != wantCode {
			t.Errorf("%q: error %q, want %q", text, gotCode, wantCode)
		}
		if want, code := oracle(text, sep); code == "" && (gotCode != "" || !cmp.Equal(want, got)) {
			t.Errorf("%q: error %q, records (-encoding/csv +ours):\n%s", text, gotCode, cmp.Diff(want, got))
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

// plainCSV reads cell by cell what the scanner reads many bytes at a time.
func plainCSV(text, sep string) (records []record, code schema.Code) {
	closes, blanks := regexp.MustCompile(`^(`+regexp.QuoteMeta(sep)+`|\n|$)`), regexp.MustCompile(`^[ \t]*?(`+regexp.QuoteMeta(sep)+`|$)`)
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\r")
	for line := 1; text != ""; {
		rec := record{Line: line}
		for more := true; more; {
			rec.Lines = append(rec.Lines, int32(line-rec.Line))
			thisLine, _, _ := strings.Cut(text, "\n")
			head, _, _ := strings.Cut(thisLine, sep)
			cell, length := head, len(head)
			if open := strings.IndexByte(head, '"'); open >= 0 && strings.TrimSpace(head[:open]) == "" {
				cell, length = quotedText(text)
				if open == 0 && length < 0 {
					return records, schema.CodeUnclosedQuote
				}
				if open > 0 || !closes.MatchString(text[length:]) {
					if open == 0 && length > len(thisLine) {
						return records, schema.CodeStrayQuote
					}
					if cell, length = looseText(thisLine, open, blanks); length < 0 {
						return records, schema.CodeStrayQuote
					}
					rec.Wrong = true
				}
			}
			rec.Cells = append(rec.Cells, Unguard(unixLines(cell)))
			line += strings.Count(text[:length], "\n")
			text = text[length:]
			if text, more = strings.CutPrefix(text, sep); !more {
				text, _ = strings.CutPrefix(text, "\n")
				line++
			}
		}
		if rec.Wrong || strings.TrimSpace(strings.Join(rec.Cells, "")) != "" {
			records = append(records, rec)
		}
	}
	return records, ""
}

// quotedText is the cell in quotes that a text begins with, and its length: -1 where
// it has no end.
func quotedText(text string) (cell string, length int) {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '"':
		case strings.HasPrefix(text[i+1:], `"`):
			i++
		default:
			return strings.ReplaceAll(text[1:i], `""`, `"`), i + 1
		}
	}
	return "", -1
}

// looseText is the same for a cell whose quotes are wrong, which ends with its line at
// the latest: behind its last quote there are only blanks.
func looseText(line string, open int, blanks *regexp.Regexp) (cell string, length int) {
	for from := open; ; {
		_, n := quotedText(line[from:])
		if n < 0 {
			return "", -1
		}
		from += n - 1
		if behind := blanks.FindStringSubmatch(line[from+1:]); behind != nil {
			return strings.ReplaceAll(line[open+1:from], `""`, `"`), from + 1 + len(behind[0]) - len(behind[1])
		}
	}
}

func scanAll(from io.Reader, size int, l layout) (records []record, code schema.Code) {
	w := newWindow(&input{name: "f.csv"}, newUTF8(from), Limits{}.withDefaults())
	w.buf = make([]byte, size)
	scan := newCSVScan(w, l)
	for {
		slab := takeSlab()
		err := scan.next(slab)
		for _, row := range slab.rows {
			rec := record{Line: row.Line, Wrong: row.Problem != nil}
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
