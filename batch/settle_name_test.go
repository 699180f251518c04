package batch

import (
	"testing"

	"eventbatch/batch/plan"
)

func TestARowIsNamedByAnyEndOfItsPath(t *testing.T) {
	sheet := &plan.Sheet{File: "in/two/spring.xlsx", Sheet: "Programme"}
	for word, want := range map[string]bool{
		"7": true, "Programme!7": true, "spring.xlsx:7": true, "two/spring.xlsx:Programme!7": true, "in/two/spring.xlsx:7": true,
		"8": false, "Other!7": false, "one/spring.xlsx:7": false, "ring.xlsx:7": false, "spring.xlsx:Other!7": false,
	} {
		if got := names(word, sheet, 7); got != want {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
}
