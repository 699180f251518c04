package printable

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"eventbatch/mapping/spelling"
)

// JSON returns a text of JSON with characters escaped that nobody sees.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && spelling.Hidden(r) }) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if r >= utf8.RuneSelf && r != utf8.RuneError && spelling.Hidden(r) {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}
