package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/mapping/datetime"
)

type runsPruneCommand struct {
	*env

	keep, bodies age
	try          bool
}

func newRunsPruneCommand(a *env) *cobra.Command {
	c := &runsPruneCommand{env: a, keep: age(journal.Always), bodies: age(journal.Always)}
	cmd := newBareCommand("prune", c.run)
	f := cmd.Flags()
	f.Var(&c.keep, "keep", "remove runs that came to their end longer ago than this `AGE`, such as 90d")
	f.Var(&c.bodies, "bodies", "drop what the rows of older runs held, from this `AGE` on, such as 14d")
	f.BoolVar(&c.try, "dry-run", false, "remove nothing, and list what would go")
	return cmd
}

// age is the value of a flag that says how long something stays.
type age time.Duration

func (d *age) Set(text string) error {
	value, ok := datetime.ParseAge(text)
	if !ok {
		return errors.New("it is no age")
	}
	*d = age(value)
	return nil
}

func (d *age) String() string {
	if *d < 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *age) Type() string { return "age" }

func (c *runsPruneCommand) run(ctx context.Context) error {
	what := journal.Pruning{Keep: time.Duration(c.keep), Bodies: time.Duration(c.bodies), Try: c.try}
	if what.Keep == journal.Always && what.Bodies == journal.Always {
		return usagef("runs prune needs to know what goes").hinted("say --keep 90d, --bodies 14d, or both; --dry-run removes nothing")
	}
	workspace, err := c.openWorkspace()
	if err != nil {
		return err
	}
	pruned, err := workspace.Prune(ctx, what)
	if err != nil {
		return err
	}
	doc := report.PrunedOf(pruned, what.Try)
	if c.global.json {
		return c.writeDoc("prune", doc, nil)
	}
	if what.Try {
		if err := doc.Table(c.stdout); err != nil {
			return err
		}
	}
	for _, words := range doc.Words() {
		c.say("%s\n", words)
	}
	return nil
}
