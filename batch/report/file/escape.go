package file

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"

	"eventbatch/batch/printable"
)

// xmlText escapes text for XML. Characters that XML 1.0 does not know, in
// whatever way they are written, are left out.
func xmlText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r',
			r >= ' ' && r <= 0xD7FF, r >= 0xE000 && r < utf8.RuneError, r >= 0x10000:
			return r
		}
		return -1 // also of what is not UTF-8
	}, text)
	var b strings.Builder
	// A Builder takes everything.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// unseen is a space without width. After it nobody is called and no issue is
// linked, which a backslash does not prevent.
const unseen = "\u200b"

// markdownText escapes text for a line or a cell of Markdown as GitHub reads it:
// nothing in it is markup, a mention or a reference.
func markdownText(text string, most int) string {
	text = printable.Brief(text, most)
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@' || r == '#':
			b.WriteByte('\\')
			b.WriteRune(r)
			b.WriteString(unseen)
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '|':
			b.WriteString("&#124;")
		case strings.ContainsRune("\\`*_[]~$!", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// annotationText escapes the message of a workflow command.
func annotationText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// annotationValue escapes a property of a workflow command.
func annotationValue(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
