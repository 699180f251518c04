package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// checkOptions are the flags of check.
type checkOptions struct {
	reading readingFlags
	reports []string
}

func (a *app) checkCommand() *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Validate files offline; nothing is sent and nothing is written",
		Example: `  eventbatch check spring.xlsx
  eventbatch check spring.csv --timezone Europe/Paris --json`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(opts.reports) > 0 {
				return usagef("--report is not available in this version; --json prints every problem")
			}
			return a.check(cmd.Context(), opts, files)
		},
	}
	opts.reading.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&opts.reports, "report", nil, "write the problems to this `FILE` (repeatable; not in this version)")
	return cmd
}

func (a *app) check(ctx context.Context, opts checkOptions, files []string) error {
	config, err := opts.reading.config(a, files, time.Now())
	if err != nil {
		return err
	}
	if config.Rules, err = a.rules(); err != nil {
		return err
	}
	var problems report.Problems
	sink := problems.Add
	if a.global.json {
		doc := a.beginCheckDoc()
		sink = func(p schema.Problem) {
			problems.Add(p)
			doc.Add(p)
		}
	}
	checked, err := batch.Check(ctx, config, sink)
	err = because(ctx, err)
	if err == nil && checked.Rows.Invalid > 0 {
		err = &invalidError{invalid: checked.Rows.Invalid, read: checked.Rows.Read}
	}
	sources := checkedFiles(checked.Sources)
	if end := a.result.begun; end != nil {
		a.result.begun = nil
		return errors.Join(err, end(sources, checked.Rows, a.exit(err)))
	}
	a.showProblems(&problems, err, "the input cannot be read")
	for _, f := range sources {
		a.say("%s: %s\n", report.Clean(fileName(f)), report.Count(f.Rows, "row"))
	}
	if err == nil {
		a.say("%s\n", a.screen.Verdict(checked.Rows, problems.Warnings))
	}
	return err
}

// beginCheckDoc begins the JSON document. Whatever ends the command before its
// own end has finish complete it.
func (a *app) beginCheckDoc() *report.CheckJSON {
	doc := report.NewCheckJSON(a.stdout)
	a.result.written, a.result.begun = true, doc.End
	return doc
}

func fileName(f report.File) string {
	if f.Sheet != "" {
		return f.File + ":" + f.Sheet
	}
	return f.File
}

func checkedFiles(sources []mapping.Source) []report.File {
	files := make([]report.File, 0, len(sources))
	for _, s := range sources {
		files = append(files, report.File{File: s.File, Sheet: s.Sheet, SHA256: s.SHA256, Rows: s.Rows})
	}
	return files
}
