// Package proposal writes what the cells of a row should hold as a line of words, and reads
// such a line back:
//
//	Beginn: 14h → 14:00; Plätze: 25 Pers. → 25
//
// A person may change what stands behind an arrow, or delete a part of the line or all of
// it. What stands before the arrow is what the cell held when that was proposed. A text in
// which a sign of the line stands is put between quotes, and a quote in it is written twice.
package proposal

import (
	"fmt"
	"strings"
)

// Change is one cell: what it held, and what it should hold. All three are on one line,
// with single blanks.
type Change struct {
	Header string // of the column
	Before string
	After  string
}

// The signs of a line. A person's keyboard has the second arrow.
const (
	colon = ":"
	arrow = "→"
	typed = "->"
	semi  = ";"
	quote = `"`
)

// Line writes the changes of a row.
func Line(changes []Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = word(c.Header) + colon + " " + word(c.Before) + " " + arrow + " " + word(c.After)
	}
	return strings.Join(parts, semi+" ")
}

// word writes a text so that it is read back.
func word(text string) string {
	text = OneLine(text)
	for _, sign := range []string{colon + " ", arrow, typed, semi, quote} {
		if strings.Contains(text+" ", sign) {
			return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
		}
	}
	return text
}

// OneLine returns a text with single blanks for all white space, and none around it: what
// is compared, as a cell of many lines is shown in one.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Read reads a line that Line has written and a person may have changed.
func Read(line string) (changes []Change, err error) {
	for rest := OneLine(line); rest != ""; {
		var c Change
		var ok bool
		if c.Header, rest, ok = cut(rest, colon+" "); ok && c.Header != "" {
			if c.Before, rest, ok = cut(rest, arrow, typed); ok {
				c.After, rest, ok = cut(rest+semi, semi)
				rest = strings.TrimSpace(strings.TrimSuffix(rest, semi))
			}
		}
		if !ok || c.Header == "" {
			return nil, fmt.Errorf("%.80q is no proposal such as Start: 14h → 14:00", line)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// cut returns the text before the first of the signs and what is behind it; not ok where
// none is there.
func cut(line string, signs ...string) (text, rest string, ok bool) {
	line = strings.TrimSpace(line)
	if quoted, found := strings.CutPrefix(line, quote); found {
		var b strings.Builder
		for found {
			part, after, closed := strings.Cut(quoted, quote)
			if !closed {
				return "", "", false
			}
			b.WriteString(part)
			if quoted, found = strings.CutPrefix(after, quote); found {
				b.WriteString(quote)
			} else {
				rest = strings.TrimSpace(after)
			}
		}
		for _, sign := range signs {
			if after, found := strings.CutPrefix(rest+" ", sign); found {
				return OneLine(b.String()), strings.TrimSpace(after), true
			}
		}
		return "", "", false
	}
	at, length := -1, 0
	for _, sign := range signs {
		if i := strings.Index(line+" ", sign); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(sign)
		}
	}
	if at < 0 {
		return "", "", false
	}
	return OneLine(line[:at]), strings.TrimSpace((line + " ")[at+length:]), true
}
