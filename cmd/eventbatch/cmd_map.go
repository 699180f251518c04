package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/match"
	"eventbatch/mapping/sheet"
)

// mapOptions are the flags of map.
type mapOptions struct {
	fileFlags

	output  string
	answers []string
	force   bool
}

func (o *mapOptions) register(f *pflag.FlagSet) {
	f.StringVarP(&o.output, "output", "o", "", "write the mapping to this `FILE`, best called NAME.map.yaml (default: standard output)")
	f.BoolVar(&o.force, "force", false, "write over a file that exists")
	f.StringArrayVar(&o.answers, "answer", nil, "answer an open question: `ID=VALUE` (repeatable)")
	o.fileFlags.register(f)
	f.Lookup("sheet").Usage = "sheet to read, by its `NAME` (default: the one whose headers are best known)"
}

func (a *app) mapCommand() *cobra.Command {
	var opts mapOptions
	cmd := &cobra.Command{
		Use:   "map FILE",
		Short: "Propose a mapping for a file that was not made for this tool",
		Long: `Propose a mapping: which column of a file feeds which field of an event, or of
another resource.

Each shape of a column's cells is shown once, with what it becomes. On a terminal,
Enter takes what stands there, the number of a line changes it, and what nobody
can see from the file is asked. Elsewhere map writes what is certain, each line
with its reason, and ends with 65 and a list of the questions that are open, each
with the --answer that settles it.`,
		Example: `  eventbatch map programme.csv -o events.map.yaml
  eventbatch map programme.csv --timezone Europe/Berlin --answer visibility:Team=private
  eventbatch check programme.csv --mapping events.map.yaml
  eventbatch map test events.map.yaml
  eventbatch map show google-calendar`,
		Args: needOneFile,
		RunE: func(cmd *cobra.Command, files []string) error { return a.mapFile(cmd.Context(), opts, files[0]) },
	}
	opts.register(cmd.Flags())
	cmd.AddCommand(a.mapTestCommand(), a.mapShowCommand())
	return cmd
}

func (a *app) mapFile(ctx context.Context, opts mapOptions, file string) error {
	asks := a.canAsk(file)
	if err := opts.mayWrite(asks); err != nil {
		return err
	}
	table, config, err := a.readFor(ctx, &opts, file, 0)
	if err != nil {
		return because(ctx, err)
	}
	proposal := table.columns.Propose(config)
	if asks {
		a.sayFound(table, proposal)
		if proposal, err = a.review(ctx, table.columns, config); err != nil {
			return because(ctx, err)
		}
	}
	if err := unusedAnswers(table.columns, proposal, config); err != nil {
		return err
	}
	var following []match.Following
	if proposal.Open() > 0 && !asks {
		following = table.columns.Following(proposal, config)
	}
	return a.propose(ctx, opts, table, proposal, following, asks)
}

// readFor reads the rows of a file for a proposal, and returns with what it is made.
func (a *app) readFor(ctx context.Context, opts *mapOptions, file string, most int) (*table, match.Config, error) {
	config, options, err := opts.verify()
	if err != nil {
		return nil, config, err
	}
	options.Stdin = a.stdin
	config.HeaderRow = int(opts.headerRow)
	table, err := readTable(ctx, file, options, opts.sheet, config, most)
	if err != nil {
		return nil, config, err
	}
	return table, table.configured(config), nil
}

// liesBelow reports whether a file lies below a folder.
func liesBelow(folder, path string) bool {
	if filepath.IsAbs(path) {
		abs, err := filepath.Abs(folder)
		if err != nil {
			return false
		}
		if path, err = filepath.Rel(abs, path); err != nil {
			return false
		}
	}
	if !filepath.IsLocal(path) {
		return false
	}
	info, err := os.Stat(filepath.Join(folder, path))
	return err == nil && info.Mode().IsRegular()
}

// verify reads the flags before any file is opened.
func (o *mapOptions) verify() (match.Config, sheet.Options, error) {
	config := match.Config{Answers: map[string]string{}}
	reading := readingFlags{fileFlags: o.fileFlags}
	options := sheet.Options{Format: o.format, Encoding: o.encoding, RowsAt: o.rowsAt}
	var err error
	if options.Delimiter, err = reading.writing(); err != nil {
		return config, options, err
	}
	if config.Resource, err = resourceSaid(o.resource, config.Resource); err != nil {
		return config, options, err
	}
	for _, text := range o.answers {
		id, value, found := cutAnswer(text)
		if !found {
			return config, options, usagef("--answer: %q is not an answer; write --answer ID=VALUE", text)
		}
		config.Answers[id] = value
	}
	for id, value := range map[string]string{"timezone": o.timezone, "date_order": o.dateOrder} {
		if value != "" {
			config.Answers[id] = value
		}
	}
	return config, options, nil
}

// mayWrite refuses, before any work, to write over a file; on a terminal that is asked.
func (o *mapOptions) mayWrite(asks bool) error {
	if err := canHold("output", o.output); err != nil || o.output == "" || o.force || asks {
		return err
	}
	if _, err := os.Lstat(o.output); err == nil {
		return &usageError{err: fmt.Errorf("--output: %s exists", o.output), hint: "name another file, or say --force"}
	}
	return nil
}

// propose writes the mapping, then says what is open and what comes next.
func (a *app) propose(
	ctx context.Context, opts mapOptions, table *table, p *match.Proposal, following []match.Following, asks bool,
) error {
	text, err := p.Write("proposed for " + printable.Clean(filepath.Base(table.file)))
	if err != nil {
		return fmt.Errorf("writing the mapping: %w", err)
	}
	if asks {
		if opts.output, err = a.place(ctx, opts, table.file); err != nil {
			return because(ctx, err)
		}
	}
	end := error(nil)
	if n := p.Open(); n > 0 {
		end = failure.New(failure.Invalid, errors.New(report.Count(n, "question")+" open"),
			"answer with --answer ID=VALUE, or write the lines into the mapping yourself, and take the questions out of open")
	}
	if opts.output != "" {
		if err := durable.ReplaceText(opts.output, 0o644, text); err != nil {
			return failure.New(failure.Output, fmt.Errorf("writing the mapping: %w", err), "")
		}
	}
	switch {
	case a.global.json:
		return errors.Join(end, a.writeDoc(mapDocument(table, p, following, string(text), opts.output, a.exit(end))))
	case opts.output == "":
		if _, err := a.stdout.Write(text); err != nil {
			return err
		}
	}
	if !asks {
		a.sayFound(table, p)
		a.sayQuestions(p, following)
	}
	a.sayNext(table, p, opts.output)
	return end
}
