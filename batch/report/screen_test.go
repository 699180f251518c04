package report

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/printable"
)

// page is a screen of so many columns that keeps what it is shown; 0 is a pipe.
func page(width int) (*Screen, *bytes.Buffer) {
	var text bytes.Buffer
	s := NewScreen(&text, ScreenConfig{})
	if width > 0 {
		s.terminal, s.width = true, func() int { return width }
	}
	return s, &text
}

func equal(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPipesAreNotWrapped(t *testing.T) {
	s, text := page(0)
	long := strings.Repeat("word ", 100)
	s.Printf("%s\n", long)
	equal(t, long+"\n", text.String())
	if s.Terminal() {
		t.Error("a buffer is a terminal")
	}
}

func TestTerminalsAreWrappedAtBlanks(t *testing.T) {
	s, text := page(25)
	s.Printf("%s\n", "events.csv:7:C5: error: the day does not exist")
	s.Printf("  hint: write the day first, or say --date-order\n")
	s.Printf("short\n")
	s.Hint("a-word-that-is-longer-than-the-line stays whole")
	s.Hint("")
	equal(t, `events.csv:7:C5: error:
  the day does not exist
  hint: write the day
        first, or say
        --date-order
short
hint:
      a-word-that-is-longer-than-the-line
      stays whole
`, text.String())
}

func TestWrappedLinesFitAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,9}`), 1, 30).Draw(t, "words")
		width := rapid.IntRange(20, 60).Draw(t, "width")
		indent := strings.Repeat(" ", rapid.IntRange(0, 6).Draw(t, "indent"))
		lines := wrap(indent+strings.Join(words, " "), width)
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width || !strings.HasPrefix(line, indent) {
				t.Fatalf("%q is wider than %d, or lost its indent", line, width)
			}
		}
		if got := strings.Fields(strings.Join(lines, " ")); !cmp.Equal(got, words) {
			t.Fatalf("%q became %q", words, got)
		}
	})
}

func TestColoursTakeNoRoom(t *testing.T) {
	s := &Screen{palette: palette{color: true}}
	if n := Width(s.red("error") + ": " + s.Dim("[bad-zone]")); n != len("error: [bad-zone]") {
		t.Errorf("%d", n)
	}
	if got := wrap(s.Bold("one")+" "+s.Bold("two"), 7); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if got := wrap("done in about 3 s or 12 min, a b", 15); strings.Join(got, "|") != "done in about|  3 s or|  12 min, a b" {
		t.Errorf("%q", got)
	}
	plain := &Screen{}
	if plain.red("error") != "error" {
		t.Error("colour without colours")
	}
}

func TestPathsAreShortWherePeopleAre(t *testing.T) {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := page(0)
	for in, want := range map[string]string{
		filepath.Join(folder, ".eventbatch", "runs", "x"): filepath.Join(".eventbatch", "runs", "x"),
		filepath.Join(filepath.Dir(folder), "beside"):     filepath.Join(filepath.Dir(folder), "beside"),
		"relative/path": "relative/path",
	} {
		if got := s.Path(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 50000: "50,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := Number(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", 12345: "12,345 rows"} {
		if got := Count(n, "row"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for want, names := range map[string][]string{"": nil, "a, b, c": {"a", "b", "c"}, "a, b, c and 2 more": {"a", "b", "c", "d", "e"}} {
		if got := printable.Names(names); got != want {
			t.Errorf("%q: %s", names, got)
		}
	}
}

func TestTableLinesUp(t *testing.T) {
	var text bytes.Buffer
	err := Table(&text, []string{"NAME", "ROWS", "WORDS"}, slices.Values([][]string{
		{"café", "7", "x"}, {"a\x1b[2J", "1,204", ""}, {"", "30", "y"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, `NAME   ROWS  WORDS
café      7  x
a[2J  1,204
         30  y
`, text.String())
	text.Reset()
	if err := Table(&text, []string{"NAME", "SEATS", "NOTE"}, slices.Values([][]string{{"a", "", ""}, {"b", "7", ""}})); err != nil {
		t.Fatal(err)
	}
	equal(t, "NAME  SEATS  NOTE\na\nb         7\n", text.String())
	if err := Table(brokenWriter{}, []string{"A"}, slices.Values[[][]string](nil)); err == nil {
		t.Error("a table that was not written is no error")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWideCharactersTakeTwoPlaces(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "café": 4, "cafe\u0301": 4, "日本": 4, "한글": 4, "ｱ": 1, "Ａ": 2, "👍": 2, "\x1b[31m日\x1b[0m": 2,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d places, not %d", text, got, want)
		}
	}
	if got := strings.Join(wrap("日本 日本 日本", 10), "|"); got != "日本 日本|  日本" {
		t.Errorf("wrapped as %q", got)
	}
	var text bytes.Buffer
	if err := Table(&text, []string{"NAME", "KEY"}, slices.Values([][]string{{"日本の茶会", "k1"}, {"Tea", "k2"}})); err != nil {
		t.Fatal(err)
	}
	equal(t, "NAME        KEY\n日本の茶会  k1\nTea         k2\n", text.String())
}
