package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"eventbatch/batch/report"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/spelling"
)

// sayNext says what to do with the mapping.
func (c *mapCommand) sayNext(t *match.Table, p *match.Proposal, output string) {
	if output != "" {
		c.say("mapping: %s\n", c.screen.Path(output))
	}
	name := spelling.Quoted(t.File)
	flags := []string{"format", "delimiter"}
	if p.Needless() { // else the mapping says them
		flags = append(flags, "encoding", "rows-at")
	}
	how := c.flagsGiven(func(name string) bool { return slices.Contains(flags, name) })
	switch {
	case p.Needless():
		c.say("the headers say it all by themselves, no mapping is needed: eventbatch check %s%s\n", name, how)
	case p.Open() > 0:
	case output != "":
		c.say("next: eventbatch check %s --mapping %s%s\n", name, spelling.Quoted(output), how)
	default:
		c.say("next: save it and say eventbatch check %s --mapping %s%s\n", name, spelling.Quoted(mappingName(t.File)), how)
	}
}

// idleAnswer refuses an answer that does nothing.
func (c *mapCommand) idleAnswer(t *match.Table, p *match.Proposal) error {
	idle := t.Idle(p, t.Config)
	for idle != nil && idle.Question == nil && c.flagged()[idle.ID] != "" { // a file may have no times, or none yet
		p.Unused = slices.DeleteFunc(p.Unused, func(id string) bool { return id == idle.ID })
		idle = t.Idle(p, t.Config)
	}
	switch {
	case idle == nil:
		return nil
	case idle.Question != nil:
		return unfit(idle.Question, t.Config.Answers[idle.ID])
	case idle.Overtaken:
		return usagef("--answer %s: the other answers settle it otherwise", idle.ID).hinted("leave it out")
	default:
		hint := "no question is open"
		if len(p.Questions) > 0 {
			ids := make([]string, len(p.Questions))
			for i := range p.Questions {
				ids[i] = p.Questions[i].ID
			}
			hint = "asked so far: " + strings.Join(ids, ", ")
		}
		return usagef("--answer %s: there is no such question", idle.ID).hinted(hint)
	}
}

// unfit says what a question takes that another answer was given to.
func unfit(q *match.Question, answer string) error {
	if q.Refused {
		return usagef("--answer %s: no answer settles it", q.ID).hinted(q.Free)
	}
	may := q.Takes()
	if offers := q.Offers(answer); len(offers) > 0 {
		may = (&match.Question{Choices: offers}).Takes()
	}
	return usagef("--answer %s: that is not an answer to it", q.ID).hinted("write " + strings.Join(may, ", or "))
}

// showGiven shows what a mapping that is there reads from a file.
func (c *mapCommand) showGiven(ctx context.Context, file string) (err error) {
	if len(c.answers) > 0 || c.output != "" {
		return usagef("--mapping shows a mapping that is there").hinted("leave out --answer and --output, or change the mapping itself")
	}
	if c.given, err = mapfile.Load(c.mapping); err != nil {
		return err
	}
	c.encoding, c.rowsAt = cmp.Or(c.encoding, c.given.Encoding), cmp.Or(c.rowsAt, c.given.RowsAt)
	c.resource = cmp.Or(c.resource, c.given.Resource)
	table, err := c.readFor(ctx, file, 0)
	if err != nil {
		return because(ctx, err)
	}
	proposal := table.Given(table.Config, c.given)
	if c.global.json {
		text, err := c.given.Encode()
		if err != nil {
			return err
		}
		doc := report.ProposedOf(table, proposal, nil)
		doc.Mapping, doc.Given = string(text), c.mapping
		return c.writeDoc("map", doc, nil)
	}
	c.screen.Mapped(table, proposal)
	return report.ColumnsTable(c.stdout, proposal.Columns(table))
}
