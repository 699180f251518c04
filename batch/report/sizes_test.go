package report

import (
	"fmt"
	"strings"
	"testing"

	"eventbatch/mapping/schema"
)

// mistakes are so many problems of six kinds, each in a column of its own, and a
// warning of the whole file.
func mistakes(n int) []schema.Problem {
	kinds := []schema.Problem{
		{
			Code: schema.CodeAmbiguousDate, Field: "start_at",
			Message: "the date can be read with the day or the month first, and nothing in its column tells",
			Hint:    "say --date-order mdy or dmy, or write the date as 2026-03-08",
		},
		{
			Code: schema.CodeBadEnum, Field: "visibility", Message: `"Everyone" is not one of the allowed values`,
			Hint: "write one of public, members-only, private",
		},
		{
			Code: schema.CodeBadNumber, Field: "max_capacity", Message: `"eighty" is not a number`,
			Hint: "write a whole number in digits, such as 120",
		},
		{
			Code: schema.CodeBadColor, Field: "tint_color", Message: `"blue" is not a color`,
			Hint: "write a # and three or six hexadecimal digits, such as #f80 or #ff8800",
		},
		{
			Code: schema.CodeBadZone, Field: "timezone", Message: `"Mars/Olympus" is not a known time zone`,
			Hint: "write an IANA name, such as Europe/Berlin or America/New_York",
		},
		{
			Code: schema.CodeEndBeforeStart, Field: "end_at", Message: "end_at is before start_at",
			Hint: "an event that goes past midnight ends on the next day: check the date of the end",
		},
	}
	var list []schema.Problem
	for i := range n {
		p := kinds[i%len(kinds)]
		p.Place = schema.Place{File: "spring.csv", Row: i + 2, Line: i + 2, Column: i % len(kinds), Header: "Column of " + p.Field}
		list = append(list, p)
	}
	if n > 0 {
		list = append(list, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeUnmatchedColumn, Message: `"Notes" matches no field and is not read`,
			Hint: "name it after a field", Place: schema.Place{File: "spring.csv", Row: 1, Line: 1, Column: 9, Header: "Notes"},
		})
	}
	return list
}

// Whatever the number of problems, a screen is enough but for the blank lines
// between the groups, and no line is wider than it.
func TestProblemsFitTheScreen(t *testing.T) {
	for _, test := range []struct {
		problems, width, lines int
		cut                    bool
		says                   []string
	}{
		{0, 80, 0, false, nil},
		{1, 80, 6, false, []string{"A2: error: the date can be read"}},
		{20, 50, 44, false, []string{"A2, A8, A14, A20", "4 times", "hint: name it after a field"}},
		{20, 80, 31, false, []string{"A2, A8, A14, A20"}},
		{20, 200, 21, false, nil},
		{20_000, 50, 46, true, []string{"A2, A8, A14, A20, A26 and 3,329 more", "3,334 times", "3,333 times"}},
		{20_000, 80, 31, true, nil},
		{20_000, 120, 26, true, nil},
		{20_000, 200, 22, true, nil},
		{20_000, 0, 21, true, []string{"error: \"Everyone\" is not one of the allowed values, 3,334 times [bad-enum]\n"}},
	} {
		s, out := page(test.width)
		var p Problems
		for _, problem := range mistakes(test.problems) {
			p.Problem(problem)
		}
		name := fmt.Sprintf("%d problems on %d columns", test.problems, test.width)
		if cut := p.show(s); cut != test.cut {
			t.Errorf("%s: cut is %t", name, cut)
		}
		text := out.String()
		if n := len(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })); n > test.lines {
			t.Errorf("%s: %d lines, want at most %d:\n%s", name, n, test.lines, text)
		}
		for line := range strings.Lines(text) {
			if n := Width(strings.TrimSuffix(line, "\n")); test.width > 0 && n >= test.width {
				t.Errorf("%s: a line of %d: %s", name, n, line)
			}
		}
		flat := strings.Join(strings.Fields(text), " ")
		for _, words := range test.says {
			if !strings.Contains(flat, words) && !strings.Contains(text, words) {
				t.Errorf("%s: %q is not said:\n%s", name, words, text)
			}
		}
	}
}

// A number stays on the line of what it counts.
func TestNumbersStayWithTheirWords(t *testing.T) {
	s, out := page(29)
	s.Printf("this is said of them all, 2,857 times over\n")
	equal(t, "this is said of them all,\n  2,857 times over\n", out.String())
}

// Prose uses the whole line, whichever it is.
func TestProseIsSetToOneWidth(t *testing.T) {
	for _, line := range wrapFlat(strings.Repeat("abc ", 100)+"abc", 79)[:4] {
		if len(line) != 79 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}
