package datetime

// Overlap says how a wall time that exists twice is read, since the clock was put
// back over it.
type Overlap uint8

// The words of --overlap.
const (
	RefuseBoth Overlap = iota
	TakeFirst
	TakeSecond
)

// ParseOverlap reads error, first or second; the empty word is error.
func ParseOverlap(word string) (Overlap, bool) {
	switch word {
	case "", "error":
		return RefuseBoth, true
	case "first":
		return TakeFirst, true
	case "second":
		return TakeSecond, true
	}
	return RefuseBoth, false
}
