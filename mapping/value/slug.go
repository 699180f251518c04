package value

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// Limits of a slug (service: Limits).
const (
	SlugMin = 3  // characters
	SlugMax = 50 // characters
)

// ParseSlug checks a slug: 3 to 50 characters (service: Limits) that can stand
// as one segment of an address. The service names no alphabet, so whatever is
// not plainly wrong in an address passes.
func ParseSlug(text string) *schema.Fault {
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' || isDigit(c) || c == '-' || 'A' <= c && c <= 'Z' || c == '_' {
			continue
		}
		return slowSlug(text)
	}
	return slugLength(text, len(text))
}

func slowSlug(text string) *schema.Fault {
	for _, r := range text {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`/\?#%&"<>`, r) || r == utf8.RuneError {
			return schema.CodeBadSlug.Fault(Quote(text)+" cannot be part of a web address: it contains "+slugRune(r), slugHint(text))
		}
	}
	return slugLength(text, utf8.RuneCountInString(text))
}

func slugLength(text string, n int) *schema.Fault {
	switch {
	case n < SlugMin:
		return schema.CodeBadSlug.Fault(
			"the slug has "+strconv.Itoa(n)+" characters; it needs at least "+strconv.Itoa(SlugMin),
			"make it longer, or leave the cell blank",
		)
	case n > SlugMax:
		return schema.CodeBadSlug.Fault(
			"the slug has "+strconv.Itoa(n)+" characters; at most "+strconv.Itoa(SlugMax)+" are allowed",
			slugHint(text),
		)
	}
	return nil
}

// slugRune returns the words for a character that a slug cannot have.
func slugRune(r rune) string {
	if r == ' ' {
		return "a space"
	}
	return strconv.QuoteRune(r)
}

func slugHint(text string) string {
	if s := Slugify(text, SlugMax); len(s) >= SlugMin {
		return didYouMean(s)
	}
	return "use letters, digits and hyphens"
}

// Slugify makes a slug of at most most bytes from a text: lower-case ASCII
// letters and digits with single hyphens between them. Accents are dropped,
// letters of other scripts left out; the result may be empty.
func Slugify(text string, most int) string {
	var b strings.Builder
	gap := false
	put := func(s string) bool {
		if gap && b.Len() > 0 {
			s = "-" + s
		}
		gap = false
		if b.Len()+len(s) > most {
			return false
		}
		b.WriteString(s)
		return true
	}
	for _, r := range text {
		ok := true
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			ok = put(string(r))
		case 'A' <= r && r <= 'Z':
			ok = put(string(r + 'a' - 'A'))
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
			// a combining accent or an apostrophe joins what is around it
		default:
			if s := foldLetter(r); s != "" {
				ok = put(s)
			} else {
				gap = true
			}
		}
		if !ok {
			break
		}
	}
	return b.String()
}

// letterFolds pairs accented letters with what they are written as without accents.
var letterFolds = []struct{ letters, plain string }{
	{"àáâãäåāăąǎ", "a"},
	{"æ", "ae"},
	{"çćĉċč", "c"},
	{"ďđð", "d"},
	{"èéêëēĕėęě", "e"},
	{"ĝğġģ", "g"},
	{"ĥħ", "h"},
	{"ìíîïĩīĭįıǐ", "i"},
	{"ĵ", "j"},
	{"ķ", "k"},
	{"ĺļľŀł", "l"},
	{"ñńņňŋ", "n"},
	{"òóôõöøōŏőǒ", "o"},
	{"œ", "oe"},
	{"ŕŗř", "r"},
	{"śŝşšș", "s"},
	{"ß", "ss"},
	{"ţťŧț", "t"},
	{"þ", "th"},
	{"ùúûüũūŭůűųǔ", "u"},
	{"ŵ", "w"},
	{"ýÿŷ", "y"},
	{"źżž", "z"},
}

func foldLetter(r rune) string {
	r = unicode.ToLower(r)
	for _, f := range letterFolds {
		if strings.ContainsRune(f.letters, r) {
			return f.plain
		}
	}
	return ""
}
