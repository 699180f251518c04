package main

import (
	"cmp"
	"context"

	"eventbatch/batch/report"
	"eventbatch/mapping/mapfile"
)

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
