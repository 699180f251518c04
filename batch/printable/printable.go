// Package printable makes text from outside fit to be shown, and writes numbers as
// people read them.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/spelling"
)

// Clean makes text from a file or a server fit for a terminal, a journal or a
// log, on one line: characters that control it, or that hide or reorder text, go;
// a blank stands for each white space. Text that is fit already comes back as it is.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case spelling.Hidden(r):
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// Brief is Clean with a single blank between words. What goes past so many
// characters is cut off, and a mark says so.
func Brief(text string, most int) string {
	return cut(strings.Join(strings.Fields(Clean(text)), " "), most)
}

// Within is Clean cut between characters so that it takes so many bytes at most.
func Within(text string, most int) string {
	text = Clean(text)
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.TrimSpace(text[:most])
}

// Shorten cuts text so that it takes so many characters at most, saying that it
// was cut.
func Shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return cut(text, max(0, most-1))
}

// cut puts a mark in the place of what goes past so many characters.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return strings.TrimRight(text[:i], " ") + "…"
		}
		n++
	}
	return text
}

// plain reports whether text is printable ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Count returns a number with its noun: 1 row, 2 rows, 12,345 rows.
func Count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "person":
		return Number(n) + " people"
	case strings.HasSuffix(noun, "s"):
		noun += "e"
	}
	return Number(n) + " " + noun + "s"
}

// Pick returns the word for one, or that for any other number.
func Pick(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// Number returns a number in groups of three digits.
func Number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Names lists names, the first few of many.
func Names(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
