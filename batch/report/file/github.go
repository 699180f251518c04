package file

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// mostAnnotations is how many of each severity are made of one command: a step
// of a workflow shows no more.
const mostAnnotations = 10

// githubReport annotates the lines of the input in a workflow of GitHub.
type githubReport struct {
	w      io.Writer
	groups finding.Groups
}

// newGitHub begins annotations: workflow commands, one line each.
func newGitHub(w io.Writer) finding.Sink { return &githubReport{w: w} }

func (r *githubReport) Row(row *finding.Row) { addAll(&r.groups, row) }

func (r *githubReport) Problem(p schema.Problem) { r.groups.Add(&p) }

// End writes the annotations, one for each group of problems: ten that say the
// same of ten rows would be all that is shown.
func (r *githubReport) End(s *finding.Summary) error {
	var b strings.Builder
	told := false
	for _, severity := range []schema.Severity{schema.Error, schema.Warning} {
		list, left := r.groups.Largest(severity)
		for i, g := range list {
			if i == mostAnnotations {
				groups := printable.Count(len(list)-i, "group")
				notice(&b, printable.Count(left, severity.String())+" more in "+groups+": other reports hold every one")
				break
			}
			told = told || severity == schema.Error
			annotation(&b, g)
			left -= g.N
		}
	}
	switch {
	case s.Exit.Error != "" && !told:
		fmt.Fprintf(&b, "::error title=%s::%s\n", annotationValue("eventbatch "+s.Command), annotationText(printable.Clean(s.Exit.Error)))
	default:
		notice(&b, verdict(s))
	}
	if s.Reached != nil {
		notice(&b, s.Reached.Words())
	}
	if s.Ahead != nil {
		notice(&b, "still to be sent: "+strings.Join(append([]string{s.Ahead.Requests}, s.Ahead.Effects...), "; "))
	}
	_, err := io.WriteString(r.w, b.String())
	return err
}

// annotation writes one workflow command.
func annotation(b *strings.Builder, g *finding.Group) {
	p := &g.First
	properties := []string{"file=" + annotationValue(p.Place.File)}
	if p.Place.Line > 0 {
		properties = append(properties, "line="+strconv.Itoa(p.Place.Line))
	}
	title := strings.TrimSpace(p.Place.Sheet + " " + p.Place.Cell() + " " + string(p.Code))
	properties = append(properties, "title="+annotationValue(printable.Clean(title)))
	message := printable.Clean(p.Message)
	if g.N > 1 {
		message += "\n" + printable.Count(g.N, "time") + ": " + cells(g)
	}
	if p.Hint != "" {
		message += "\nhint: " + printable.Clean(p.Hint)
	}
	fmt.Fprintf(b, "::%s %s::%s\n", p.Severity, strings.Join(properties, ","), annotationText(message))
}

func notice(b *strings.Builder, text string) {
	fmt.Fprintf(b, "::notice title=eventbatch::%s\n", annotationText(printable.Clean(text)))
}
