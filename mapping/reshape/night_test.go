package reshape_test

import (
	"strings"
	"testing"

	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
)

// Each case is a heading and the cells of a column below it, with an x before those that may be of the day after.
func TestHoursGoPastMidnight(t *testing.T) {
	var hours reshape.Hours
	for row, c := range []struct{ heading, cells string }{
		{"22 May 2027", "12:00 23:00 x00:30 x02:00-03:00"},
		{"23 May 2027", "00:30 21:00 x1:00"},
		{"24 May 2027", "05:30 12:00 19:00 09:00"},
		{"25 May 2027", "20:00-02:00 noon x0:15am"},
		{"May 2027", "23:00 00:30"},
	} {
		above, _ := reshape.ParseAbove(c.heading)
		for text := range strings.FieldsSeq(c.cells) {
			bare := strings.TrimPrefix(text, "x")
			if got := hours.GoPast(above, row, &sheet.Cell{Kind: sheet.Text, Text: bare}); got != (bare != text) {
				t.Errorf("%s: %s: %t", c.heading, bare, got)
			}
		}
	}
}
