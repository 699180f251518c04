package file

import (
	"cmp"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// everyRow is up to how many rows a sheet's suite lists all of them; of a larger
// one it lists those that something is wrong with, and counts the others.
const everyRow = 10_000

// junitReport is JUnit XML: a suite a sheet, a case a row.
type junitReport struct {
	w       io.Writer
	sheets  []*suite         // of the sources
	files   []schema.Problem // of whole files
	command string
}

// junitXML is the document.
type junitXML struct {
	XMLName struct{} `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	tally
	Suites []*suite `xml:"testsuite"`
}

type suite struct {
	Name string `xml:"name,attr"`
	tally
	Made  string      `xml:"timestamp,attr"`
	Cases []*testcase `xml:"testcase"`
}

type tally struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Seconds  int `xml:"time,attr"` // always 0: rows are not timed
}

type testcase struct {
	Name    string `xml:"name,attr"`
	Class   string `xml:"classname,attr"`
	File    string `xml:"file,attr,omitempty"`
	Line    int    `xml:"line,attr,omitempty"`
	Seconds int    `xml:"time,attr"`
	Skipped *note  `xml:"skipped"`
	Failure *note  `xml:"failure"`
	Error   *note  `xml:"error"`
	Output  string `xml:"system-out,omitempty"`
}

type note struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// newJUnit begins a report for continuous integration.
func newJUnit(w io.Writer, command string) finding.Sink { return &junitReport{w: w, command: command} }

func (r *junitReport) Row(row *finding.Row) {
	for len(r.sheets) <= row.Source {
		r.sheets = append(r.sheets, &suite{Name: "source " + strconv.Itoa(len(r.sheets)+1)})
	}
	s, one := r.sheets[row.Source], caseOf(row)
	s.count(one)
	if s.Tests == everyRow+1 {
		s.Cases = slices.DeleteFunc(s.Cases, (*testcase).plain)
	}
	if s.Tests <= everyRow || !one.plain() {
		s.Cases = append(s.Cases, one)
	}
}

func (r *junitReport) Problem(p schema.Problem) { r.files = append(r.files, p) }

func (t *tally) count(c *testcase) {
	t.Tests++
	switch {
	case c.Failure != nil:
		t.Failures++
	case c.Error != nil:
		t.Errors++
	case c.Skipped != nil:
		t.Skipped++
	}
}

// plain reports whether there is nothing to say of a row.
func (c *testcase) plain() bool { return c.Failure == nil && c.Skipped == nil && c.Output == "" }

// caseOf returns the case of a row.
func caseOf(row *finding.Row) *testcase {
	c := &testcase{
		Name: "row " + strconv.Itoa(row.Number), Class: schema.Place{File: row.File, Sheet: row.Sheet}.String(),
		File: row.File, Line: max(row.Line, 0),
		Output: told(row.Problems, schema.Warning),
	}
	if row.Missing {
		c.Name = "gone: " + printable.Brief(row.Event.Key, nameMost)
	}
	if event := printable.Brief(row.Event.Name, nameMost); event != "" {
		c.Name += ": " + event // on one line: it is shown in lists
	}
	switch {
	case row.Status.Bad():
		c.Failure = &note{Type: string(row.Status), Message: row.Why(), Text: told(row.Problems, schema.Error)}
		isError := func(p schema.Problem) bool { return p.Severity == schema.Error }
		if i := slices.IndexFunc(row.Problems, isError); i >= 0 {
			c.Failure.Type, c.Failure.Message = string(row.Problems[i].Code), lineOf(&row.Problems[i])
		}
	case row.Action == "skip" || row.Status == "skipped" || row.Status == "pending":
		c.Skipped = &note{Message: cmp.Or(row.Why(), row.Status.Words())}
	}
	return c
}

// told lists problems, a line each with its hint.
func told(problems []schema.Problem, severity schema.Severity) string {
	var lines []string
	for i := range problems {
		p := &problems[i]
		if p.Severity != severity {
			continue
		}
		line := lineOf(p)
		if p.Hint != "" {
			line += " (" + p.Hint + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func lineOf(p *schema.Problem) string {
	at := strings.TrimSpace(p.Place.Cell() + " " + p.Place.Header)
	if at == "" {
		return p.Message
	}
	return at + ": " + p.Message
}

// End writes the document.
func (r *junitReport) End(s *finding.Summary) error {
	doc := junitXML{Name: "eventbatch " + r.command}
	for i, one := range r.sheets {
		if i < len(s.Sources) {
			one.Name = schema.Place{File: s.Sources[i].File, Sheet: s.Sources[i].Sheet}.String()
		}
		doc.Failures += one.Failures
	}
	doc.Suites = slices.Concat(r.sheets, r.wholes(s, doc.Failures > 0))
	doc.Failures = 0
	for _, one := range doc.Suites {
		one.Made = s.Made.UTC().Format(time.RFC3339)
		doc.Tests, doc.Failures = doc.Tests+one.Tests, doc.Failures+one.Failures
		doc.Errors, doc.Skipped = doc.Errors+one.Errors, doc.Skipped+one.Skipped
	}
	text, err := xml.MarshalIndent(&doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(r.w, xml.Header+string(text)+"\n")
	return err
}

// wholes returns the suites of what is wrong with whole files, and of an end of the
// command that no row and no file explains.
func (r *junitReport) wholes(s *finding.Summary, explained bool) []*suite {
	var list []*suite
	add := func(name string, c *testcase) {
		if len(list) == 0 || list[len(list)-1].Name != name {
			list = append(list, &suite{Name: name})
		}
		one := list[len(list)-1]
		c.Class = name
		one.count(c)
		one.Cases = append(one.Cases, c)
	}
	for i := range r.files {
		p := &r.files[i]
		c := &testcase{Name: strings.TrimSpace(string(p.Code) + " " + p.Place.Cell())}
		text := told(r.files[i:i+1], p.Severity)
		if p.Severity == schema.Error {
			c.Error, explained = &note{string(p.Code), p.Message, text}, true
		} else {
			c.Output = text
		}
		add(p.Place.File+" as a whole", c)
	}
	if s.Exit.Error != "" && (!explained || s.Exit.Reason == "interrupted") {
		text := strings.TrimSpace(s.Exit.Error + "\n" + s.Exit.Hint)
		add("eventbatch "+r.command, &testcase{Name: s.Exit.Reason, Error: &note{s.Exit.Reason, s.Exit.Error, text}})
	}
	return list
}
