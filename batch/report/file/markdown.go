package file

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// What a comment on a pull request may hold, in bytes, with room for what ends it.
// The platforms count characters, of which there are never more.
const (
	commentMost = 65_536
	commentRoom = commentMost - 2_048
)

// markdownReport is a summary for a comment on a pull request.
type markdownReport struct {
	w      io.Writer
	groups finding.Groups

	changes []string // lines of the table, as far as there may be room
	changed int      // fields that change
	room    int      // that the lines take
}

// NewMarkdown begins a summary that fits into a comment on a pull request.
func NewMarkdown(w io.Writer, _ string) finding.Sink { return &markdownReport{w: w} }

func (r *markdownReport) Row(row *finding.Row) {
	addAll(&r.groups, row)
	for i := range row.Changes {
		change := &row.Changes[i]
		if change.Decided() == "same" {
			continue
		}
		if r.changed++; r.room > commentRoom {
			continue
		}
		before := "?"
		if change.Known {
			before = markdownText(change.Before, nameMost)
		}
		line := tableRow(
			rowOf(row), markdownText(cmp.Or(row.Event.Key, row.Event.Name), nameMost),
			markdownText(change.Field, nameMost), before, after(change),
		)
		r.changes, r.room = append(r.changes, line), r.room+len(line)
	}
}

// rowOf names a row, of a workbook with its sheet: Events!4.
func rowOf(row *finding.Row) string {
	number := printable.Number(row.Number)
	if row.Sheet == "" {
		return number
	}
	return markdownText(row.Sheet, nameMost) + "!" + number
}

// after says what becomes of a field.
func after(c *finding.Change) string {
	mine := markdownText(c.After, nameMost)
	switch {
	case c.Stays() != "":
		words := "left: " + markdownText(c.Stays(), nameMost)
		if c.After != "" {
			words += "; not sent: " + mine
		}
		return words
	case c.Decided() == "conflict":
		words := "**conflict**: the file says " + mine
		if was := c.Base; was != nil {
			words += ", and it was " + markdownText(*was, nameMost)
		}
		return words
	}
	return mine
}

// table writes what updates change, as far as there is room.
func (r *markdownReport) table(b *strings.Builder) {
	if r.changed == 0 {
		return
	}
	fmt.Fprintf(
		b, "\n### %s\n\n%s%s", printable.Count(r.changed, "change"), tableRow("Row", "Key", "Field", "Before", "After"),
		tableRow("---:", "---", "---", "---", "---"),
	)
	for i, line := range r.changes {
		if b.Len()+len(line) > commentRoom {
			fmt.Fprintf(b, "\n%s more that there is no room for here.\n", printable.Number(r.changed-i))
			return
		}
		b.WriteString(line)
	}
}

func (r *markdownReport) Problem(p schema.Problem) { r.groups.Add(&p) }

// End writes the summary.
func (r *markdownReport) End(s *finding.Summary) error {
	var b strings.Builder
	sign := "✅"
	if s.Exit.Code != 0 {
		sign = "❌"
	}
	fmt.Fprintf(&b, "## %s eventbatch %s: %s\n", sign, markdownText(s.Command, nameMost), markdownText(verdict(s), messageMost))
	if s.Exit.Hint != "" {
		fmt.Fprintf(&b, "\n%s\n", markdownText(s.Exit.Hint, messageMost))
	}
	r.totals(&b, s)
	r.sources(&b, s)
	r.reached(&b, s)
	r.ahead(&b, s.Ahead)
	r.list(&b, schema.Error, "error", len(s.Sources) > 1)
	r.list(&b, schema.Warning, "warning", len(s.Sources) > 1)
	r.table(&b)
	if len(s.LeftBehind) > 0 {
		fmt.Fprintf(&b, "\nLeft behind: %s.\n", markdownText(schema.LeftBehindWords(s.LeftBehind), messageMost))
	}
	for _, note := range s.Notes {
		fmt.Fprintf(&b, "\nNote: %s.\n", markdownText(note, messageMost))
	}
	if s.Run != "" {
		fmt.Fprintf(&b, "\nRun %s, %s.\n", markdownText(s.Run, nameMost), requests(&s.Requests))
	}
	_, err := io.WriteString(r.w, b.String())
	return err
}

