package main

import (
	"context"
	"errors"
	"slices"
	"time"

	found "eventbatch/batch/report/finding"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/mapping/datetime"
)

// runsPruneCommand is the command runs prune.
type runsPruneCommand struct {
	*env

	keep, bodies age
	try          bool
}

func newRunsPruneCommand(a *env) *cobra.Command {
	c := &runsPruneCommand{env: a, keep: age(journal.Always), bodies: age(journal.Always)}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs that came to their end, or what their rows held",
		Long: `Remove the runs that came to their end longer ago than --keep. What they have made
stays known: nothing is made twice. A run that was only planned, or is not finished, stays.

A run also stays while the next plan may compare rows with what it sent: until their
events have begun, longer ago than --keep, or are cancelled. --keep 0d removes every
finished run, these too: a row that has changed is then one of which nobody knows what
file and platform last agreed on, and --first decides; undo and retry have nothing to
go by, and guards that count in per cent begin anew.

--bodies drops earlier what the rows of a run held: cells, requests, what was there
before, and the results. Show still says what became of each row, by its key, name
and place, until the run itself goes; report, retry and undo say that the rest was
dropped, and what has changed since then is compared with nothing.

What was read for exports that nobody finished goes by the shorter of the two.`,
		Example: `  eventbatch runs prune --keep 90d --bodies 14d
  eventbatch runs prune --keep 90d --dry-run`,
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
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

// goneLine is a run, or what was read for an export, as the document of prune has it.
type goneLine struct {
	Run    string    `json:"run,omitempty"`
	Export string    `json:"export,omitempty"`
	Ended  time.Time `json:"ended"`
	Bytes  int64     `json:"bytes"`
}

// prunedDoc is the document of prune.
type prunedDoc struct {
	Command string     `json:"command"`
	DryRun  bool       `json:"dry_run"`
	Runs    []goneLine `json:"runs"`
	Bodies  []goneLine `json:"bodies"`
	Exports []goneLine `json:"exports"`
	Kept    struct {
		Compared int `json:"compared"` // runs
		Rows     int `json:"rows"`     // that are compared with them
		Open     int `json:"open"`     // runs
	} `json:"kept"`
	Bytes int64      `json:"bytes"`
	Exit  found.Exit `json:"exit"`
}

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
	doc := prunedDoc{Command: "runs prune", DryRun: what.Try, Exit: c.exit(nil)}
	doc.Runs = doc.lines(pruned.Runs, func(l *goneLine, id string) { l.Run = id })
	doc.Bodies = doc.lines(pruned.Bodies, func(l *goneLine, id string) { l.Run = id })
	doc.Exports = doc.lines(pruned.Exports, func(l *goneLine, id string) { l.Export = id })
	doc.Kept.Compared, doc.Kept.Rows, doc.Kept.Open = pruned.Bases, pruned.Rows, pruned.Open
	if c.global.json {
		return c.writeDoc("prune", doc)
	}
	if what.Try {
		if err := doc.table(c.env); err != nil {
			return err
		}
	}
	c.conclude(&doc)
	return nil
}

func (d *prunedDoc) lines(list []journal.Gone, name func(l *goneLine, id string)) []goneLine {
	lines := make([]goneLine, len(list))
	for i, g := range list {
		lines[i] = goneLine{Ended: g.Ended, Bytes: g.Bytes}
		name(&lines[i], g.ID)
		d.Bytes += g.Bytes
	}
	return lines
}

// table lists what would go.
func (d *prunedDoc) table(a *env) error {
	var rows [][]string
	add := func(what string, lines []goneLine) {
		for _, l := range lines {
			rows = append(rows, []string{
				l.Run + l.Export, l.Ended.Local().Format("02 Jan 2006 15:04"), what, report.Size(int(l.Bytes)),
			})
		}
	}
	add("run", d.Runs)
	add("what its rows held", d.Bodies)
	add("export", d.Exports)
	if len(rows) == 0 {
		return nil
	}
	return report.Table(a.stdout, []string{"RUN", "ENDED", "GOES", "SIZE"}, slices.Values(rows))
}

// conclude says what went or would go, and what stays although it is old.
func (c *runsPruneCommand) conclude(d *prunedDoc) {
	removed, dropped := "removed", "dropped"
	if d.DryRun {
		removed, dropped = "to remove", "to drop"
	}
	say := func(before string, lines []goneLine, one, what string) {
		bytes := int64(0)
		for _, l := range lines {
			bytes += l.Bytes
		}
		if len(lines) > 0 {
			c.say("%s%s %s, %s\n", before, report.Count(len(lines), one), what, report.Size(int(bytes)))
		}
	}
	if len(d.Runs)+len(d.Bodies)+len(d.Exports) == 0 {
		c.say("nothing to remove\n")
	}
	say("", d.Runs, "run", removed)
	say("the rows' contents of ", d.Bodies, "run", dropped)
	say("", d.Exports, "export", removed)
	if n := d.Kept.Compared; n > 0 {
		are := " are "
		if d.Kept.Rows == 1 {
			are = " is "
		}
		c.say("%s kept: %s%scompared with what they say\n", report.Count(n, "older run"), report.Count(d.Kept.Rows, "row"), are)
	}
	if n := d.Kept.Open; n > 0 {
		c.say("%s kept: not finished, or never sent\n", report.Count(n, "older run"))
	}
}
