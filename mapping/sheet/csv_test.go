package sheet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// writeTemp puts content into a file of that name.
func writeTemp(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// reading is what a file turned out to hold, in a form that is easy to compare:
// "row@line: cell|cell", with "+n" before a cell n lines further down.
type reading struct {
	Rows  []string
	Notes []string
	Error string
	Hint  string
}

func readFile(t testing.TB, path string, o Options) (r reading) {
	t.Helper()
	fail := func(err error) reading {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatalf("not a *sheet.Error: %v", err)
		}
		r.Error = fmt.Sprintf("%s: %s", e.Code, strings.Replace(e.Error(), path, "f", 1))
		r.Hint = e.Hint
		return r
	}
	f, err := Open(t.Context(), path, o)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			return fail(err)
		}
		r.Rows = append(r.Rows, describe(row))
	}
	for _, note := range f.Notes() {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", note.Code, strings.Replace(note.Error(), path, "f", 1)))
	}
	return r
}

func describe(row Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d@%d: ", row.Number, row.Line)
	for i, c := range row.Cells {
		if i > 0 {
			b.WriteByte('|')
		}
		if c.Line > 0 {
			fmt.Fprintf(&b, "+%d ", c.Line)
		}
		b.WriteString(c.Text)
	}
	if p := row.Problem; p != nil {
		fmt.Fprintf(&b, " !%s: %s (%s)", p.Place.Cell(), p.Message, p.Value)
	}
	return b.String()
}

