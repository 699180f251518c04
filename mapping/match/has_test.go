package match

import (
	"strings"
	"testing"
)

// What has says of a text is what looking for each word of the lists in it would say.
func TestWordsOfAListAreFoundAnywhereInAText(t *testing.T) {
	lists := []string{"cancelled", "guest off", "held name", "left", "full"}
	texts := []string{
		"Jazz", "Jazz cancelled tonight", "cancel", "xcancelled", "CANCELLED: Jazz", "Jazz – ausgefallen!", "", "2 left",
		"sold out", "out sold",
	}
	for _, list := range lists {
		for word := range listOf(list).set {
			texts = append(texts, word, "a "+word, word+"s", "Jazz ("+strings.ToUpper(word)+") 3", strings.ReplaceAll(word, " ", " x "))
		}
	}
	for _, text := range texts {
		said := " " + strings.Join(strings.FieldsFunc(fold(text), notLetter), " ") + " "
		for _, list := range lists {
			want := false
			for word := range listOf(list).set {
				want = want || strings.Contains(said, " "+word+" ")
			}
			if got := mentions(fold(text), list); got != want {
				t.Errorf("%q has one of %s: %t", text, list, got)
			}
		}
	}
}
