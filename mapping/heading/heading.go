// Package heading tells which field a column's header names.
package heading

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"eventbatch/mapping/schema"
)

// Field tells which field a header names by itself, the way it is taken where no
// mapping file says otherwise.
func Field(header string) (id schema.ID, ok bool) {
	c, ok := ClaimOf(header, 0)
	if !ok {
		return 0, false
	}
	return c.Field.Canonical().ID, true
}

// Normalize brings a header to the form in which headers are compared: without a
// byte-order mark, composed (NFC), lower case, every run of white space and
// underscores a single space, none around it.
func Normalize(header string) string {
	header = norm.NFC.String(strings.ReplaceAll(header, "\ufeff", ""))
	words := strings.FieldsFunc(strings.ToLower(header), func(r rune) bool {
		return r == '_' || r == ' ' || r == '\u00a0' || r == '\u202f' || r >= '\t' && r <= '\r'
	})
	return strings.Join(words, " ")
}

// Find finds a column by its header, exactly, else normalised; -1 where there is none.
func Find(headers []string, name string) int {
	if i := slices.Index(headers, name); i >= 0 {
		return i
	}
	wanted := Normalize(name)
	return slices.IndexFunc(headers, func(h string) bool { return Normalize(h) == wanted })
}

// Fits reports whether a header fits a glob, in which a slash is a letter like any other.
func Fits(glob, header string) bool {
	plain := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(plain.Replace(Normalize(glob)), plain.Replace(Normalize(header)))
	return err == nil && ok || glob == header
}
