package plan

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	slugWordLength = 36 // of the readable part, so that the whole stays below the service's 50
	slugHashLength = 10 // 50 bits of the key's hash
)

var slugEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// DeriveSlug gives the slug that stands in for the idempotency key which the
// service lacks: the same calendar and key always yield the same ending, so a
// second create of a row fails instead of making a second event, and the event
// is found again when the journal is lost.
func DeriveSlug(name, calendar, key string) string {
	sum := sha256.Sum256([]byte(calendar + "|" + key))
	ending := strings.ToLower(slugEncoding.EncodeToString(sum[:])[:slugHashLength])
	word := slugify(name)
	if len(word) > slugWordLength {
		word = strings.TrimRight(word[:slugWordLength], "-")
	}
	if word == "" {
		word = "event"
	}
	return word + "-" + ending
}

// slugify lowers a name to ASCII letters, digits and single hyphens; letters
// with marks lose the marks, everything else separates words.
func slugify(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(name) {
		r = unicode.ToLower(r)
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
		default:
			gap = true
		}
	}
	return b.String()
}
