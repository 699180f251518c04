package match_test

import (
	"os"
	"path/filepath"
	"testing"

	"eventbatch/mapping/match"
)

// What is only said by the way is found out from the first rows of a large file, and says so.
func TestATableIsReadAsFarAsIsWanted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "programme.csv")
	if err := os.WriteFile(path, []byte("Titel,Datum\nTee,03.04.2027\nKuchen,04.04.2027\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, cut := range map[int]bool{0: false, 1: true, 2: false} {
		table, err := match.Read(t.Context(), match.Wanted{File: path, Most: most}, match.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if table.Cut != cut {
			t.Errorf("of %d rows at most: cut %t", most, table.Cut)
		}
	}
}

func TestAnAnswersIDMayHoldAnEqualsSign(t *testing.T) {
	id, value, ok := match.ParseAnswer("visibility:a=b=private")
	if id != "visibility:a=b" || value != "private" || !ok {
		t.Errorf("%q, %q, %t", id, value, ok)
	}
	if _, _, ok := match.ParseAnswer("timezone"); ok {
		t.Error("an answer without a value is taken")
	}
}
