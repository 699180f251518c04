package file

import (
	"fmt"
	"io"
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
	command string
	suites  []*suite // of the sources
	files   []schema.Problem
	failing bool
}

// suite is one sheet. Its numbers stand before its cases, which wait for them.
type suite struct {
	rows    int
	failed  int
	skipped int
	some    spool // the cases that are not plain
	all     spool // all of them, of a sheet that is not large
}

// NewJUnit begins a report for continuous integration.
func NewJUnit(w io.Writer, command string) finding.Sink { return &junitReport{w: w, command: command} }

func (r *junitReport) Row(row *finding.Row) error {
	for len(r.suites) <= row.Source {
		r.suites = append(r.suites, &suite{})
	}
	s := r.suites[row.Source]
	s.rows++
	text, plain := testcase(row)
	switch {
	case failed(row):
		s.failed, r.failing = s.failed+1, true
	case strings.Contains(text, "<skipped"):
		s.skipped++
	}
	if s.rows > everyRow {
		s.all.close()
	} else if _, err := io.WriteString(&s.all, text); err != nil {
		return err
	}
	if plain {
		return nil
	}
	_, err := io.WriteString(&s.some, text)
	return err
}

func (r *junitReport) Problem(p schema.Problem) error {
	r.files = append(r.files, p)
	return nil
}

// testcase writes a row; plain tells that there is nothing to say of it.
func testcase(row *finding.Row) (text string, plain bool) {
	name := "row " + strconv.Itoa(row.Number)
	if event := printable.Brief(row.Event.Name, nameMost); event != "" {
		name += ": " + event // on one line: it is shown in lists
	}
	var b strings.Builder
	fmt.Fprintf(
		&b, "    <testcase name=\"%s\" classname=\"%s\" file=\"%s\"", xmlText(name), xmlText(sourceName(row.File, row.Sheet)),
		xmlText(row.File),
	)
	if row.Line > 0 {
		fmt.Fprintf(&b, " line=\"%d\"", row.Line)
	}
	b.WriteString(" time=\"0\"")
	inside := verdictOf(row)
	if warnings := told(row.Problems, schema.Warning); warnings != "" {
		inside += "      <system-out>" + xmlText(warnings) + "</system-out>\n"
	}
	if inside == "" {
		b.WriteString("/>\n")
		return b.String(), true
	}
	b.WriteString(">\n" + inside + "    </testcase>\n")
	return b.String(), false
}

// verdictOf writes what is wrong with a row, or why nothing was done about it.
func verdictOf(row *finding.Row) string {
	if !failed(row) {
		if row.Action == "skip" || row.Status == "skipped" || row.Status == "pending" {
			reason := row.Reason
			if reason == "" {
				reason = word(row.Status)
			}
			return fmt.Sprintf("      <skipped message=\"%s\"/>\n", xmlText(reason))
		}
		return ""
	}
	message, kind := row.Reason, row.Status
	for i := range row.Problems {
		if p := &row.Problems[i]; p.Severity == schema.Error {
			message, kind = lineOf(p), string(p.Code)
			break
		}
	}
	return fmt.Sprintf(
		"      <failure type=\"%s\" message=\"%s\">%s</failure>\n", xmlText(kind), xmlText(message),
		xmlText(told(row.Problems, schema.Error)),
	)
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
	at := p.Place.Cell()
	if p.Place.Header != "" {
		at = strings.TrimSpace(at + " " + p.Place.Header)
	}
	if at == "" {
		return p.Message
	}
	return at + ": " + p.Message
}

// End writes the whole, as the numbers of a suite stand before its cases.
func (r *junitReport) End(s *finding.Summary) error {
	defer func() {
		for _, one := range r.suites {
			one.some.close()
			one.all.close()
		}
	}()
	wholes := r.wholes(s)
	tests, failures, errs, skipped := 0, 0, 0, 0
	for _, one := range r.suites {
		tests, failures, skipped = tests+one.rows, failures+one.failed, skipped+one.skipped
	}
	for _, one := range wholes {
		tests, errs = tests+one.cases, errs+one.errors
	}
	made := s.Made.UTC().Format(time.RFC3339)
	out := &xmlWriter{w: r.w}
	out.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	out.printf("<testsuites name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"0\">\n",
		xmlText("eventbatch "+r.command), tests, failures, errs, skipped)
	for i, one := range r.suites {
		name := "source " + strconv.Itoa(i+1)
		if i < len(s.Sources) {
			name = sourceName(s.Sources[i].File, s.Sources[i].Sheet)
		}
		out.printf("  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"0\" timestamp=\"%s\">\n",
			xmlText(name), one.rows, one.failed, one.skipped, made)
		cases := &one.all
		if one.rows > everyRow {
			cases = &one.some
		}
		out.cases(cases)
		out.printf("  </testsuite>\n")
	}
	for _, one := range wholes {
		out.printf("  <testsuite name=\"%s\" tests=\"%d\" failures=\"0\" errors=\"%d\" skipped=\"0\" time=\"0\" timestamp=\"%s\">\n",
			xmlText(one.name), one.cases, one.errors, made)
		out.printf("%s  </testsuite>\n", one.text)
	}
	out.printf("</testsuites>\n")
	return out.fail
}

// whole is a suite of what is wrong with a whole file, or with the command.
type whole struct {
	name          string
	cases, errors int
	text          string
}

// wholes gathers the problems of whole files, and an end that no row explains.
func (r *junitReport) wholes(s *finding.Summary) []*whole {
	var list []*whole
	add := func(name, test, kind, message, text string, bad bool) {
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, &whole{name: name})
		}
		one := list[len(list)-1]
		one.cases++
		element := "      <system-out>" + xmlText(text) + "</system-out>\n"
		if bad {
			one.errors++
			element = fmt.Sprintf("      <error type=\"%s\" message=\"%s\">%s</error>\n", xmlText(kind), xmlText(message), xmlText(text))
		}
		one.text += fmt.Sprintf(
			"    <testcase name=\"%s\" classname=\"%s\" time=\"0\">\n%s    </testcase>\n", xmlText(test), xmlText(name), element,
		)
	}
	explained := r.failing
	for i := range r.files {
		p := &r.files[i]
		bad := p.Severity == schema.Error
		explained = explained || bad
		add(
			p.Place.File+" as a whole", strings.TrimSpace(string(p.Code)+" "+p.Place.Cell()), string(p.Code), p.Message,
			told(r.files[i:i+1], p.Severity), bad,
		)
	}
	if s.Exit.Error != "" && (!explained || s.Exit.Reason == "interrupted") {
		add("eventbatch "+r.command, s.Exit.Reason, s.Exit.Reason, s.Exit.Error, strings.TrimSpace(s.Exit.Error+"\n"+s.Exit.Hint), true)
	}
	return list
}

// xmlWriter writes until something goes wrong.
type xmlWriter struct {
	w    io.Writer
	fail error
}

func (x *xmlWriter) printf(format string, args ...any) {
	if x.fail == nil {
		_, x.fail = fmt.Fprintf(x.w, format, args...)
	}
}

// cases copies the cases of a suite.
func (x *xmlWriter) cases(cases *spool) {
	if x.fail == nil {
		x.fail = cases.copyTo(x.w)
	}
}
