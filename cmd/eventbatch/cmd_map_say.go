package main

import (
	"cmp"
	"context"
	"slices"

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
	if idle == nil {
		return nil
	}
	why, hint := idle.Why(p, t.Config)
	return usagef("--answer %s: %s", idle.ID, why).hinted(hint)
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
