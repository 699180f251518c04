package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"eventbatch/batch/feed"
	"eventbatch/batch/night"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
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
		Use:   "sync FILE…",
		Short: "Bring what is live to what a feed says, without asking, night after night",
		Long: `Sync is the import that nobody watches. It never asks: what its flags do not give leave
to is refused (exit 4), and nothing of it is sent. A feed that has not changed since a night
that was done ends at once. What was changed on the platform by hand is left as it is; where
both sides have changed a field, the row is held back (exit 3).`,
		Example: `  eventbatch sync members.csv --mapping members.map.yaml
  eventbatch sync https://feeds.example.com/members.csv --dry-run`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.sync(cmd.Context(), &opts, args)
		},
	}
	opts.reading.register(cmd.Flags())
	opts.plan.register(cmd.Flags())
	opts.send.register(cmd.Flags())
	opts.sync.register(cmd)
	cmd.AddCommand(a.syncInstallCommand())
	return cmd
}

func (s *syncFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	_ = f.MarkHidden("yes") // sync never asks
	f.BoolVar(&s.accept, "accept", false, "send once what a changed mapping, key column or value set by --set moves")
	f.BoolVar(&s.dryRun, "dry-run", false, "print the plan, send nothing, and remember nothing of this night")
}

// syncJob is one sync: where its rows come from, how they are read and how they are sent.
type syncJob struct {
	syncOptions

	name   string // what people call it
	folder string // of what it remembers
	source feed.Source
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
		if several {
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

// tell says how one of several syncs has ended.
func (a *app) tell(name string, err error) {
	if err == nil || a.global.json {
		return
	}
	code := exitCode(err)
	if is[*statusError](err) {
		a.screen.Aside(fmt.Sprintf("sync %s: %s (exit %d)", printable.Clean(name), exits[code].reason, code))
		return
	}
	a.screen.Aside(fmt.Sprintf("sync %s: %s (exit %d)", printable.Clean(name), printable.Clean(err.Error()), code))
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

// syncJobs returns what the arguments mean.
func (a *app) syncJobs(opts *syncOptions, args []string) ([]*syncJob, error) {
	if err := lookAt(args); err != nil {
		return nil, err
	}
	var names []string
	jobs, memories := map[string]*syncJob{}, map[string]*night.Memory{}
	for _, arg := range args {
		job := &syncJob{syncOptions: *opts, name: arg}
		switch {
		case secret.IsAddress(arg):
			address, err := secret.ParseAddress(arg)
			if err != nil {
				return nil, usagef("reading an address: %w", err)
			}
			job.source.Address, job.name = address, address.String()
		case arg == "-":
			job.source.Path, job.name = arg, "stdin"
		default:
			job.source.Path = arg
		}
		if jobs[job.name] != nil {
			return nil, usagef("%s is named twice", printable.Clean(job.name))
		}
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		workspace, err := a.workspaceFolder()
		if err != nil {
			return nil, err
		}
		job.folder = night.Folder(workspace, night.OfFile(job.name, dir))
		if memories[job.name], err = night.Load(job.folder); err != nil {
			return nil, err
		}
		jobs[job.name], names = job, append(names, job.name)
	}
	night.Longest(names, memories)
	list := make([]*syncJob, len(names))
	for i, name := range names {
		list[i] = jobs[name]
	}
	return list, nil
}
