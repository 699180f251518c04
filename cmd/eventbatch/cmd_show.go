package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/work"
	"eventbatch/mapping/schema"
)

type showCommand struct {
	*env

	all, told bool
}

func newShowCommand(a *env) *cobra.Command {
	c := &showCommand{env: a}
	cmd := newRunCommand(a, "show", c.run)
	cmd.Flags().BoolVar(&c.all, "all", false, "show every row")
	cmd.Flags().BoolVar(&c.told, "told", false, "show event by event who was e-mailed, pushed, refunded or charged")
	return cmd
}

func (c *showCommand) run(ctx context.Context, id string) error {
	workspace, run, err := findRun(c.env, id)
	if err != nil {
		return err
	}
	header := run.Header()
	doc := report.NewShown(report.Run{
		Command: "show", Run: run.ID(), Folder: run.Files().Folder, Target: found.Target{BaseURL: header.Target.BaseURL},
		Files: batch.FilesOf(run), Exit: c.exit(nil),
	}, c.all, c.global.json)
	defer doc.Close()
	config := batch.ReportConfig{
		Run: run, Workspace: workspace, Brief: !c.all && !c.told, ByEvent: c.told,
		Report: batch.Reporting{Sink: doc, Cells: c.global.json, Changes: c.global.json && c.all},
	}
	reported, err := batch.Report(ctx, config)
	dropped := err
	if errors.Is(err, journal.ErrDropped) {
		config.Brief = true
		reported, err = batch.Report(ctx, config)
	}
	if err != nil {
		return err
	}
	state := reported.State
	doc.Reached = reported.Summary.Reached
	doc.Rows, doc.Resources, doc.State = reported.Rows, reported.Of.Several(), batch.Stage(state)
	doc.Workers = work.Words(ctx, c.db, run.ID())[run.ID()]
	doc.Requests = found.Requests{Planned: reported.Summary.Requests.Planned, Made: state.Requests}
	if c.global.json {
		return doc.Write(c.stdout)
	}
	c.tells()
	c.tellRun(doc, run, state.Lost, cmp.Or(dropped, reported.Dropped))
	if err := doc.Table(c.stdout, header.Sheets); err != nil {
		return err
	}
	if c.told && doc.Reached == nil {
		c.tell("nobody was told: no e-mail, push, refund or charge is on record\n")
	} else if c.told {
		if err := report.ToldTable(c.stdout, doc.Reached); err != nil {
			return err
		}
	}
	if !c.global.quiet {
		words := report.DoneWords{Rows: doc.Rows, Reached: doc.Reached, Requests: state.Requests, Results: batch.ResultsOf(run)}
		if doc.Workers == "" || doc.Workers == work.WithoutWorkers {
			goOn(c.env, &words, run, state.Tally().Open() > 0, nil)
		}
		c.telling().Done(words)
	}
	return nil
}

// tellRun tells what there is to know of a run besides its rows.
func (c *showCommand) tellRun(doc *report.Shown, run *journal.Run, lost string, dropped error) {
	header := run.Header()
	c.tell("run %s of %s, %s: %s\n", run.ID(), header.Created.Local().Format("2 Jan 2006 15:04"), header.Command, doc.State)
	c.sayLost(run, lost)
	if doc.Workers != "" {
		c.tell("%s\n", doc.Workers)
	}
	if dropped != nil {
		c.tell("note: %s\n", dropped)
	}
	for _, note := range header.Notes {
		c.tell("note: %s\n", printable.Clean(note))
	}
	for _, s := range header.Sheets {
		c.tell("  %s\n", printable.Clean(schema.Place{File: s.File, Sheet: s.Sheet}.String()))
	}
}
