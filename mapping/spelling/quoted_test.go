package spelling

import (
	"os/exec"
	"strings"
	"testing"
)

func TestQuotedWordsAreReadAsTheyWere(t *testing.T) {
	for word, want := range map[string]string{
		"cal-1": "cal-1", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "https://e.example/x": "https://e.example/x",
		"$HOME": "'$HOME'", "~/k": "'~/k'", "=ls": "'=ls'", "pass show events/key": "'pass show events/key'",
	} {
		if got := Quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	for _, word := range []string{
		"a\x03rm x\n.csv", "\x1b[201~\n'\\7", "sp\u202etxt.csv", "no\u00a0break\t1", "\xff\x017", "caf\u00e9 \u200d\u2028",
	} {
		line := Quoted(word)
		got, err := exec.CommandContext(t.Context(), bash, "-c", "printf %s "+line).Output()
		if err != nil || string(got) != word || strings.ContainsFunc(line, unseen) {
			t.Errorf("%q is %s, which the shell reads as %q: %v", word, line, got, err)
		}
	}
}
