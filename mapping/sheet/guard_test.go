package sheet

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGuard(t *testing.T) {
	for text, want := range map[string]string{
		"":            "",
		"Tea":         "Tea",
		"=1+1":        "'=1+1",
		"@SUM(A1)":    "'@SUM(A1)",
		"+cmd|' /C'":  "'+cmd|' /C'",
		"-x":          "'-x",
		"-":           "'-",
		"\tx":         "'\tx",
		"\r=x":        "'\r=x",
		"\n=x":        "'\n=x",
		"＝1+1":        "'＝1+1",
		"-5":          "-5",
		"+3.25":       "+3.25",
		"-.5e-3":      "-.5e-3",
		"-1e":         "'-1e",
		"+1-2":        "'+1-2",
		"-1.2.3":      "'-1.2.3",
		"'twas":       "'twas",
		"'":           "'",
		"''":          "''",
		"'=1":         "''=1",
		"''-x":        "'''-x",
		"'-5":         "'-5",
		"a=1":         "a=1",
		"2026-04-01":  "2026-04-01",
		"+1 555 0100": "'+1 555 0100",
	} {
		if got := Guard(text); got != want {
			t.Errorf("Guard(%q) = %q, want %q", text, got, want)
		}
		if got := Unguard(want); got != text {
			t.Errorf("Unguard(%q) = %q, want %q", want, got, text)
		}
	}
}

func TestUnguardTakesBackGuard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`'*[-=+@\t\r\n']?[-+.0-9eE＝'x]*`)).Draw(t, "text")
		guarded := Guard(text)
		if Unguard(guarded) != text {
			t.Fatalf("Unguard(%q) = %q", guarded, Unguard(guarded))
		}
		if strings.ContainsRune("=@\t\r\n", rune((guarded + " ")[0])) {
			t.Fatalf("%q is not safe", guarded)
		}
	})
}

func TestParseDelimiter(t *testing.T) {
	for text, want := range map[string]rune{",": ',', ";": ';', "tab": '\t', "TAB": '\t', `\t`: '\t', "pipe": '|', "0x1f": 0x1f, "§": '§'} {
		if got, err := ParseDelimiter(text); got != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "\"", "\n", ",,", "0x0", "0xd", "0x110000", "x1f", "\xff"} {
		if got, err := ParseDelimiter(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
