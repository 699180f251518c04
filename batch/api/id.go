package api

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/spelling"
)

// maxID is far above any id of the service's, and no more than a journal keeps.
const maxID = 200

// strange returns what keeps an id from being the service's; it is empty for one that
// may be. Ids are remembered and shown as they are, so they are printable.
func strange(id string) string {
	hidden := func(r rune) bool { return unicode.IsSpace(r) || spelling.Hidden(r) }
	switch {
	case id == "":
		return "no id"
	case len(id) > maxID:
		return fmt.Sprintf("an id of %d bytes", len(id))
	case strings.ContainsFunc(id, hidden) || !utf8.ValidString(id):
		return "an id with characters that cannot be seen"
	}
	return ""
}

// answerID refuses an answer whose id cannot be the service's. what names the
// thing that the id is of.
func answerID(what, id string) error {
	if fault := strange(id); fault != "" {
		return &WrongAddressError{Status: 200, Reason: "its answer gives " + what + " " + fault}
	}
	return nil
}
