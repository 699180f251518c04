package file

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

var seeds = []string{
	"", "Tea", "a|b", "a\\|b", "```", "<script>alert(1)</script>", "@everyone", "#12", "\x00\x01\x1b[31m", "\xff\xfe", "\ufffe\uffff",
	"]]>", "a\r\nb",
	"::error::x", "a:b,c%0A", "=1+1", "\u202e\u2066", "&amp;", "![x](http://y)", "<!-- -->", "\ud7ff\U0010ffff", "'\"",
}

// hostile is one row whose every text is the given one, with its end.
func hostile(sink finding.Sink, text string) error {
	problem := schema.Problem{
		Code: schema.Code(text), Field: text, Value: text, Message: text, Hint: text,
		Place: schema.Place{File: text, Sheet: text, Row: 3, Line: 3, Column: 1, Header: text},
	}
	warning := problem
	warning.Severity = schema.Warning
	sink.Row(&finding.Row{
		File: text, Sheet: text, Number: 3, Line: 3, Status: "invalid", Action: "invalid", Reason: text,
		Event: finding.Event{Name: text}, Problems: []schema.Problem{problem, warning},
	})
	sink.Row(&finding.Row{File: text, Sheet: text, Number: 4, Line: 4, Status: "skipped", Action: "create", Reason: text})
	sink.Problem(problem)
	return sink.End(&finding.Summary{
		Command: text, Run: text, Sources: []plan.Sheet{{File: text, Sheet: text, Rows: 2}},
		Totals: []finding.Total{{Word: "read", Rows: 2}, {Word: text, Rows: 2}}, Exit: finding.Exit{
			Code: 130, Reason: "interrupted", Error: text, Hint: text,
		},
	})
}

func FuzzXMLAlwaysParses(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		if err := hostile(newJUnit(&b, text), text); err != nil {
			t.Fatal(err)
		}
		in := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			if _, err := in.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, b.String())
			}
		}
	})
}

// bare is a pipe that parts cells.
var bare = regexp.MustCompile(`\|`)

func FuzzMarkdownTablesNeverBreak(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		escaped := markdownText(text, messageMost)
		if strings.ContainsAny(escaped, "|<>\n\r") {
			t.Fatalf("%q became %q", text, escaped)
		}
		escaped = strings.ReplaceAll(escaped, "&#124;", "") // a pipe
		for i := range len(escaped) {
			if c := escaped[i]; strings.IndexByte("`*_[]~$@#", c) >= 0 && (i == 0 || escaped[i-1] != '\\') {
				t.Fatalf("%q became %q: %q stands bare", text, escaped, c)
			}
			if c := escaped[i]; (c == '@' || c == '#') && !strings.HasPrefix(escaped[i+1:], unseen) {
				t.Fatalf("%q became %q: somebody is called", text, escaped)
			}
		}
		var b strings.Builder
		if err := hostile(NewMarkdown(&b, text), text); err != nil {
			t.Fatal(err)
		}
		columns := 0
		for line := range strings.SplitSeq(b.String(), "\n") {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			n := len(bare.FindAllString(line, -1))
			if columns == 0 {
				columns = n
			}
			if n != columns || !strings.HasSuffix(line, "|") {
				t.Fatalf("a row of %d pipes under %d:\n%s", n, columns, b.String())
			}
		}
	})
}

func FuzzAnnotationsAreOneLineEach(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		if err := hostile(newGitHub(&b), text); err != nil {
			t.Fatal(err)
		}
		form := regexp.MustCompile(`^::(error|warning|notice) [^\r\n]*?::[^\r\n]*$`)
		for line := range strings.SplitSeq(strings.TrimSuffix(b.String(), "\n"), "\n") {
			if !form.MatchString(line) {
				t.Fatalf("%q is no annotation, in\n%s", line, b.String())
			}
			properties, _, _ := strings.Cut(line[2:], "::")
			for part := range strings.SplitSeq(strings.SplitN(properties, " ", 2)[1], ",") {
				if name, _, found := strings.Cut(part, "="); !found || name != "file" && name != "line" && name != "title" {
					t.Fatalf("%q has a property %q", line, part)
				}
			}
		}
	})
}

func FuzzTablesAndDocumentsRead(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var table, document strings.Builder
		if err := hostile(newCSV(&table, text), text); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
		if err != nil || len(rows) != 4 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		for _, row := range rows[1:] {
			for _, cell := range row {
				if cell != "" && strings.IndexByte("=@\t\r", cell[0]) >= 0 {
					t.Fatalf("the cell %q may be taken for a formula", cell)
				}
				if strings.ContainsFunc(cell, spelling.Hidden) {
					t.Fatalf("a terminal acts on the cell %q", cell)
				}
			}
		}
		if err := hostile(NewJSON(&document, text), text); err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(document.String())) {
			t.Fatalf("no JSON:\n%s", document.String())
		}
	})
}

func TestNamesOfCasesAreOneShortLine(t *testing.T) {
	var b strings.Builder
	sink := newJUnit(&b, "check")
	name := "Tea\r\nand cake\t" + strings.Repeat("x", 500)
	sink.Row(&finding.Row{File: "a.csv", Number: 2, Status: "valid", Event: finding.Event{Name: name}})
	if err := sink.End(&finding.Summary{}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(
		text, `<testcase name="row 2: Tea and cake xxx`,
	) || strings.Contains(text, strings.Repeat("x", nameMost)) {
		t.Error(text)
	}
}

func TestThePlanOfARunSaysThatNothingWasSent(t *testing.T) {
	for want, requests := range map[string]finding.Requests{
		"Run r, 2 requests planned, none sent.": {Planned: 2},
		"Run r, 3 requests sent.":               {Planned: 2, Made: journal.Made{Sent: 2, Reads: 1}},
		"Run r, nothing to send.":               {},
	} {
		var b strings.Builder
		if err := NewMarkdown(&b, "plan").End(&finding.Summary{Command: "plan", Run: "r", Requests: requests}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
