package sheet

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NormalHeader returns a header in the form in which headers are compared: without a
// byte-order mark, composed (NFC), lower case, every run of white space and
// underscores a single space, none around it.
func NormalHeader(header string) string {
	plain := make([]byte, 0, len(header))
	for i := range len(header) {
		switch c := header[i]; {
		case c > unicode.MaxASCII:
			return normalUnicode(header)
		case c == '_' || c == ' ' || c >= '\t' && c <= '\r':
			if n := len(plain); n > 0 && plain[n-1] != ' ' {
				plain = append(plain, ' ')
			}
		case c >= 'A' && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		default:
			plain = append(plain, c)
		}
	}
	return string(bytes.TrimSuffix(plain, []byte(" ")))
}

func normalUnicode(header string) string {
	header = norm.NFC.String(strings.ReplaceAll(header, "\ufeff", ""))
	words := strings.FieldsFunc(strings.ToLower(header), func(r rune) bool {
		return r == '_' || r == ' ' || r == '\u00a0' || r == '\u202f' || r >= '\t' && r <= '\r'
	})
	return strings.Join(words, " ")
}

// FindColumn returns the column with a header, exactly, else normalised; -1 where there is none.
func FindColumn(headers []string, name string) int {
	if i := slices.Index(headers, name); i >= 0 {
		return i
	}
	wanted := NormalHeader(name)
	return slices.IndexFunc(headers, func(h string) bool { return NormalHeader(h) == wanted })
}

// OnlyColumn returns the one column with a header, normalised; -1 where none or several have it,
// and for a blank one.
func OnlyColumn(headers []string, name string) int {
	wanted, only := NormalHeader(name), -1
	for i, h := range headers {
		switch {
		case wanted == "" || NormalHeader(h) != wanted:
		case only >= 0:
			return -1
		default:
			only = i
		}
	}
	return only
}

// OwnColumn reports whether a header is of a column that a results file, an export or an annotated
// copy adds: it says nothing of an event.
func OwnColumn(header string) bool {
	switch header {
	case RowColumn, "_sheet", "_action", "_status", "_event_id", "_event", LinkColumn, "_error", "_field", "_at",
		BaseColumn, AnnotationColumn, ProposalColumn:
		return true
	}
	return false
}
