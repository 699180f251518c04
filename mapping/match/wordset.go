package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordSet is a set of words in lower case. Most texts are none of them, which their size and the bytes at their ends tell.
type wordSet struct {
	words map[string]bool
	ends  [endWords]uint64 // a bit for each first byte, last byte and size that words have together
}

const endWords = 1 << 10

// endsOf returns the bit of texts that begin and end with these bytes and are of this size, and in which of the ends it is.
func endsOf(first, last byte, size int) (at uint, bit uint64) {
	n := (uint(first)*31+uint(last))*61 + uint(size)
	return n / 64 % endWords, 1 << (n % 64)
}

// add adds words.
func (s *wordSet) add(words ...string) {
	if s.words == nil {
		s.words = map[string]bool{}
	}
	for _, w := range words {
		s.words[w] = true
		forms := [...]string{w, strings.ToUpper(w)}
		for _, first := range forms { // Sold out begins in capitals alone
			for _, last := range forms {
				for _, sized := range forms {
					at, bit := endsOf(first[0], last[len(last)-1], len(sized))
					s.ends[at] |= bit
				}
			}
		}
	}
}

// may reports whether a text may be one of the words.
func (s *wordSet) may(text string) bool {
	if text == "" {
		return false
	}
	at, bit := endsOf(text[0], text[len(text)-1], len(text))
	return s.ends[at]&bit != 0
}

// has reports whether a text is one of the words. It takes no memory, for it is asked of every row.
func (s *wordSet) has(text string) bool {
	if !s.may(text) {
		return false
	}
	var lower [2 * mostStated]byte
	n := 0
	for _, r := range text {
		if n+utf8.UTFMax > len(lower) {
			return false
		}
		n += utf8.EncodeRune(lower[n:], unicode.ToLower(r))
	}
	return s.words[string(lower[:n])]
}
