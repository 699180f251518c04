package report

import (
	"fmt"
	"strings"
	"testing"

	"eventbatch/mapping/schema"
)

// at makes a problem of column C.
func at(row int, code schema.Code, message, hint string) schema.Problem {
	return schema.Problem{
		Severity: code.Severity(), Code: code, Field: "start_at", Message: message, Hint: hint,
		Place: schema.Place{File: "a.csv", Row: row, Line: row, Column: 2, Header: "Start"},
	}
}

func show(t *testing.T, problems []schema.Problem) (text string, cut bool) {
	t.Helper()
	s, out := page(0)
	var p Problems
	for _, problem := range problems {
		p.Add(problem)
	}
	cut = p.Show(s)
	return out.String(), cut
}

func TestNoProblemIsNoWord(t *testing.T) {
	if text, cut := show(t, nil); text != "" || cut {
		t.Errorf("%q %t", text, cut)
	}
}

func TestOneProblemIsOneLine(t *testing.T) {
	text, cut := show(t, []schema.Problem{at(3, schema.CodeBadTime, "this is not a date or a time", "write a date")})
	equal(t, `a.csv:3:C3: error: this is not a date or a time [bad-time]
  hint: write a date
`, text)
	if cut {
		t.Error("nothing was left out")
	}
}

func TestProblemsThatSayTheSameAreOneGroup(t *testing.T) {
	var list []schema.Problem
	for row := 2; row <= 21; row++ {
		list = append(list, at(row, schema.CodeNoZone, "the time has no offset", "say --timezone"))
	}
	text, cut := show(t, list)
	equal(t, `a.csv column C (Start): error: the time has no offset, 20 times [no-zone]
  C2, C3, C4, C5, C6 and 15 more
  hint: say --timezone
`, text)
	if !cut {
		t.Error("15 were left out")
	}
	text, cut = show(t, list[:5])
	equal(t, `a.csv column C (Start): error: the time has no offset, 5 times [no-zone]
  C2, C3, C4, C5, C6
  hint: say --timezone
`, text)
	if cut {
		t.Error("nothing was left out")
	}
}

func TestProblemsOfOneKindAreListedByWhatTheySay(t *testing.T) {
	list := []schema.Problem{
		at(2, schema.CodeDSTGap, "02:30 does not exist", "write 03:30"),
		at(30, schema.CodeDSTGap, "02:45 does not exist", "write 03:45"),
	}
	text, _ := show(t, list)
	equal(t, `a.csv column C (Start): error: start_at: the time does not exist on that day, 2 times [dst-gap]
  C2   02:30 does not exist
       hint: write 03:30
  C30  02:45 does not exist
       hint: write 03:45
`, text)
}

// Twenty thousand problems are as many lines as twenty.
func TestManyProblemsAreFewLines(t *testing.T) {
	var list []schema.Problem
	for i := range 20_000 {
		value := "monday"
		if i%1000 == 999 {
			value = fmt.Sprintf("day %d", i)
		}
		list = append(list, at(i+2, schema.CodeBadTime, value+" is no date", "write a date"))
	}
	text, cut := show(t, list)
	equal(t, `a.csv column C (Start): error: start_at: the value is no date or time, 20,000 times [bad-time]
  C2, C3, C4 and 19,977 more  monday is no date
  C1001                       day 999 is no date
  C2001                       day 1999 is no date
  C3001                       day 2999 is no date
  C4001                       day 3999 is no date
  and 16 more
  hint: write a date
`, strings.Replace(text, title(t, schema.CodeBadTime), "the value is no date or time", 1))
	if !cut {
		t.Error("most were left out")
	}
}

func title(t *testing.T, code schema.Code) string {
	t.Helper()
	info, ok := schema.Lookup(code)
	if !ok {
		t.Fatalf("no code %s", code)
	}
	return info.Title
}

func TestErrorsComeBeforeWarningsAndFilesInTheirOrder(t *testing.T) {
	place := func(p schema.Problem, file, sheet string) schema.Problem {
		p.Place.File, p.Place.Sheet, p.Place.Line = file, sheet, 0
		return p
	}
	warning := at(1, schema.CodeUnmatchedColumn, `"Notes" matches no field`, "name it")
	other := warning
	other.Place.Column, other.Message = 7, `"Who" matches no field`
	list := []schema.Problem{
		place(warning, "z.xlsx", "May"), place(other, "z.xlsx", "May"),
		place(at(9, schema.CodeBadTime, "late", ""), "z.xlsx", "May"), place(at(2, schema.CodeBadTime, "early", ""), "a.xlsx", "June"),
		place(at(4, schema.CodeNoZone, "no zone", ""), "z.xlsx", "May"),
	}
	text, _ := show(t, list)
	equal(t, `z.xlsx:May!C4: error: no zone [no-zone]
z.xlsx:May!C9: error: late [bad-time]
a.xlsx:June!C2: error: early [bad-time]
z.xlsx:May: warning: a column feeds no field, 2 times [unmatched-column]
  C1  "Notes" matches no field
  H1  "Who" matches no field
  hint: name it
`, text)

	s, out := page(0)
	s.quiet = true
	var p Problems
	for _, problem := range list {
		p.Add(problem)
	}
	p.Show(s)
	if strings.Contains(out.String(), "warning") || p.Warnings != 2 || p.Errors != 3 {
		t.Errorf("quiet: %d errors, %d warnings:\n%s", p.Errors, p.Warnings, out)
	}
}

func TestProblemsOfWholeRowsNameTheRows(t *testing.T) {
	var list []schema.Problem
	for row := 2; row <= 3; row++ {
		p := at(row, schema.CodeBlocked, "key refused", "")
		p.Place.Column, p.Field = -1, ""
		list = append(list, p)
	}
	text, _ := show(t, list)
	equal(t, `a.csv: error: key refused, 2 times [blocked]
  row 2, row 3
`, text)
}

func TestHostileTextIsCleanOnTheScreen(t *testing.T) {
	p := at(2, schema.CodeBadTime, "\x1b[2J\u202etxt", "\x1b]0;title\a")
	p.Place.File, p.Place.Header = "a\x1b[1m.csv", "\x1b[5mStart"
	text, _ := show(t, []schema.Problem{p})
	if strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("%q", text)
	}
	again := p
	again.Place.Row, again.Message = 3, "other"
	text, _ = show(t, []schema.Problem{p, again})
	if strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("%q", text)
	}
}
