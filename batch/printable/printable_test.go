package printable

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanTextCannotMoveTheCursor(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "two  blanks": "two  blanks", "tab\there": "tab here", "\x1b[31mred": "[31mred", "a\r\nb": "a  b",
		"bell\a":     "bell",
		"\u202eevil": "evil", "caf\u00e9": "café", "a\u200bb": "ab", "\xff": "", "\u0000": "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestBriefTextIsOneShortLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		" a \t\r\n b ":                "a b",
		"a\u2028b":                    "a b",
		"\x1b]0;x\x07y":               "]0;xy",
		"naïve 日本 🎉":                  "naïve 日本 🎉",
		"abcdefghijkl":                "abcdefghij…",
		"abcdefghij":                  "abcdefghij",
		"abcdefghi  ":                 "abcdefghi",
		"abcdefghij  ":                "abcdefghij",
		"abcdefghi jkl":               "abcdefghi…",
		"\u202eabc\u2069\u061c\u200f": "abc",
		"\ue000a\U000e0041":           "a",
	} {
		if got := Brief(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTextWithinALimitIsCutBetweenCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abcde": "abcde", "abcdef": "abcde", "abcdé": "abcd", "ééé": "éé", "abcd ef": "abcd", "\x07abcdef": "abcde", "日本": "日",
	} {
		if got := Within(text, 5); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestShortenedTextSaysSo(t *testing.T) {
	for text, want := range map[string]string{"abcd": "abcd", "abcdef": "abc…", "日本日本": "日本日本", "日本日本日": "日本日…"} {
		if got := Shorten(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Shorten("abc", 0); got != "…" {
		t.Errorf("%q", got)
	}
}

func TestWhateverComesIsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		most := rapid.IntRange(0, 20).Draw(t, "most")
		for _, got := range []string{Clean(text), Brief(text, most), Within(text, most)} {
			unfit := func(r rune) bool { return r != ' ' && (unicode.IsSpace(r) || unicode.Is(unicode.C, r)) }
			if strings.ContainsFunc(got, unfit) || !utf8.ValidString(got) {
				t.Fatalf("%q becomes %q", text, got)
			}
		}
		if got := Brief(text, most); utf8.RuneCountInString(got) > most+1 {
			t.Fatalf("%q is longer than %d", got, most)
		}
		if got := Within(text, most); len(got) > most {
			t.Fatalf("%q takes more than %d bytes", got, most)
		}
	})
}
