package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"eventbatch/mapping/schema"
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
	return cmp.Or(schema.Slugify(name, slugWordLength), "event") + "-" + ending
}
