package spelling

import (
	"strings"
	"testing"
	"unicode"
)

func TestNearest(t *testing.T) {
	candidates := []string{"name", "start_at", "end_at", "timezone", "description_md", "slug", "public"}
	for word, want := range map[string]string{
		"nmae": "name", "START AT": "start_at", "strat_at": "start_at", "time zone": "timezone", "descripton_md": "description_md",
		"slugs": "slug",
		"":      "", "x": "", "zzzzzz": "", "colour": "", strings.Repeat("a", 100): "", "Publik": "public", "ab": "",
	} {
		if got := Nearest(word, candidates); got != want {
			t.Errorf("%q suggests %q, want %q", word, got, want)
		}
	}
	for word, want := range map[string]string{"publik": "public", "saal C": "", "Tim": ""} {
		if got := Only(word, []string{"public", "Public", "Saal A", "Saal B", "Tom", "Tam"}); got != want {
			t.Errorf("%q can only mean %q, want %q", word, got, want)
		}
	}
	if got := Nearest("a", nil); got != "" {
		t.Errorf("no candidates suggest %q", got)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("strat_at", "start_at", "end_at")
	f.Fuzz(func(t *testing.T, word, a, b string) {
		got := Nearest(word, []string{a, b})
		if got != "" && got != a && got != b {
			t.Fatalf("%q suggests %q", word, got)
		}
	})
}

// A text that is plain already, or of Latin letters, comes out as the long way has it: a bullet behind it, which is no part of
// it and beyond Latin-1, has it go that way.
func FuzzBare(f *testing.F) {
	var latin strings.Builder
	for r := rune(0); r <= unicode.MaxLatin1; r++ {
		latin.WriteString("a" + string(r))
	}
	f.Add(latin.String())
	for _, text := range []string{"", " ", "a", "start date", " start", "start ", "two  blanks", "Größe_2", "\ufeffname", "日程"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Bare(text), Bare(text+"•"); got != want {
			t.Errorf("%q is %q, and %q the long way", text, got, want)
		}
	})
}

// FuzzDistance has a limit change nothing of a distance that is below it.
func FuzzDistance(f *testing.F) {
	for _, words := range [][2]string{{"", "a"}, {"start", "strat"}, {"ende", "end"}, {"größe", "grosse"}, {"aab", "baa"}, {"`x", " 8"}} {
		f.Add(words[0], words[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		whole := Distance(a, b, len(a)+len(b)+65)
		for limit := range 8 {
			if got := Distance(a, b, limit); got != min(whole, limit) {
				t.Errorf("%q and %q, up to %d: %d, want %d", a, b, limit, got, min(whole, limit))
			}
		}
	})
}
