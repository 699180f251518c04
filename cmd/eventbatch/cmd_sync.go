package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/eventlog"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/mapping/failure"
)

type syncCommand struct {
	*env

	options syncOptions
}

// syncOptions are the flags of sync.
type syncOptions struct {
	reading readingFlags
	plan    planFlags
	send    sendFlags
	sync    syncFlags
}

// register adds the flags that a worker has too, by its variables.
func (o *syncOptions) register(f *pflag.FlagSet) {
	o.reading.register(f)
	o.plan.register(f)
	o.plan.source.Missing = "" // what no flag says, the configuration may
	o.send.register(f)
}

// syncOptionsOf returns what the variables of the environment say of the flags of sync.
func syncOptionsOf(a *env) (*syncOptions, error) {
	opts := &syncOptions{}
	flags := pflag.NewFlagSet("sync", pflag.ContinueOnError)
	opts.register(flags)
	if err := a.fillFlags(flags); err != nil {
		return nil, usagef("%w", err)
	}
	return opts, nil
}

// syncFlags are those that only sync has.
type syncFlags struct {
	accept bool
	dryRun bool
}

func newSyncCommand(a *env) *cobra.Command {
	c := &syncCommand{env: a}
	cmd := newCommand("sync [NAME…] | sync FILE…", nil, c.run)
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return syncsOffered(a), cobra.ShellCompDirectiveDefault // files too
	}
	c.options.register(cmd.Flags())
	c.options.sync.register(cmd)
	cmd.AddCommand(newSyncInstallCommand(a))
	return cmd
}

// syncsOffered are the names that the shell is offered.
func syncsOffered(a *env) []string {
	syncs, err := profile.Syncs(a.global.Flags, a.profileEnv())
	if err != nil {
		return nil
	}
	return namesOf(syncs)
}

func (s *syncFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	_ = f.MarkHidden("yes") // sync never asks
	for name, does := range map[string]string{
		"compare":      "live, and sent where its lists take longer than --max-duration",
		"first":        plan.Fail,
		"max-create":   batch.SyncFirstCreate + " before the first night that was done",
		"max-cancel":   "5 under --missing cancel",
		"max-duration": strings.TrimSuffix(batch.SyncDuration.String(), "0m0s"),
		"max-mail":     strconv.Itoa(batch.SyncMaxMail),
		"min-rows":     batch.SyncMinRows,
		"source":       "the name of the sync, or the file's path",
	} {
		flag := f.Lookup(name)
		usage, _, _ := strings.Cut(flag.Usage, " (default")
		flag.Usage = usage + " (default: " + does + ")"
	}
	f.BoolVar(&s.accept, "accept", false, "send once what a changed mapping, --set or column moves, or a last line without an end")
	f.BoolVar(&s.dryRun, "dry-run", false, "print the plan, send nothing, and remember nothing of this night")
}

// run goes through the syncs one after the other: those first that have waited longest
// for a night that was done. It ends as the worst of them.
func (c *syncCommand) run(ctx context.Context, args []string) error {
	if c.options.sync.dryRun {
		c.tells()
	}
	jobs, err := syncJobs(c.env, &c.options, args)
	if err != nil {
		return err
	}
	var worst error
	several := len(jobs) > 1
	for i, job := range jobs {
		if several && c.global.json {
			if _, err := io.WriteString(c.stdout, []string{"[\n", ",\n"}[min(i, 1)]); err != nil {
				return err
			}
		}
		if several && !c.global.json {
			c.say("sync %s\n", printable.Clean(job.name))
		}
		doc := report.Run{Command: "sync", Sync: job.name}
		ended := job.run(ctx, &doc)
		switch {
		case c.logsJSON():
			ended = c.loggedNight(ctx, &doc, ended)
		case several:
			c.tell(job.name, ended)
		}
		if worse(ended, worst) {
			worst = ended
		}
		if ctx.Err() != nil {
			break
		}
	}
	if several && c.global.json {
		if _, err := io.WriteString(c.stdout, "]\n"); err != nil {
			return err
		}
	}
	if several && worst != nil {
		return &statusError{exitCode(worst)} // each was told when it ended
	}
	return worst
}

// loggedNight logs how a sync has ended as the last line of it, and returns the error as one that nothing more is
// said of.
func (c *syncCommand) loggedNight(ctx context.Context, doc *report.Run, err error) error {
	err = because(ctx, err)
	exit := c.exit(err)
	eventlog.Night(context.WithoutCancel(ctx), c.log, nightLevel(err), cmp.Or(exit.Error, exit.Reason), doc, exit)
	if err == nil || failure.Is[*statusError](err) {
		return err
	}
	return &shownError{err: err}
}

// tell says how one of several syncs has ended.
func (c *syncCommand) tell(name string, err error) {
	if err == nil || c.global.json {
		return
	}
	code, why := exitCode(err), err.Error()
	if failure.Is[*statusError](err) {
		why = exits[code].reason
	}
	c.screen.Aside(fmt.Sprintf("sync %s: %s (exit %d)", printable.Clean(name), printable.Clean(why), code))
	if !failure.Is[*shownError](err) && !failure.Is[*statusError](err) { // they have said it
		c.screen.Hint(hintOf(err))
	}
}

// severity orders the exit codes of syncs from the mildest on. What is not in it is worse.
var severity = []int{exitDone, exitChanges, exitLocked, exitPartial, exitStopped}

// worse reports whether one sync has ended worse than another.
func worse(err, than error) bool {
	rank := func(err error) int {
		if i := slices.Index(severity, exitCode(err)); i >= 0 {
			return i
		}
		return len(severity)
	}
	return rank(err) > rank(than)
}

// nightLevel returns the level of the line that says how a sync has ended.
func nightLevel(err error) slog.Level {
	switch {
	case worse(err, &statusError{exitLocked}):
		return slog.LevelError
	case exitCode(err) == exitLocked: // somebody else goes through it
		return slog.LevelWarn
	}
	return slog.LevelInfo
}
