package mapping

import "eventbatch/mapping/schema"

// MatchHeader tells which field a header names by itself, the way it is taken
// where no mapping file says otherwise.
func MatchHeader(header string) (id schema.ID, ok bool) {
	c, ok := claimOf(header, 0)
	if !ok {
		return 0, false
	}
	return c.field.Canonical().ID, true
}
