package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// A content hash has two parts with a plus sign between them: 32 hex digits for the
// values that an update can bring, and 16 for those that only a create takes, none
// where the event was made without such values. Of an event that may have been made
// with anything, the hash ends before the plus sign. The hash of a row that sets nothing
// that an update can bring begins with it.

func contentHash(hash, made string) string {
	if hash == "" && made == "" {
		return ""
	}
	return Values(hash) + "+" + made
}

// Values returns the part of a content hash that an update can change.
func Values(hash string) string {
	before, _, _ := strings.Cut(hash, "+")
	return before
}

// Made returns the part of a content hash that no update changes, with its plus sign.
func Made(hash string) string { return strings.TrimPrefix(hash, Values(hash)) }

// made returns the hash of what only a create takes, as the event was made with it.
// certain is false where that is not known.
func (k *Known) made() (hash string, certain bool) {
	_, after, certain := strings.Cut(k.Hash, "+")
	return after, certain
}

func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}
