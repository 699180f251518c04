package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// sayFound says what kind of file it is.
func (a *app) sayFound(t *table, p *match.Proposal) {
	where := printable.Clean(t.file)
	switch {
	case len(t.named) > 1:
		where += ":" + printable.Clean(strings.Join(t.named, ", "))
	case t.sheet != "":
		where += ":" + printable.Clean(t.sheet)
	}
	a.say("%s: %s below the header in row %d\n", where, report.Count(t.columns.Rows(), "row"), t.headerRow)
	if t.remark != "" {
		a.say("%s\n", printable.Clean(t.remark))
	}
	for i := range t.joins {
		j := &t.joins[i]
		columns := printable.Clean(strings.Join(j.Columns, ", "))
		a.say("joined with sheet %q by %s: %s\n", printable.Clean(j.Sheet), printable.Clean(j.On), columns)
	}
	if len(t.hidden) > 0 {
		a.say("hidden columns, which are read like the others: %s\n", printable.Clean(strings.Join(t.hidden, ", ")))
	}
	if len(t.others) > 0 {
		a.say("not read: %s; --sheet names another sheet\n", printable.Clean(printable.Names(t.others)))
	}
	if len(p.Nameless) > 0 {
		names := make([]string, len(p.Nameless))
		for i, column := range p.Nameless {
			names[i] = schema.ColumnName(column)
		}
		a.say("columns without a header, which are not read: %s\n", printable.Names(names))
	}
	switch {
	case p.Source != "":
		a.say("the headers are those of %s\n", p.Source)
	case p.Near != "":
		a.say("the headers are nearly those of %s: eventbatch map show %s says what that expects\n", p.Near, p.Near)
	}
}

// sayQuestions lists what is open, and what follows.
func (a *app) sayQuestions(p *match.Proposal, following []match.Following) {
	for i := range p.Questions {
		word := "open"
		if p.Questions[i].Optional {
			word = "optional"
		}
		a.sayQuestion(word, &p.Questions[i])
	}
	for i := range following {
		f := &following[i]
		a.sayQuestion("with "+printable.Clean(strings.Join(f.After, " or ")), &f.Question)
	}
}

func (a *app) sayQuestion(word string, q *match.Question) {
	a.say("%s: %s\n", word, printable.Clean(q.Text))
	if q.Why != "" {
		a.say("  %s\n", printable.Clean(q.Why))
	}
	a.say("  %s\n", printable.Clean(answering(q)))
}

// answering names the flag that settles a question: with its default, where it has one.
func answering(q *match.Question) string {
	const most, some = 12, 6
	others := slices.DeleteFunc(answersTo(q), func(answer string) bool { return answer == q.Default })
	if more := len(others) - some; len(others) > most {
		others = append(others[:some], fmt.Sprintf("one of %d more, which the mapping lists", more))
	}
	switch {
	case q.Refused:
		return q.Free
	case q.Default == "":
		return "--answer " + quoted(q.ID+"=VALUE") + ", VALUE being " + strings.Join(others, " | ")
	case len(others) == 0:
		return "--answer " + quoted(q.ID+"="+q.Default)
	}
	return "--answer " + quoted(q.ID+"="+q.Default) + ", or instead of " + q.Default + ": " + strings.Join(others, " | ")
}

// sayNext says what to do with the mapping.
func (a *app) sayNext(t *table, p *match.Proposal, output string) {
	if output != "" {
		a.say("mapping: %s\n", a.screen.Path(output))
	}
	name := quoted(t.file)
	flags := []string{"format", "delimiter"}
	if p.Needless() { // else the mapping says them
		flags = append(flags, "encoding", "rows-at")
	}
	how := a.flagsGiven(func(name string) bool { return slices.Contains(flags, name) })
	switch {
	case p.Needless():
		a.say("the headers say it all by themselves, no mapping is needed: eventbatch check %s%s\n", name, how)
	case p.Open() > 0:
	case output != "":
		a.say("next: eventbatch check %s --mapping %s%s\n", name, quoted(output), how)
	default:
		a.say("next: save it and say eventbatch check %s --mapping %s%s\n", name, quoted(mappingName(t.file)), how)
	}
}

// mappingName returns what the mapping of a file is best called.
func mappingName(file string) string {
	base := filepath.Base(file)
	if file == "-" {
		base = "events"
	}
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".map.yaml"
}
