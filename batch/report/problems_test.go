package report

import (
	"fmt"
	"strings"
	"testing"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// at makes a problem of column C.
func at(row int, code schema.Code, message, hint string) schema.Problem {
	return schema.Problem{
		Severity: catalog.Severity(code), Code: code, Field: "start_at", Message: message, Hint: hint,
		Place: schema.Place{File: "a.csv", Row: row, Line: row, Column: 2, Header: "Start"},
	}
}

func show(t *testing.T, problems []schema.Problem) (text string, cut bool) {
	t.Helper()
	s, out := page(0)
	var p Problems
	for _, problem := range problems {
		p.Problem(problem)
	}
	cut = p.show(s)
	return out.String(), cut
}

func TestNoProblemIsNoWord(t *testing.T) {
	if text, cut := show(t, nil); text != "" || cut {
		t.Errorf("%q %t", text, cut)
	}
}

func TestOneProblemIsOneLine(t *testing.T) {
	late := at(3, schema.CodeBadTime, `"late" is not a date`, "write a date")
	late.Value = "late"
	text, cut := show(t, []schema.Problem{late})
	equal(t, `a.csv:3:C3: error: "late" is not a date [bad-time]
  hint: write a date
`, text)
	if cut {
		t.Error("nothing was left out")
	}

	// Of a file whose rows are counted, the name is said with them.
	s, out := page(0)
	var p Problems
	p.Screen, p.Sheets = s, true
	p.Problem(late)
	if err := p.End(&finding.Summary{Sources: []plan.Sheet{{File: "none.csv", Rows: 1}, {File: "a.csv", Rows: 12}}}); err != nil {
		t.Error(err)
	}
	equal(t, `none.csv: 1 row
a.csv: 12 rows

C3: error: "late" is not a date [bad-time]
  hint: write a date

`, out.String())
}

func TestTheValueIsShownOnce(t *testing.T) {
	for _, test := range []struct {
		code           schema.Code
		value, message string
		want           string
	}{
		{schema.CodeNoZone, "2027-03-20 18:00", "the time has no offset", `"2027-03-20 18:00": the time has no offset`},
		{schema.CodeBadTime, "late", `"late" is not a date`, `"late" is not a date`},
		{schema.CodeBadText, `12" night`, `"12\" night" is not a name`, `"12\" night" is not a name`},
		{schema.CodeDuplicateKey, "a", `the key "a" is already in row 6`, `the key "a" is already in row 6`},
		{schema.CodeDSTGap, "14.3.27 2:30", "2027-03-14T02:30:00 does not exist", "2027-03-14T02:30:00 does not exist"},
		{schema.CodeMissingValue, "", "name is missing", "name is missing"},
		{
			schema.CodeBadText, strings.Repeat("long ", 30), "too long",
			`"` + strings.TrimSpace(strings.Repeat("long ", 12)) + `…": too long`,
		},
	} {
		p := schema.Problem{Code: test.code, Value: test.value, Message: test.message}
		if got := WithValue(&p); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// Three columns with the same mistake have the same hint, said once.
func TestColumnsThatOneHintHelpsAreABlock(t *testing.T) {
	of := func(column int, row int, value string) schema.Problem {
		p := at(row, schema.CodeBadTime, `"`+value+`" is not a time`, "write 18:30")
		p.Place.Column, p.Place.Header, p.Value = column, []string{"", "Doors", "start_at", "End"}[column], value
		return p
	}
	text, _ := show(t, []schema.Problem{
		of(2, 2, "14h"), of(2, 3, "17h"), of(2, 4, "14h"), at(3, schema.CodeNoZone, "no zone", "say it"),
		of(1, 5, "noon"), of(3, 5, "late"), of(3, 9, "later"),
	})
	equal(t, `a.csv

B5: error: "noon" is not a time [bad-time]
column C (start_at): error: the value is not a time, 3 times [bad-time]
  C2, C4  "14h"
  C3      "17h"
column D (End): error: start_at: the value is not a time, 2 times [bad-time]
  D5  "late"
  D9  "later"
  hint: write 18:30

C3: error: no zone [no-zone]
  hint: say it

`, text)
}

// A cell of a text file is found by its line too, where the rows before it have
// several lines.
func TestALineOfItsOwnIsSaid(t *testing.T) {
	p := at(7, schema.CodeNoZone, "no zone", "")
	p.Place.Line = 9
	text, _ := show(t, []schema.Problem{p, at(2, schema.CodeBadTime, "late", "")})
	equal(t, "a.csv\n\nC2: error: late [bad-time]\n\nC7 (line 9): error: no zone [no-zone]\n\n", text)
}

func TestProblemsThatSayTheSameAreOneGroup(t *testing.T) {
	var list []schema.Problem
	for row := 2; row <= 21; row++ {
		list = append(list, at(row, schema.CodeNoZone, "the time has no offset", "say --timezone"))
	}
	text, cut := show(t, list)
	equal(t, `a.csv

column C (Start): error: the time has no offset, 20 times [no-zone]
  C2, C3, C4, C5, C6 and 15 more
  hint: say --timezone

`, text)
	if !cut {
		t.Error("15 were left out")
	}
	text, cut = show(t, list[:5])
	equal(t, `a.csv

column C (Start): error: the time has no offset, 5 times [no-zone]
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
	equal(t, `a.csv

column C (Start): error: start_at: the time does not exist on that day, 2 times [dst-gap]
  C2   02:30 does not exist
       hint: write 03:30
  C30  02:45 does not exist
       hint: write 03:45

`, text)
}

func TestOneHintIsSaidOnceForItsMessages(t *testing.T) {
	column := func(i int, name, hint string) schema.Problem {
		p := at(1, schema.CodeUnmatchedColumn, fmt.Sprintf("%q matches no field", name), hint)
		p.Place.Column, p.Place.Header, p.Value, p.Field = i, name, name, ""
		return p
	}
	text, _ := show(t, []schema.Problem{
		column(4, "Notes", "name it"), column(5, "Tags", "tags are not imported"),
		column(6, "Who", "name it"), column(7, "Hosts", "hosts are not imported"),
	})
	equal(t, `a.csv

warning: a column feeds no field, 4 times [unmatched-column]
  E1  "Notes"
  G1  "Who"
      hint: name it
  F1  "Tags"
      hint: tags are not imported
  H1  "Hosts"
      hint: hosts are not imported

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
	equal(t, `a.csv

column C (Start): error: start_at: the value is no date or time, 20,000 times [bad-time]
  C2, C3, C4 and 19,977 more  monday is no date
  C1001                       day 999 is no date
  C2001                       day 1999 is no date
  C3001                       day 2999 is no date
  C4001                       day 3999 is no date
  and 16 more
  hint: write a date

`, strings.Replace(text, titleOfCode(t, schema.CodeBadTime), "the value is no date or time", 1))
	if !cut {
		t.Error("most were left out")
	}
}

func titleOfCode(t *testing.T, code schema.Code) string {
	t.Helper()
	info, ok := catalog.Lookup(code)
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
	equal(t, `z.xlsx:May

C4: error: no zone [no-zone]

C9: error: late [bad-time]

warning: a column feeds no field, 2 times [unmatched-column]
  C1  "Notes"
  H1  "Who"
  hint: name it

a.xlsx:June!C2: error: early [bad-time]
`, text)

	s, out := page(0)
	s.quiet = true
	var p Problems
	for _, problem := range list {
		p.Problem(problem)
	}
	p.show(s)
	if strings.Contains(out.String(), "warning") || p.Warnings != 2 {
		t.Errorf("quiet: %d warnings:\n%s", p.Warnings, out)
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
	equal(t, `a.csv

error: key refused, 2 times [blocked]
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
