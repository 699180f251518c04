package file

import (
	"strings"

	"eventbatch/batch/printable"
)

// The most characters of a text in a cell, so that one group cannot take all the room.
const (
	nameMost    = 120
	messageMost = 400
)

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

// tableRow writes one row of cells that are escaped already.
func tableRow(cells ...string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// annotationText escapes the message of a workflow command.
func annotationText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// annotationValue escapes a property of a workflow command.
func annotationValue(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
