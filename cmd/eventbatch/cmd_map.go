package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/sheet"
)

type mapCommand struct {
	*env

	fileFlags

	output  string
	answers []string
	force   bool
	mapping string        // that is shown
	given   *mapfile.File // its text
}

func (c *mapCommand) register(f *pflag.FlagSet) {
	f.StringVarP(&c.output, "output", "o", "", "write the mapping to this `FILE`, best called NAME.map.yaml (default: standard output)")
	f.BoolVar(&c.force, "force", false, "write over a file that exists")
	f.StringArrayVar(&c.answers, "answer", nil, "answer an open question: `ID=VALUE` (repeatable)")
	f.StringVar(&c.mapping, "mapping", "", "show what this `FILE`, or a preset, reads from the file, and propose nothing")
	c.fileFlags.register(f)
	f.Lookup("sheet").Usage = "sheet to read, by its `NAME` (default: the one whose headers are best known)"
}

func newMapCommand(a *env) *cobra.Command {
	c := &mapCommand{env: a}
	cmd := newCommand("map FILE", needOneFile, func(ctx context.Context, files []string) error { return c.run(ctx, files[0]) })
	c.register(cmd.Flags())
	cmd.AddCommand(newMapTestCommand(a), newMapShowCommand(a))
	return cmd
}

func (c *mapCommand) run(ctx context.Context, file string) error {
	if err := noMapping([]string{file}); err != nil {
		return err
	}
	if c.mapping != "" {
		return c.showGiven(ctx, file)
	}
	asks := c.canAsk(file)
	if err := c.mayWrite(asks); err != nil {
		return err
	}
	table, err := c.readFor(ctx, file, 0)
	if err != nil {
		return because(ctx, err)
	}
	proposal := table.Propose(table.Config)
	if asks {
		c.screen.Mapped(table, proposal)
		if proposal, err = c.person().Review(ctx, table); err == io.EOF {
			err = &interruptedError{signal: syscall.SIGINT, phase: "nothing was written"}
		}
		if err != nil {
			return because(ctx, err)
		}
	}
	if err := c.idleAnswer(table, proposal); err != nil {
		return err
	}
	var following []match.Following
	if proposal.Open() > 0 && !asks {
		following = table.Following(proposal, table.Config)
	}
	return c.propose(ctx, table, proposal, following, asks)
}

// readFor reads the rows of a file for a proposal: so many, or all where most is 0. What is wrong with flags is found out before.
func (c *mapCommand) readFor(ctx context.Context, file string, most int) (*match.Table, error) {
	config := match.Config{Answers: map[string]string{}, Now: time.Now()}
	config.Lies = func(path string) bool { return regular.LiesBelow(filepath.Dir(file), path) }
	options := sheet.Options{Format: c.format, Encoding: c.encoding, RowsAt: c.rowsAt, Edited: c.edited, Stdin: c.stdin}
	var err error
	if options.Delimiter, err = c.writing(); err != nil {
		return nil, err
	}
	if config.Resource, err = resourceSaid(c.resource); err != nil {
		return nil, err
	}
	for _, text := range c.answers {
		id, value, found := match.ParseAnswer(text)
		if !found {
			return nil, usagef("--answer: %q is not an answer; write --answer ID=VALUE", text)
		}
		config.Answers[id] = value
	}
	for id, value := range c.flagged() {
		if value != "" {
			config.Answers[id] = value
		}
	}
	named, err := c.placed(&config)
	if err != nil {
		return nil, err
	}
	return match.Read(ctx, match.Wanted{File: file, Options: options, Sheet: named, Most: most}, config)
}

// flagged returns the answers that have flags of reading, empty where they were not given.
func (c *mapCommand) flagged() map[string]string {
	return map[string]string{"timezone": c.timezone, "date_order": c.dateOrder}
}

// placed returns the sheet that is read. Which it is, and which row has its headers, is said by flags or by answers.
func (c *mapCommand) placed(config *match.Config) (sheet string, err error) {
	sheet, config.HeaderRow = c.sheet, int(c.headerRow)
	if name, ok := config.Answers["sheet"]; ok {
		delete(config.Answers, "sheet")
		sheet = name
	}
	if text, ok := config.Answers["header_row"]; ok {
		delete(config.Answers, "header_row")
		if config.HeaderRow, err = strconv.Atoi(text); err != nil || config.HeaderRow < 1 {
			return "", usagef("--answer header_row: %q is no row; write its number", text)
		}
	}
	if c.given != nil {
		config.Sheet = c.given.Sheet
		config.HeaderRow = cmp.Or(config.HeaderRow, c.given.HeaderRow)
	}
	return sheet, nil
}

// mayWrite refuses, before any work, to write over a file; on a terminal that is asked.
func (c *mapCommand) mayWrite(asks bool) error {
	if err := canHold("output", c.output); err != nil || c.output == "" || c.force || asks {
		return err
	}
	if _, err := os.Lstat(c.output); err == nil {
		return usagef("--output: %s exists", c.output).hinted("name another file, or say --force")
	}
	return nil
}

// place asks where the mapping goes: into which file, or over one that exists.
func (c *mapCommand) place(ctx context.Context, file string) (string, error) {
	output := c.output
	if output == "" {
		output = mappingName(file)
	}
	question, preset := "write the mapping to %s (no prints it)?", true
	if _, err := os.Lstat(output); err == nil {
		if c.output != "" && c.force {
			return output, nil
		}
		question, preset = "%s exists: write over it (no prints the mapping)?", false
	} else if c.output != "" {
		return output, nil
	}
	yes, err := c.person().Yes(ctx, preset, question, c.screen.Path(output))
	if err != nil || !yes {
		return "", err
	}
	return output, nil
}

// propose writes the mapping, then says what is open and what comes next.
func (c *mapCommand) propose(
	ctx context.Context, table *match.Table, p *match.Proposal, following []match.Following, asks bool,
) error {
	text, err := p.Write("proposed for " + printable.Clean(filepath.Base(table.File)))
	if err != nil {
		return fmt.Errorf("writing the mapping: %w", err)
	}
	if asks {
		if c.output, err = c.place(ctx, table.File); err != nil {
			return because(ctx, err)
		}
	}
	end := error(nil)
	if n := p.Open(); n > 0 {
		end = failure.New(failure.Invalid, errors.New(report.Count(n, "question")+" open"),
			"answer with --answer ID=VALUE, or write the lines into the mapping yourself, and take the questions out of open")
	}
	if c.output != "" {
		if err := durable.ReplaceText(c.output, 0o600, text); err != nil {
			return failure.New(failure.Output, fmt.Errorf("writing the mapping: %w", err), "")
		}
	}
	switch {
	case c.global.json:
		doc := report.ProposedOf(table, p, following)
		doc.Mapping, doc.Written = string(text), c.output
		return c.writeDoc("map", doc, end)
	case c.output == "":
		if _, err := c.stdout.Write(text); err != nil {
			return err
		}
	}
	if !asks {
		c.screen.Mapped(table, p)
		c.screen.Questions(p, following)
	}
	c.sayNext(table, p, c.output)
	return end
}
