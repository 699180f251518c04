package match

import (
	"strings"
	"testing"
)

// What has says of a text is what looking for each word of the lists in it would say.
func TestWordsOfAListAreFoundAnywhereInAText(t *testing.T) {
	v, lists := words(), []string{"cancelled", "guest off", "held name", "left", "full"}
	texts := []string{
		"Jazz", "Jazz cancelled tonight", "cancel", "xcancelled", "CANCELLED: Jazz", "Jazz – ausgefallen!", "", "2 left",
		"sold out", "out sold",
	}
	for _, list := range lists {
		for word := range v.lists[list] {
			texts = append(texts, word, "a "+word, word+"s", "Jazz ("+strings.ToUpper(word)+") 3", strings.ReplaceAll(word, " ", " x "))
		}
	}
	for _, text := range texts {
		said := " " + strings.Join(strings.FieldsFunc(fold(text), notLetter), " ") + " "
		for _, list := range lists {
			want := false
			for word := range v.lists[list] {
				want = want || strings.Contains(said, " "+word+" ")
			}
			if got := v.has(fold(text), list); got != want {
				t.Errorf("%q has one of %s: %t", text, list, got)
			}
		}
	}
}
