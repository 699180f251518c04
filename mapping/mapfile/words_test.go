package mapfile_test

import (
	"testing"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/yamldoc"
)

// A word is known as it is written, then in other dress, and what is left stands for what the star says.
func TestWordsAreKnownInOtherDress(t *testing.T) {
	list := yamldoc.Map[string]{{Key: "Members", Value: "members-only"}, {Key: "MEMBERS", Value: "private"}, {Key: "false", Value: ""}}
	words := mapfile.NewWords(list)
	for text, want := range map[string]string{"Members": "members-only", "MEMBERS": "private", " members ": "members-only", "False": ""} {
		if got, ok := words.Of(text); got != want || !ok {
			t.Errorf("%q stands for %q: %t", text, got, ok)
		}
	}
	if got, ok := words.Of("Friends"); ok {
		t.Errorf("Friends stands for %q", got)
	}
	if got, ok := mapfile.NewWords(append(list, yamldoc.Item[string]{Key: "*", Value: "public"})).Of("Friends"); got != "public" || !ok {
		t.Errorf("what is left stands for %q: %t", got, ok)
	}
	if mapfile.NewWords(nil) != nil {
		t.Error("no values are some words")
	}
}
