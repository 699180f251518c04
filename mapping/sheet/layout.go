package sheet

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

const (
	delimiters   = ",;\t|"              // found by themselves
	oddSplitters = "^~:¦\x01\x1e\x1f；，" // only ever suggested
	sampleRows   = 50
)

// ParseDelimiter reads a delimiter as a person writes it: one character, or
// tab, comma, semicolon, pipe, or a number such as 0x1f.
func ParseDelimiter(text string) (rune, error) {
	switch strings.ToLower(text) {
	case "tab", `\t`:
		return '\t', nil
	case "comma":
		return ',', nil
	case "semicolon":
		return ';', nil
	case "pipe":
		return '|', nil
	}
	if r, size := utf8.DecodeRuneInString(text); size == len(text) && canDelimit(r) {
		return r, nil
	}
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		if n, err := strconv.ParseUint(hex, 16, 21); err == nil && canDelimit(rune(n)) {
			return rune(n), nil
		}
	}
	return 0, fmt.Errorf("%q is not a delimiter", text)
}

func canDelimit(r rune) bool {
	return r != 0 && r != '"' && r != '\r' && r != '\n' && r != utf8.RuneError && utf8.ValidRune(r)
}

// findLayout finds the delimiter: the one asked for, else that of a "sep=" line,
// else the one that cuts the first rows into columns most evenly. A delimiter
// that leaves one column where another gives more is refused.
func findLayout(in *input, chars charset, asked rune) (layout, error) {
	sample, whole := sampleText(in, chars)
	if err := refuseMacLines(in, sample, whole); err != nil {
		return layout{}, err
	}
	var l layout
	if asked != 0 {
		if !canDelimit(asked) {
			return layout{}, in.refuse(schema.CodeWrongDelimiter, "", "%q cannot be a delimiter", asked)
		}
		l.sep = string(asked)
	}
	if said, length := sepLine(sample); said != "" {
		l.sepLine, sample = true, sample[length:]
		if l.sep == "" {
			l.sep = said
		}
	}
	found, columns := sniff(sample, delimiters)
	if l.sep == "" {
		l.sep = ","
		if columns > 1 {
			l.sep = found
			return l, nil
		}
	}
	if widest(sample, l.sep) > 1 {
		return l, nil
	}
	if columns <= 1 {
		if found, columns = sniff(sample, oddSplitters); columns > 1 && !even(sample, found, columns) {
			columns = 1
		}
	}
	if columns > 1 && found != l.sep && strings.Contains(firstLine(sample), found) {
		place := schema.Place{File: in.name, Row: 1, Line: 1, Column: -1}
		if l.sepLine {
			place.Line = 2
		}
		return layout{}, refuse(schema.CodeWrongDelimiter, place, "say --delimiter "+delimiterName(found),
			"the delimiter %s leaves a single column, %s gives %d", delimiterName(l.sep), delimiterName(found), columns)
	}
	return l, nil
}

// sampleText decodes the head of the input, up to the last line end in it.
func sampleText(in *input, chars charset) (string, bool) {
	from, err := chars.open(bytes.NewReader(in.head))
	if err != nil {
		return "", true
	}
	text, err := io.ReadAll(from) // what cannot be decoded is refused in its turn, with its line
	whole := in.headAll && err == nil
	if i := bytes.LastIndexByte(text, '\n'); !whole && i >= 0 {
		text = text[:i+1]
	}
	return string(text), whole
}

// refuseMacLines refuses a text whose only line ends, outside of quotes, are carriage returns.
func refuseMacLines(in *input, sample string, whole bool) error {
	if whole {
		sample = strings.TrimSuffix(sample, "\r")
	}
	quoted, found := false, false
	for i := range len(sample) {
		switch c := sample[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			return nil
		case c == '\r' && !quoted:
			found = true
		}
	}
	if !found {
		return nil
	}
	place := schema.Place{File: in.name, Row: 1, Line: 1, Column: -1}
	return refuse(schema.CodeLoneCR, place, hintMac, "lines end with a carriage return alone, as on old Macs")
}

const hintMac = `save the file again as "CSV UTF-8", or give its lines the ends of Windows or Unix: tr '\r' '\n' <FILE >NEW`

// sepLine reads a first line such as "sep=;". It returns the delimiter and the
// line's length.
func sepLine(sample string) (string, int) {
	line, _, found := strings.Cut(sample, "\n")
	if !found {
		return "", 0
	}
	said := strings.TrimSuffix(line, "\r")
	if n := len(said); n > 1 && said[0] == '"' && said[n-1] == '"' {
		said = said[1 : n-1]
	}
	if len(said) < 5 || !strings.EqualFold(said[:4], "sep=") {
		return "", 0
	}
	if r, size := utf8.DecodeRuneInString(said[4:]); len(said) == 4+size && canDelimit(r) {
		return said[4:], len(line) + 1
	}
	return "", 0
}

// sniff returns the candidate that gives the same number of columns, more
// than one, in the most rows; of equal ones that with more columns, then the first.
func sniff(sample, candidates string) (sep string, columns int) {
	most := 0
	for _, r := range candidates {
		width, rows := usualWidth(widths(sample, string(r)))
		if rows > most || rows == most && width > columns {
			sep, columns, most = string(r), width, rows
		}
	}
	return sep, columns
}

// usualWidth is the most frequent number of columns above one. It counts only
// where it holds for most rows from the first that has more than one: free text
// holds a comma here and there.
func usualWidth(widths []int) (width, rows int) {
	for len(widths) > 0 && widths[0] <= 1 {
		widths = widths[1:]
	}
	times := map[int]int{}
	for _, w := range widths {
		times[w]++
		if w > 1 && (times[w] > rows || times[w] == rows && w > width) {
			width, rows = w, times[w]
		}
	}
	if rows*2 <= len(widths) {
		return 0, 0
	}
	return width, rows
}

func widest(sample, sep string) int {
	most := 0
	for _, w := range widths(sample, sep) {
		most = max(most, w)
	}
	return most
}

// even reports whether there are at least two rows, all of that width.
func even(sample, sep string, width int) bool {
	all := widths(sample, sep)
	for _, w := range all {
		if w != width {
			return false
		}
	}
	return len(all) > 1
}

// widths counts the cells of the first rows as a delimiter cuts them, up to the first
// row that it makes invalid. A row that has quotes inside of its cells then ends the
// counting too, unless it is the first: a delimiter that is none makes such rows.
func widths(sample, sep string) []int {
	w := &window{limits: Limits{}.withDefaults(), buf: []byte(sample), text: sample, line: 1, err: io.EOF}
	scan := newCSVScan(w, layout{sep: sep})
	scan.forget()
	slab := new(slab)
	for len(slab.rows) < sampleRows {
		if err := scan.block(slab); err != nil {
			break
		}
	}
	out := make([]int, 0, len(slab.rows))
	for i, row := range slab.rows[:min(len(slab.rows), sampleRows)] {
		if row.Problem != nil || i > 0 && scan.inside > 0 && row.Number >= scan.inside {
			break
		}
		out = append(out, len(row.Cells))
	}
	return out
}

func firstLine(sample string) string {
	line, _, _ := strings.Cut(sample, "\n")
	return line
}

// delimiterName is what a person types or says for a delimiter.
func delimiterName(sep string) string {
	if sep == "\t" {
		return "tab"
	}
	if r, _ := utf8.DecodeRuneInString(sep); !unicode.IsGraphic(r) {
		return fmt.Sprintf("0x%02x", r)
	}
	return "'" + sep + "'"
}
