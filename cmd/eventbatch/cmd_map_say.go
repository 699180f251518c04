package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
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
	switch {
	case p.Source != "":
		a.say("the headers are those of %s\n", p.Source)
	case p.Near != "":
		a.say("the headers are nearly those of %s: eventbatch map show %s says what that expects\n", p.Near, p.Near)
	}
}

// sayProposal shows the mapping with its reasons.
func (a *app) sayProposal(p *match.Proposal) {
	wide, middle := 0, 0
	for _, l := range p.Lines {
		wide, middle = max(wide, utf8.RuneCountInString(l.At)), max(middle, utf8.RuneCountInString(fed(&l)))
	}
	for _, i := range p.Ignored {
		middle = max(middle, utf8.RuneCountInString(printable.Clean(i.Header)))
	}
	wide, middle = min(wide, 24), min(middle, 28)
	a.say("\n")
	line := func(field, from, why string) {
		a.say("  %s  %s  %s\n", pad(field, wide), pad(from, middle), why)
	}
	for _, l := range p.Lines {
		why := string(l.Basis) + ": " + l.Reason
		if l.Basis == match.ByAnswer {
			why = l.Reason
		}
		if l.Doubt != "" {
			why += "; but " + l.Doubt
		}
		line(l.At, fed(&l), printable.Clean(why))
	}
	for _, i := range p.Ignored {
		line("-", printable.Clean(i.Header), printable.Clean(i.Reason))
	}
	a.say("\n")
}

func fed(l *match.Line) string {
	return printable.Clean(strings.Join(l.Columns, " + "))
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// sayDrafts shows what the first rows become. A file that cannot be read twice, and
// a mapping with questions open, show nothing.
func (a *app) sayDrafts(ctx context.Context, t *table, p *match.Proposal) {
	const rows = 3
	if readOnce(t.file) || p.Open() > 0 {
		return
	}
	f := p.File
	reading, err := mapping.Read(ctx, mapping.Config{
		Files: []string{t.file}, Format: t.options.Format, Encoding: t.options.Encoding, Delimiter: t.options.Delimiter,
		Mapping: &f, Sheet: t.sheet, HeaderRow: t.headerRow, Limit: rows, Now: time.Now(),
	})
	if err != nil {
		return // check will tell it at length
	}
	for result, err := range reading.Results(ctx) {
		if err != nil {
			return
		}
		d := result.Draft
		a.say("  row %d: %s\n", d.Place.Row, draftWords(d))
		for _, problem := range result.Problems {
			if problem.Severity == schema.Error {
				a.say("    %s: %s\n", problem.Place.Cell(), printable.Clean(problem.Message))
				break
			}
		}
	}
	a.say("\n")
}

func draftWords(d *schema.Draft) string {
	ids := []schema.ID{
		schema.FieldEventID, schema.FieldName, schema.FieldStartAt, schema.FieldEndAt, schema.FieldTimezone, schema.FieldAddress,
		schema.FieldVisibility,
	}
	if d.Resource != schema.Events {
		ids = nil
		for i := range d.Resource.Own {
			ids = append(ids, d.Resource.Own[i].ID)
		}
	}
	var words []string
	for _, id := range ids {
		if s := d.Get(id); s != nil && s.State == schema.Set && s.Text != "" {
			words = append(words, printable.Brief(s.Text, 60))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, " · ")
}

// sayQuestions lists what is open.
func (a *app) sayQuestions(p *match.Proposal) {
	for i := range p.Questions {
		q := &p.Questions[i]
		word := "open"
		if q.Optional {
			word = "optional"
		}
		a.say("%s: %s\n", word, printable.Clean(q.Text))
		if q.Why != "" {
			a.say("  %s\n", printable.Clean(q.Why))
		}
		a.say("  --answer %s=… %s\n", quoted(printable.Clean(q.ID)), printable.Clean(strings.Join(answersTo(q), " | ")))
	}
}

// sayNext says what to do with the mapping.
func (a *app) sayNext(t *table, p *match.Proposal, output string) {
	if output != "" {
		a.say("mapping: %s\n", a.screen.Path(output))
	}
	name := quoted(t.file)
	how := a.flagsGiven("format", "encoding", "delimiter")
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
