package match

import "eventbatch/mapping/schema"

// Meaning gives the value of an enumeration, or of yes and no, that people mean by
// a word in one of four languages: public for Everyone. It is exact: a word that is
// merely near means nothing.
func Meaning(field schema.ID, text string) (value string, ok bool) { return meaning(field, text) }