// totals writes the table of the numbers of rows: those that are not nought.
func (r *markdownReport) totals(b *strings.Builder, s *finding.Summary) {
	var words, lines, rows []string
	for _, t := range s.Totals {
		if t.Rows > 0 || t.Word == "read" || s.Run == "" {
			words, lines = append(words, markdownText(finding.Status(t.Word).Words(), nameMost)), append(lines, "---:")
			rows = append(rows, printable.Number(t.Rows))
		}
	}
	if len(words) > 0 {
		fmt.Fprintf(b, "\n%s%s%s", tableRow(words...), tableRow(lines...), tableRow(rows...))
	}
}

// mostReached is how many of the events are listed whose people were reached.
const mostReached = 50

// reached writes what the run has done to people and money, and by event.
func (r *markdownReport) reached(b *strings.Builder, s *finding.Summary) {
	if s.Reached == nil {
		return
	}
	fmt.Fprintf(b, "\n### Who was told, by run %s\n\n", markdownText(s.Run, nameMost))
	for _, line := range s.Reached.Lines() {
		fmt.Fprintf(b, "- **%s**\n", markdownText(line, messageMost))
	}
	for i, e := range s.Reached.Events {
		if i == 0 {
			fmt.Fprintf(b, "\n%s%s", tableRow("Event", "Told"), tableRow("---", "---"))
		}
		if i == mostReached {
			fmt.Fprintf(b, "\n%s more: eventbatch show %s --told\n", printable.Count(len(s.Reached.Events)-i, "event"), s.Run)
			return
		}
		b.WriteString(tableRow(markdownText(e.Called(), nameMost), markdownText(e.Told, nameMost)))
	}
}

// ahead writes what is left to do.
func (r *markdownReport) ahead(b *strings.Builder, ahead *finding.Ahead) {
	if ahead == nil {
		return
	}
	fmt.Fprintf(b, "\nStill to be sent: %s.\n", ahead.Requests)
	if len(ahead.Effects)+len(ahead.Stays) > 0 {
		b.WriteByte('\n')
	}
	for _, words := range ahead.Effects {
		fmt.Fprintf(b, "- **%s**\n", markdownText(words, messageMost))
	}
	for _, words := range ahead.Stays {
		fmt.Fprintf(b, "- %s\n", markdownText(words, messageMost))
	}
}

// mostSources is how many sheets are listed.
const mostSources = 20

func (r *markdownReport) sources(b *strings.Builder, s *finding.Summary) {
	if len(s.Sources) == 0 {
		return
	}
	b.WriteByte('\n')
	for i, source := range s.Sources {
		if i == mostSources {
			fmt.Fprintf(b, "- and %s more\n", printable.Number(len(s.Sources)-i))
			return
		}
		name := schema.Place{File: source.File, Sheet: source.Sheet}.String()
		fmt.Fprintf(b, "- %s: %s\n", markdownText(name, nameMost), printable.Count(source.Rows, "row"))
	}
}

// list writes the table of the groups of one severity, as far as there is room.
func (r *markdownReport) list(b *strings.Builder, severity schema.Severity, title string, several bool) {
	list, left := r.groups.Largest(severity)
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(
		b, "\n### %s\n\n%s%s", printable.Count(left, title), tableRow("Times", "Column", "What is wrong", "Where first"),
		tableRow("---:", "---", "---", "---"),
	)
	for i, g := range list {
		line := r.line(g, several)
		if b.Len()+len(line) > commentRoom {
			fmt.Fprintf(
				b, "\n%s more in %s that there is no room for here.\n", printable.Number(left),
				printable.Count(len(list)-i, "group"),
			)
			return
		}
		b.WriteString(line)
		left -= g.N
	}
}

func (r *markdownReport) line(g *finding.Group, several bool) string {
	p := &g.First
	column := p.Place.Header
	if column == "" {
		column = p.Field
	}
	message := markdownText(p.Message, messageMost)
	if !g.Alike() {
		message += " (and the like)"
	}
	if p.Hint != "" {
		message += "<br>" + markdownText(p.Hint, messageMost)
	}
	where := cells(g)
	if several || where == "" {
		where = strings.TrimSpace(markdownText(schema.Place{File: p.Place.File, Sheet: p.Place.Sheet}.String(), nameMost) + " " + where)
	}
	return tableRow(printable.Number(g.N), markdownText(column, nameMost), message, where)
}
