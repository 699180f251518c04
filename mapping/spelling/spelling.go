// Package spelling finds the known word that an unknown one most likely is a misspelling of, lists those that are known, writes
// words as a shell takes them, and knows which characters nobody sees.
package spelling

import (
	"math/bits"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Nearest returns the candidate that the word most likely means, or "" where none
// is near enough to be worth saying. Letter case and the kind of separator do not
// count as differences; a swap of neighbours counts as one.
func Nearest(word string, candidates []string) string {
	near, _ := nearest(word, candidates)
	return near
}

// Only returns the [Nearest] candidate, or "" where another word is as near.
func Only(word string, candidates []string) string {
	near, tied := nearest(word, candidates)
	if tied {
		return ""
	}
	return near
}

// nearest also reports whether several candidates are as near as the one that it returns.
func nearest(word string, candidates []string) (best string, tied bool) {
	folded := Fold(word)
	if folded == "" || len(folded) > 64 {
		return "", false
	}
	least := 1 + max(1, len(folded)/3)
	for _, c := range candidates {
		f := Fold(c)
		if f == folded {
			return c, false
		}
		switch d := Distance(folded, f, least+1); {
		case d > least || d >= max(len(folded), len(f))-1:
		case d < least:
			best, least, tied = c, d, false
		case best != "" && f != Fold(best):
			tied = true
		}
	}
	return best, tied
}

// DidYouMean is a hint with the [Nearest] candidate, empty where there is none.
func DidYouMean(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// Series lists words with commas, the last behind a conjunction: mdy, dmy or ymd.
func Series(words []string, conjunction string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}

// Fold returns a word in the form in which words are compared: lower case, every separator a hyphen.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '_', '-', '.', '/':
			return '-'
		}
		return r
	}, strings.ToLower(strings.TrimSpace(s)))
}

// Bare returns a text as names are looked up by it: its letters and digits in lower case and
// without accents, with one blank for whatever stands between them.
func Bare(text string) string {
	if isBare(text) {
		return text
	}
	latin := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxLatin1 }) < 0
	if !latin {
		text = norm.NFD.String(strings.ToLower(strings.ReplaceAll(text, "ß", "ss")))
	}
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for _, r := range text {
		if latin {
			r = plain(r)
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			if gap = false; r == 'ß' {
				b.WriteByte('s')
				r = 's'
			}
			b.WriteRune(r)
		case r <= unicode.MaxASCII || !unicode.Is(unicode.Mn, r) && r != '\ufeff':
			gap = true
		}
	}
	return b.String()
}

// plain returns a letter of Latin-1 in lower case and without its accent, as the Unicode tables have it.
func plain(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r >= 'À':
		return plainLetters[r-'À']
	}
	return r
}

var plainLetters = [...]rune{
	'a', 'a', 'a', 'a', 'a', 'a', 'æ', 'c', 'e', 'e', 'e', 'e', 'i', 'i', 'i', 'i', 'ð', 'n', 'o', 'o', 'o', 'o', 'o', '×', 'ø',
	'u', 'u', 'u', 'u', 'y', 'þ', 'ß',
	'a', 'a', 'a', 'a', 'a', 'a', 'æ', 'c', 'e', 'e', 'e', 'e', 'i', 'i', 'i', 'i', 'ð', 'n', 'o', 'o', 'o', 'o', 'o', '÷', 'ø',
	'u', 'u', 'u', 'u', 'y', 'þ', 'y',
}

// isBare reports whether a text is plain letters and digits as [Bare] returns them.
func isBare(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != ' ' || before == ' ') {
			return false
		}
		before = c
	}
	return before != ' ' || text == ""
}

// Distance counts the insertions, deletions, substitutions and swaps of
// neighbours between two words, and returns limit once there cannot be fewer.
func Distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	// Each of them brings in one letter at the most, and takes one away: most words of a list have too few in common.
	if in, of := letters(a), letters(b); bits.OnesCount64(in&^of) >= limit || bits.OnesCount64(of&^in) >= limit {
		return limit
	}
	var room [3 * 65]int // of words, which are seldom longer
	rows, n := room[:], len(b)+1
	if 3*n > len(rows) {
		rows = make([]int, 3*n)
	}
	before, last, row := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
			least = min(least, d)
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}

// letters returns a set of the bytes of a word, in which some that are no letters stand for each other.
func letters(word string) (set uint64) {
	for i := range len(word) {
		set |= 1 << (word[i] & 63)
	}
	return set
}
