package codepage

import (
	"strings"
	"unicode"
)

// Logarithms of how likely a sign is at its place; chance is that of any byte at any place.
const (
	chance   = -4.6 // of one in a hundred
	typical  = -0.3
	usual    = -1
	seen     = -2
	odd      = -6
	misplace = -9
)

// letter reports whether a character is one that words are made of.
func letter(r rune) bool { return unicode.IsLetter(r) && !strings.ContainsRune("ªºµƒˆ", r) }

// sign judges a character that is no letter by its neighbours; 0 stands for the end of the cell.
func sign(before, r, after rune) float64 {
	inside := letter(before) && letter(after)
	alone := !letter(before) && !letter(after)
	switch r {
	case '’':
		if inside {
			return usual
		}
		return seen
	case '„', '‚':
		if !letter(before) {
			return usual
		}
	case '“', '”', '‘', '‹', '›', '«', '»':
		if !inside {
			return usual
		}
	case '–', '—':
		switch {
		case alone:
			return typical
		case !letter(before) || !unicode.IsLower(after):
			return seen
		}
	case '…':
		if !inside {
			return usual
		}
	case '\u00a0':
		if !inside {
			return seen
		}
		return odd
	case '\u00ad':
		return odd
	default:
		return symbol(before, r, after)
	}
	return misplace
}

// symbol is sign of what is neither punctuation nor a blank.
func symbol(before, r, after rune) float64 {
	alone := !letter(before) && !letter(after)
	digits := unicode.IsDigit(before) || unicode.IsDigit(after)
	switch r {
	case '€', '£':
		switch {
		case digits && alone:
			return typical
		case alone:
			return seen
		}
	case '°', 'º', 'ª':
		if unicode.IsDigit(before) || (before == 'n' || before == 'N' || before == '.') && !letter(after) {
			return usual
		}
	case '²', '³', '¹':
		if before == 'm' && !letter(after) || unicode.IsDigit(before) && !letter(after) {
			return seen
		}
	case '½', '¼', '¾', '×', '±', '•', '§', '¶', '†', 'µ':
		if alone {
			return seen
		}
	case '¡', '¿':
		if !letter(before) && letter(after) {
			return typical
		}
	case '©', '®', '™', '·', '´':
		if r == '·' || r == '´' || !letter(after) {
			return seen
		}
	}
	return misplace
}

// apostrophe reports whether a word with an apostrophe at a place is one that is written so: of
// English, or with an article or a word of Romance languages that has lost its end.
func apostrophe(word []rune, at int) bool {
	first, second := strings.ToLower(string(word[:at])), strings.ToLower(string(word[at+1:]))
	switch second {
	case "s", "t", "re", "ll", "ve", "d", "m", "em":
		return len(first) > 0
	}
	switch first {
	case "l", "d", "j", "n", "s", "c", "m", "t", "qu", "o", "jusqu", "lorsqu", "puisqu", "aujourd", "quelqu", "presqu", "dell", "all",
		"nell", "sull", "dall", "un", "quest", "quell":
		return len(second) > 1
	}
	return false
}

// lonely are letters that are words by themselves.
const lonely = "àÀâôÔóÓòéÉèÈåÅøØöÖæáÁýúÚ"

// written judges how a word is written that has letters beyond ASCII: small ones behind small
// ones, ASCII among them, or one that is a word.
func written(word []rune) bool {
	high, run := 0, 0
	letters := 0
	for i, r := range word {
		if !letter(r) {
			run = 0
			continue
		}
		letters++
		if r < 0x80 {
			run = 0
			continue
		}
		high++
		if run++; run > 2 || unicode.IsUpper(r) && i > 0 && unicode.IsLower(word[i-1]) {
			return false
		}
	}
	switch {
	case high == 0 || letters > high:
		return true
	case letters == 1:
		return strings.ContainsFunc(string(word), func(r rune) bool { return strings.ContainsRune(lonely, r) }) ||
			word[len(word)-1] == '.'
	}
	return false
}
