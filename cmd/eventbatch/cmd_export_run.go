package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

type exportDoc struct {
	File      string       `json:"file"`
	Resource  string       `json:"resource"`
	Calendars []string     `json:"calendars"`
	Target    found.Target `json:"target"`
	batch.Written
	Requests found.Requests `json:"requests"`
	FinishAt *time.Time     `json:"finish_at"`
}

func (c *exportCommand) run(ctx context.Context, words []string) error {
	if err := c.verify(); err != nil {
		return err
	}
	if c.output == "" && c.global.json {
		return usagef("--json prints the document where the records would be").hinted("name a file with -o")
	}
	if err := c.choose(words); err != nil {
		return err
	}
	reads := &c.config.Reads
	reads.From, reads.To, reads.Events, reads.Quick, reads.Concurrency = c.from, c.to, c.events, c.quick, c.send.concurrency
	if words := strings.Split(c.global.Calendar, ","); len(words) > 1 || words[0] == service.AllCalendars {
		reads.Calendars, c.global.Calendar = words, "" // it names none that a row could mean
	}
	var err error
	if c.conn, err = c.connect(&c.send); err != nil {
		return err
	}
	defer c.conn.close()
	doc := &c.doc
	*doc = exportDoc{File: c.output, Resource: words[0], Calendars: []string{}, Written: batch.Written{Columns: []string{}}}
	doc.Target.BaseURL = c.conn.BaseURL()
	err = because(ctx, c.carry(ctx))
	doc.Requests.Made = c.conn.Requests()
	if c.global.json {
		return c.writeDoc("export", doc, err)
	}
	if _, partly := errors.AsType[*statusError](err); (err == nil || partly) && c.output != "" {
		c.conclude()
	}
	return err
}

// choose takes the resources, and what is meant of the first.
func (c *exportCommand) choose(words []string) error {
	var chosen []*schema.Resource
	for i, word := range slices.Concat(words, c.with) {
		resource, ok := catalog.ResourceNamed(word)
		switch {
		case !ok:
			return wrongWord("resource", word, catalog.ResourceNames())
		case slices.Contains(chosen, resource):
			return usagef("%s are asked for twice", resource.Name)
		case i >= len(words) && (len(words) > 1 || !chosen[0].Keyed() || resource.Parent == ""):
			return usagef("--with %s: --with says what is exported beside events, and what belongs to them", resource.Name).
				hinted("say: eventbatch export events --with guests; and export " + resource.Name + " by themselves")
		}
		chosen = append(chosen, resource)
	}
	c.config.Resources, c.config.With = chosen[:len(words)], chosen[len(words):]
	switch {
	case c.format == "ics" && (len(chosen) > 1 || !chosen[0].Timed()):
		last := chosen[len(chosen)-1].Name
		return usagef("a calendar holds events, and no %s", last).hinted("write them as .csv or .xlsx")
	case c.format != "xlsx" && len(chosen) > 1:
		return usagef("a .%s file holds the records of one resource", c.format).
			hinted("write a workbook, whose name ends in .xlsx, or export one after the other")
	case len(words) > 1 && (c.where != "" || c.columns != nil):
		return usagef("--where and --columns are about one resource").hinted("name the others with --with, or export one after the other")
	}
	table := record.NewTable(chosen[0], true)
	if c.where != "" {
		where, err := table.Filter(c.where, time.Now())
		if err != nil {
			return usagef("--where: %w", err).
				hinted(`write visibility == "private", max_capacity != "" && int(max_capacity) > 50, start_at >= date("2027-05-01")`)
		}
		c.config.Where = where
	}
	if err := table.Choose(c.columns); err != nil {
		return &usageError{err: err, hint: schema.HintOf(err)}
	}
	return nil
}

// carry reads the records and writes them out.
func (c *exportCommand) carry(ctx context.Context) error {
	workspace, err := c.openWorkspace()
	if err != nil {
		return err
	}
	c.config.Service, c.config.Workspace = c.conn.Service, workspace
	exported, err := batch.Export(ctx, c.config)
	if err != nil {
		return err
	}
	if err := c.readSingly(ctx, exported); err != nil {
		if !c.global.json {
			c.say("what was read is kept: the same command goes on from there\n")
		}
		return errors.Join(err, exported.Close())
	}
	c.doc.Calendars = exported.Calendars
	if err := c.write(ctx, exported); err != nil {
		return errors.Join(err, exported.Close())
	}
	shifts := exported.Shifts()
	if err := exported.Done(); err != nil || len(shifts) == 0 {
		return err
	}
	for _, list := range shifts {
		c.screen.Aside("warning: " + (&api.ShiftsError{What: list}).Error() + ", and the same command reads all of it again")
	}
	return &statusError{exitPartial}
}

// write writes what was read to the file, or to standard output.
func (c *exportCommand) write(ctx context.Context, exported *batch.Exported) error {
	tables, err := exported.Tables(ctx, c.columns)
	if err != nil {
		return err
	}
	to := func(w io.Writer) error { return tables.Write(w, c.format) }
	if c.output == "" {
		err = to(c.stdout)
	} else if err = durable.Replace(c.output, 0o600, to); err != nil {
		err = failure.New(failure.Output, err, "the same command writes it from what was read")
	}
	c.doc.Written, c.written = tables.Written, tables.Words()
	return err
}

// conclude says what was written.
func (c *exportCommand) conclude() {
	c.say("%s: %s\n", c.output, c.written)
	if c.doc.LeftOut > 0 {
		c.say("%s longer than a cell of a workbook can hold, or with control characters, left blank: CSV has them\n",
			report.Count(c.doc.LeftOut, "value"))
	}
	if c.doc.Gone > 0 {
		c.say("%s gone when its turn came, and left out\n", report.Count(c.doc.Gone, "event"))
	}
}

// readSingly says what has to be asked for event by event and how long that takes, and
// asks for it.
func (c *exportCommand) readSingly(ctx context.Context, e *batch.Exported) error {
	now, total := time.Now(), e.Total()
	c.doc.Requests.Planned = total
	words := report.ExportWords{
		Resources: slices.Concat(c.config.Resources, c.config.With), Calendars: len(e.Calendars), Events: e.Events, Undecided: e.Undecided,
		Requests: total, Quick: c.quick, Resumed: e.Resumed, BaseURL: c.conn.BaseURL(), Now: now,
	}
	if total > 0 {
		words.Finish = c.conn.Forecast(ctx, e.Requests, now)
		c.doc.FinishAt = new(words.Finish.UTC().Truncate(time.Second))
	}
	if !c.global.quiet && !c.global.json {
		c.screen.Export(words)
	}
	progress := report.NewProgress(report.ProgressConfig{
		Screen: c.screen, Total: total, Quota: c.conn.Tightest,
		Finish: func(left int) time.Time {
			requests := map[string]int{}
			for calendar, n := range e.Requests {
				requests[calendar] = n * left / max(1, total)
			}
			return c.conn.Forecast(ctx, requests, time.Now())
		},
	})
	_, err := watched(ctx, c.env, progress, func() (struct{}, error) {
		return struct{}{}, e.Read(ctx, func() { progress.Settled(nil, &journal.Record{Type: journal.OK}) })
	})
	return err
}
