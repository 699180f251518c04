package proposal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestALineIsReadBack(t *testing.T) {
	for line, want := range map[string][]Change{
		"":                        nil,
		"  ":                      nil,
		"Beginn: 14h → 14:00":     {{"Beginn", "14h", "14:00"}},
		"Beginn : 14h -> 14:00 ;": {{"Beginn", "14h", "14:00"}},
		"Beginn: 14h → 14:00; Plätze: 25 Pers. → 25": {{"Beginn", "14h", "14:00"}, {"Plätze", "25 Pers.", "25"}},
		"Link: http://a → https://a":                 {{"Link", "http://a", "https://a"}},
		`"a: b": "x; y" → "say ""z"""`:               {{"a: b", "x; y", `say "z"`}},
		"Ort: alt →":                                 {{"Ort", "alt", ""}},
		"Beginn:\n14h\n→ 14:00":                      {{"Beginn", "14h", "14:00"}},
	} {
		got, err := Read(line)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", line, err, diff)
		}
	}
	for _, line := range []string{
		"14:00", "Beginn: 14:00", "Beginn → 14:00",
		`"Beginn: a → b`, `"Beginn" x: a → b`, ": a → b", "A: b → c; d",
	} {
		if got, err := Read(line); err == nil {
			t.Errorf("%q is read as %q", line, got)
		}
	}
}

func TestAnyLineReadsBack(t *testing.T) {
	text := rapid.StringMatching(`[a:;→>" \n"-]{0,9}`).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	rapid.Check(t, func(t *rapid.T) {
		var all, want []Change
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			c := Change{text.Draw(t, "header"), text.Draw(t, "before"), text.Draw(t, "after")}
			all = append(all, c)
			want = append(want, Change{OneLine(c.Header), OneLine(c.Before), OneLine(c.After)})
		}
		line := Line(all)
		got, err := Read(line)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%q: %v\n%s", line, err, diff)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("Beginn: 14h → 14:00; Plätze: 25 Pers. → 25")
	f.Add(`"a: b": "x; y" -> "say ""z"""`)
	f.Fuzz(func(t *testing.T, line string) {
		first, err := Read(line)
		if err != nil {
			return
		}
		again, err := Read(Line(first))
		if diff := cmp.Diff(first, again); diff != "" || err != nil {
			t.Fatalf("%q: %v\n%s", line, err, diff)
		}
	})
}
