package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/value"
)

const (
	slugWordLength = 36 // of the readable part, so that the whole stays below the service's 50
	slugHashLength = 10 // 50 bits of the key's hash
)

var slugEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// DeriveSlug returns the slug that stands in for the idempotency key which the
// service lacks: the same calendar and key always yield the same ending, so a
// second create of a row fails instead of making a second event, and the event
// is found again when the journal is lost.
func DeriveSlug(name, calendar, key string) string {
	return cmp.Or(value.Slugify(name, slugWordLength), "event") + slugEnding(calendar, key)
}

// slugEnding returns the part of a derived slug that names the key.
func slugEnding(calendar, key string) string {
	sum := sha256.Sum256([]byte(calendar + "|" + key))
	return "-" + strings.ToLower(slugEncoding.EncodeToString(sum[:])[:slugHashLength])
}

// Endless returns a slug without the ending that a derived one has; one that was not derived as it is.
func Endless(slug string) string {
	at := len(slug) - slugHashLength - 1
	if at <= 0 || slug[at] != '-' || strings.Trim(slug[at+1:], "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return slug
	}
	return slug[:at]
}

// Named reports whether a slug is the event's own: of a derived one, that its ending is.
func (e *Event) Named(slug string) bool {
	if e.Derived && len(slug) > slugHashLength && len(e.Slug) > slugHashLength {
		return slug[len(slug)-slugHashLength-1:] == e.Slug[len(e.Slug)-slugHashLength-1:]
	}
	return e.Slug != "" && slug == e.Slug
}

// KeyIsSlug reports whether the row has no other name for good than its slug.
func (e *Event) KeyIsSlug() bool { return e.Slug != "" && e.Key == slugKey+e.Slug }

// SlugIndex finds events by the key that their slug names, whatever name they had
// when the slug was derived.
type SlugIndex struct {
	ids     map[string]string   // by whole slug
	endings map[string][]string // slugs by their ending
}

// NewSlugIndex returns the index of a calendar's events, given their ids by slug.
func NewSlugIndex(ids map[string]string) *SlugIndex {
	x := &SlugIndex{ids: ids, endings: map[string][]string{}}
	for slug := range ids {
		if at := len(slug) - slugHashLength - 1; at > 0 && slug[at] == '-' {
			x.endings[slug[at:]] = append(x.endings[slug[at:]], slug)
		}
	}
	return x
}

// Find returns the ids of the events that were made for the key of e: by the ending
// of a derived slug, or by the slug itself where that is the key. Their order is
// that of the slugs.
func (x *SlugIndex) Find(e Event) []string {
	if e.KeyIsSlug() {
		if id := x.ids[e.Slug]; id != "" {
			return []string{id}
		}
		return nil
	}
	var found []string
	for _, slug := range slices.Sorted(slices.Values(x.endings[slugEnding(e.Calendar, e.Key)])) {
		found = append(found, x.ids[slug])
	}
	return found
}

// Like reports whether an event of that name and start is likely to be this one. White space in names, which
// the service may change, does not tell events apart.
func (e *Event) Like(name string, start time.Time) bool {
	return start.UnixMilli() == e.StartAt && Plain(name) == Plain(e.Name)
}

// Plain returns a name as names are compared: with one blank for white space of any kind.
func Plain(name string) string { return strings.Join(strings.Fields(name), " ") }
