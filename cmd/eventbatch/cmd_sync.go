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

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
)

// syncOptions are the flags of sync.
type syncOptions struct {
	reading readingFlags
	plan    planFlags
	send    sendFlags
	sync    syncFlags
}

// syncFlags are those that only sync has.
type syncFlags struct {
	accept bool
	dryRun bool
}

func (a *app) syncCommand() *cobra.Command {
	opts := syncOptions{}
	cmd := &cobra.Command{
		Use:   "sync [NAME…] | sync FILE…",
		Short: "Bring what is live to what a feed says, without asking, night after night",
		Long: `Sync is the import that nobody watches. It never asks: what its flags do not give leave
to is refused (exit 4), and nothing of it is sent. A feed that has not changed since a night
that was done ends at once. What was changed on the platform by hand is left as it is; where
both sides have changed a field, the row is held back (exit 3).

A NAME is one of the syncs that eventbatch.yaml describes; without any, all of them run, one
after the other, and the exit code is the worst of theirs. What a flag says goes before what
the configuration says.`,
		Example: `  eventbatch sync members
  eventbatch sync members.csv --mapping members.map.yaml
  eventbatch sync https://feeds.example.com/members.csv --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.sync(cmd.Context(), &opts, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.syncsOffered(), cobra.ShellCompDirectiveDefault // files too
		},
	}
	opts.reading.register(cmd.Flags())
	opts.plan.register(cmd.Flags())
	opts.plan.source.missing = "" // what no flag says, the configuration may
	opts.send.register(cmd.Flags())
	opts.sync.register(cmd)
	cmd.AddCommand(a.syncInstallCommand())
	return cmd
}

// syncsOffered are the names that the shell is offered.
func (a *app) syncsOffered() []string {
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

// sync goes through the syncs one after the other: those first that have waited longest
// for a night that was done. It ends as the worst of them.
func (a *app) sync(ctx context.Context, opts *syncOptions, args []string) error {
	jobs, err := a.syncJobs(opts, args)
	if err != nil {
		return err
	}
	var worst error
	several := len(jobs) > 1
	for i, job := range jobs {
		if several && a.global.json {
			if _, err := io.WriteString(a.stdout, []string{"[\n", ",\n"}[min(i, 1)]); err != nil {
				return err
			}
		}
		if several && !a.global.json {
			a.say("sync %s\n", printable.Clean(job.name))
		}
		doc := report.Run{Command: "sync", Sync: job.name}
		ended := a.syncOne(ctx, job, &doc)
		switch {
		case a.logsJSON():
			ended = a.loggedNight(ctx, &doc, ended)
		case several:
			a.tell(job.name, ended)
		}
		if worse(ended, worst) {
			worst = ended
		}
		if ctx.Err() != nil {
			break
		}
	}
	if several && a.global.json {
		if _, err := io.WriteString(a.stdout, "]\n"); err != nil {
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
func (a *app) loggedNight(ctx context.Context, doc *report.Run, err error) error {
	err = because(ctx, err)
	exit := a.exit(err)
	logNight(context.WithoutCancel(ctx), a.log, nightLevel(err), cmp.Or(exit.Error, exit.Reason), doc, exit)
	if err == nil || is[*statusError](err) {
		return err
	}
	return &shownError{err: err}
}

// tell says how one of several syncs has ended.
func (a *app) tell(name string, err error) {
	if err == nil || a.global.json {
		return
	}
	code, why := exitCode(err), err.Error()
	if is[*statusError](err) {
		why = exits[code].reason
	}
	a.screen.Aside(fmt.Sprintf("sync %s: %s (exit %d)", printable.Clean(name), printable.Clean(why), code))
	if !is[*shownError](err) && !is[*statusError](err) { // they have said it
		a.screen.Hint(hintOf(err))
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