func TestCSVRowsKeepTheirPlaces(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		options    Options
		want       reading
	}{
		{name: "blank rows count", text: "a,b\n\n \n,\n1,2\n\n\n", want: reading{Rows: []string{"1@1: a|b", "5@5: 1|2"}}},
		{name: "a row of several lines is one row", text: "a,b,c\r\n\"1\r\n2\",\"3\n4\",5\r\n6,7,8", want: reading{
			Rows: []string{"1@1: a|b|c", "2@2: 1\n2|+1 3\n4|+2 5", "3@5: 6|7|8"},
		}},
		{
			name: "a byte-order mark is no part of the first header", text: utf8BOM + "a,b\n1,2",
			want: reading{Rows: []string{"1@1: a|b", "2@2: 1|2"}},
		},
		{
			name: "a byte-order mark before a quoted header", text: utf8BOM + "\"a\",b\n1,2",
			want: reading{Rows: []string{"1@1: a|b", "2@2: 1|2"}},
		},
		{name: "short rows stay short", text: "a,b,c\n1\n1,2\n", want: reading{Rows: []string{"1@1: a|b|c", "2@2: 1", "3@3: 1|2"}}},
		{name: "long rows keep their cells", text: "a,b\n1,2,,\n1,2,,4\n1,2,3\n", want: reading{
			Rows:  []string{"1@1: a|b", "2@2: 1|2||", "3@3: 1|2||4", "4@4: 1|2|3"},
			Notes: []string{"ragged-row: f:3:D3: 2 rows have cells beyond the 2 columns of the header, this one first"},
		}},
		{name: "titles above the header are no header", text: "Spring\n\nfrom 2026\na,b,c\n1,2,3\n", want: reading{
			Rows: []string{"1@1: Spring", "3@3: from 2026", "4@4: a|b|c", "5@5: 1|2|3"},
		}},
		{
			name: "the sep line is no row but a line", text: "sep=|\r\na|b\r\n1,5|2\r\n",
			want: reading{Rows: []string{"1@2: a|b", "2@3: 1,5|2"}},
		},
		{
			name: "the sep line in quotes, after a mark", text: utf8BOM + "\"sep=;\"\na;b\n1;2\n",
			want: reading{Rows: []string{"1@2: a|b", "2@3: 1|2"}},
		},
		{
			name: "the flag is above the sep line", text: "sep=;\na|b\n1|2\n", options: Options{Delimiter: '|'},
			want: reading{Rows: []string{"1@2: a|b", "2@3: 1|2"}},
		},
		{
			name: "Guard's apostrophe goes, others stay", text: "a,b,c,d\n'=1+1,\"'@x\",'twas,''=2\n",
			want: reading{Rows: []string{"1@1: a|b|c|d", "2@2: =1+1|@x|'twas|'=2"}},
		},
		{name: "rows in a cell are suspicious", text: "a,b,c,d\n1,\"2,3,4\n1,2,3,4\n1,2,3,4\n1,2\",3,4\n", want: reading{
			Rows:  []string{"1@1: a|b|c|d", "2@2: 1|2,3,4\n1,2,3,4\n1,2,3,4\n1,2|+3 3|+3 4"},
			Notes: []string{"unclosed-quote: f:2:B2: 1 cell holds lines that look like rows, this one first"},
		}},
		{name: "an empty file has no rows", text: "", want: reading{}},
		{name: "only blank rows", text: "\n\r\n,,\n", want: reading{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := readFile(t, writeTemp(t, "f.csv", tc.text), tc.options)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A quote is text where the cell does not begin with one.
func TestCSVQuotesInsideOfCells(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"degrees, minutes and seconds": {`a,b,c
37°36'37.8"N,122°01'"W,x
`, []string{`1@1: a|b|c`, `2@2: 37°36'37.8"N|122°01'"W|x`}},
		"inches, and a cell in quotes behind them": {`a,b,c
Vinyl 12" night,"x,
y",z
1,2,3
`, []string{`1@1: a|b|c`, "2@2: Vinyl 12\" night|x,\ny|+1 z", `3@4: 1|2|3`}},
		"behind a cell of several lines": {"a,b\n\"1\n2\",3\" x\r\n4,5\n", []string{`1@1: a|b`, "2@2: 1\n2|+1 3\" x", `3@4: 4|5`}},
		"pairs": {
			"a,b\nthe \"best\" one,so \"\"it\"\" is\n",
			[]string{`1@1: a|b`, `2@2: the "best" one|so ""it"" is`},
		},
		"at the end of all":      {"a,b\n1,5\"", []string{`1@1: a|b`, `2@2: 1|5"`}},
		"in the header":          {"size (12\"),b\n1,2\n", []string{`1@1: size (12")|b`, `2@2: 1|2`}},
		"with another delimiter": {"size (12\");b\n1,5;2\n", []string{`1@1: size (12")|b`, `2@2: 1,5|2`}},
	} {
		got := readFile(t, writeTemp(t, "f.csv", tc.text), Options{})
		if diff := cmp.Diff(reading{Rows: tc.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What is wrong with one row's quotes costs that row where it is plain where it ends.
func TestCSVMisquotedRows(t *testing.T) {
	const blank, stray = "a blank before the quote that opens the cell", "a quote inside of the cell is not written twice"
	for name, tc := range map[string]struct{ text, row, problem, after string }{
		"a blank before a quote": {"1, \"x, y\"\n3,4\n", `2@2: 1|x, y`, `B2: ` + blank + ` ( "x, y")`, `3@3: 3|4`},
		"a tab before":           {"\t\"x\" ,2\r\n3,4", `2@2: x|2`, "A2: " + blank + " (\t\"x\" )", `3@3: 3|4`},
		"blanks behind":          {"\"x\" ,2\n3,4", `2@2: x|2`, `A2: a blank behind the quote that closes the cell ("x" )`, `3@3: 3|4`},
		"quotes not doubled": {
			"\"12\" night\",x\n\"say \"\"hi\"\"\",4",
			`2@2: 12" night|x`, `A2: ` + stray + ` ("12" night")`, `3@3: say "hi"|4`,
		},
		"on its last line": {"\"1\n2\", \"x\"\n4,5\n", "2@2: 1\n2|+1 x", `B2: ` + blank + ` ( "x")`, `3@4: 4|5`},
		"two in a row":     {" \"1\", \"2\"\n3,4\n", `2@2: 1|2`, `A2: ` + blank + ` ( "1")`, `3@3: 3|4`},
		"lines behind it":  {" \"1\",\"2\n2\"\n3,4\n", "2@2: 1|2\n2", `A2: ` + blank + ` ( "1")`, `3@4: 3|4`},
	} {
		got := readFile(t, writeTemp(t, "f.csv", "a,b\n"+tc.text), Options{Delimiter: ','})
		if diff := cmp.Diff(reading{Rows: []string{`1@1: a|b`, tc.row + " !" + tc.problem, tc.after}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Where it is not plain where a row ends, the file is not read on.
func TestCSVRefusesWhereNoRowEnds(t *testing.T) {
	const open = "a blank before the quote that opens the cell, which is not closed on its line"
	for text, want := range map[string]string{
		"1,\"2\"x\n3,4\n":      "f:2:B2: the cell opened by this quote ends on line 2 with a quote that no delimiter follows",
		"1, \"2\n3\",4\n":      "f:2:B2: " + open,
		"1,\"2\n3\", \"4\n5\"": "f:3:C2: " + open,
		"1, \"2":               "f:2:B2: " + open,
	} {
		got := readFile(t, writeTemp(t, "f.csv", "a,b\n"+text), Options{})
		if got.Error != "stray-quote: "+want || got.Hint == "" {
			t.Errorf("%q: %s (%s), want %s", text, got.Error, got.Hint, want)
		}
	}
}

func TestCSVRefusals(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		options    Options
		want, hint string
	}{
		{
			"a quote that is never closed", "a,b\n1,2\n3,\"4\n5,6\n",
			Options{},
			"unclosed-quote: f:3:B3: the quote opened here is not closed before the end of the file", "close the quote",
		},
		{
			"a quote that the next one closes", "a,b\n1,\"2\n3,\"x\"\n",
			Options{},
			"stray-quote: f:2:B2: the cell opened by this quote ends on line 3 with a quote that no delimiter follows",
			"close the quote",
		},
		{
			"a NUL byte", "a,b\n1,2\nx,\x00\n",
			Options{},
			"nul-byte: f:3: a NUL byte, which no text holds, at byte 3 of line 3",
			"utf-16le",
		},
		{
			"old Mac line ends", "a,b\r1,2\r",
			Options{},
			"lone-cr: f:1: lines end with a carriage return alone, as on old Macs",
			"save the file again",
		},
		{
			"old Mac line ends behind quotes", "\"a\",\"b\"\r\"1\",\"2\nmore\"\r\"3\",\"4\"",
			Options{},
			"lone-cr: f:1: lines end with a carriage return alone, as on old Macs",
			"tr '\\r' '\\n' <FILE >NEW",
		},
		{
			"a carriage return inside a line", "a,b\r\n1,x\ry\r\n",
			Options{},
			"lone-cr: f:2:B2: a carriage return that ends no line", "save the file again",
		},
		{
			"the wrong delimiter", "a,b,c\n1,2,3\n",
			Options{Delimiter: ';'},
			"wrong-delimiter: f:1: the delimiter ';' leaves a single column, ',' gives 3", "say --delimiter ','",
		},
		{
			"the wrong delimiter in a sep line", "sep=;\na,b,c\n1,2,3\n",
			Options{},
			"wrong-delimiter: f:2:1: the delimiter ';' leaves a single column, ',' gives 3", "say --delimiter ','",
		},
		{
			"a delimiter that nobody looks for", "a^b^c\n1^2^3\n",
			Options{},
			"wrong-delimiter: f:1: the delimiter ',' leaves a single column, '^' gives 3", "say --delimiter '^'",
		},
		{
			"tabs asked for", "a,b,c\n1,2,3\n",
			Options{Format: "tsv"},
			"wrong-delimiter: f:1: the delimiter tab leaves a single column, ',' gives 3", "say --delimiter ','",
		},
		{"a delimiter that cannot be one", "a,b\n", Options{Delimiter: '"'}, `wrong-delimiter: f: '"' cannot be a delimiter`, ""},
		{
			"bytes that are no UTF-8", "a,b\n1,2\nCaf\xe9,x\n",
			Options{},
			"bad-encoding: f:3: byte 0xE9 is not UTF-8, at byte 4 of line 3", "windows-1252",
		},
		{"an encoding that is none", "a,b\n", Options{Encoding: "latin-nine"}, `bad-encoding: f: no encoding "latin-nine"`, "windows-1252"},
		{"too many columns", "a,b\n1,2,3,4,5\n", Options{Limits: Limits{Columns: 4}}, "too-many-columns: f:2: more than 4 columns", ""},
		{"too many rows", "a,b\n1,2\n3,4\n", Options{Limits: Limits{Rows: 2}}, "too-many-rows: f:3: more than 2 rows", ""},
		{
			"a cell too long", "a,b\n1,2\n1,12345678901\n",
			Options{Limits: Limits{CellBytes: 10}},
			"too-long-cell: f:3:B3: a cell of more than 10 bytes", "",
		},
		{"a format that is none", "a,b\n", Options{Format: "odt"}, `unknown-format: f: no format "odt"`, "csv, tsv, ods, xlsx"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := readFile(t, writeTemp(t, "f.csv", tc.text), tc.options)
			if got.Error != tc.want || !strings.Contains(got.Hint, tc.hint) {
				t.Errorf("got  %s (%s)\nwant %s (%s)", got.Error, got.Hint, tc.want, tc.hint)
			}
		})
	}
}

func TestDelimiterIsFound(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		columns    int
	}{
		{"semicolons with decimal commas", "a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n", 3},
		{"tabs under a csv name", "a\tb\n1,2\t3\n", 2},
		{"bars", "a|b|c\n1|2|3\n", 3},
		{"commas with bars in a cell", "a,tags\n1,x|y\n2,p|q|r\n", 2},
		{"commas inside of quotes", "\"a\";\"b, c, d\"\n\"1,2,3\";\"x, y, z\"\n", 2},
		{"a title with commas", "Spring, summer, autumn\n\na;b;c;d\n1;2;3;4\n5;6;7;8\n", 4},
		{"quotes that only one delimiter leaves valid", "a;\"b\"\n1;\"x;y\"\n", 2},
		{"a list of one column", "event_id\nevt-1\nevt-2\n", 1},
		{"a list of texts", "name\nTea, cake and more\nTalk; with; questions\nMusic\nDance\nEnd\n", 1},
		{"a header alone", "a;b;c", 3},
		{"a column of times", "time\n10:00\n11:30\n", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Open(t.Context(), writeTemp(t, "f.csv", tc.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			last := 0
			for row, err := range f.Rows(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				last = len(row.Cells)
			}
			if last != tc.columns {
				t.Errorf("%d columns, want %d", last, tc.columns)
			}
		})
	}
}

// A block may end anywhere in a record that takes several lines, behind rows that are
// given out before the rest of it is read.
func TestCellsOfSeveralLinesAcrossBlocks(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		row := strings.ReplaceAll(`key,"first`+"\n"+`second ""line""",'last,"`+"\n"+`",x`+"\n", "\n", end)
		text := strings.Repeat(row, 40)
		want, _ := oracle(text, ',')
		for size := 16; size < 4*len(row); size++ {
			got, code := scanAll(strings.NewReader(text), size, layout{sep: ","})
			if diff := cmp.Diff(want, got); diff != "" || code != "" {
				t.Fatalf("blocks of %d bytes: %s\n%s", size, code, diff)
			}
		}
	}
}

func TestUnclosedQuoteIsNamedLongBeforeTheEnd(t *testing.T) {
	text := "a,b\n1,2\n\"open,2\n" + strings.Repeat("1,2\n", 1<<20)
	got := readFile(t, writeTemp(t, "f.csv", text), Options{})
	want := "unclosed-quote: f:3:A3: the quote opened here is not closed within 1048576 bytes"
	if got.Error != want {
		t.Errorf("got %s\nwant %s", got.Error, want)
	}
}

func TestRowThatNeverEndsIsRefused(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1,", 100_000)
	got := readFile(t, writeTemp(t, "f.csv", text), Options{Limits: Limits{RowBytes: 1 << 16, CellBytes: 1 << 10}})
	if want := string(schema.CodeTooLongRow) + ": f:2: a row of more than 65536 bytes"; got.Error != want {
		t.Errorf("got %s\nwant %s", got.Error, want)
	}
}

func TestMillionBlankRowsCostNothing(t *testing.T) {
	text := "a,b,c\n1,2,3\n" + strings.Repeat(",,\n", 1_000_000) + strings.Repeat("\n", 100_000) + "4,5,6\n"
	got := readFile(t, writeTemp(t, "f.csv", text), Options{})
	want := reading{Rows: []string{"1@1: a|b|c", "2@2: 1|2|3", "1100003@1100003: 4|5|6"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
