package reshape

import "strings"

// separators stand between the two ends of a range. What a date may hold itself
// is one only between spaces.
var separators = []string{"→", "⟶", "->", " – ", " — ", " - ", " to ", " until ", " bis "}

// CutRange parts a cell that holds a range: "August 17, 2023 11:19 AM → August 25,
// 2023". A cell without one separator, or with several, is no range: from is all of it.
func CutRange(text string) (from, to string, isRange bool) {
	for _, s := range separators {
		before, after, found := strings.Cut(text, s)
		if !found {
			continue
		}
		from, to = strings.TrimSpace(before), strings.TrimSpace(after)
		if from == "" || to == "" || strings.Contains(after, s) {
			return strings.TrimSpace(text), "", false
		}
		return from, to, true
	}
	return strings.TrimSpace(text), "", false
}
