package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"eventbatch/batch/eventlog"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/work"
)

// workerNights goes through the nights of a worker's syncs.
type workerNights struct {
	*env
	pace sendFlags // how fast requests leave
}

// periodic returns the syncs that this worker goes through, and says of the others why it does not.
func (n *workerNights) periodic(ctx context.Context) ([]work.Sync, error) {
	described, err := profile.Syncs(n.global.Flags, n.profileEnv())
	if err != nil {
		return nil, err
	}
	store := secret.Secret{} // a flag names it for all syncs
	if n.global.store == "" {
		if store, err = n.storeAddress(ctx); err != nil {
			return nil, err
		}
	}
	var syncs []work.Sync
	for i := range described {
		s := &described[i]
		if s.Every == 0 {
			continue
		}
		if err := s.Lacks(ctx, n.global.Flags, n.profileEnv(), store); err != nil {
			n.log.Warn("leaves a sync to other workers", append([]any{"sync", s.Name}, whyOf(err)...)...)
			continue
		}
		if _, err := os.Stat(s.Feed.Path); s.Feed.Path != "" && errors.Is(err, fs.ErrNotExist) {
			n.log.Warn("the file of a sync is not on this machine: a night that comes here fails", "sync", s.Name, "file", s.Feed.Path,
				"hint", "describe the sync where its file is, and nowhere else")
		}
		syncs = append(syncs, work.Sync{Name: s.Name, Every: s.Every})
		n.log.Info("goes through a sync", "sync", s.Name, "every", s.Every.String())
	}
	return syncs, nil
}

// apart returns the program as it is for one night of a sync beside others: what it says goes to the log.
func (n *workerNights) apart(sync string) *env {
	a := newEnv(n.vars, strings.NewReader(""), io.Discard, n.stderr)
	a.command, a.global = n.command, n.global
	a.global.json, a.global.quiet = false, true // a plan is not for a log
	if a.log = eventlog.Beside(n.log, &a.about); a.log != nil {
		a.about.Command = "sync"
		a.words = &eventlog.Words{Log: a.log}
		a.about.Set(sync, "")
	} else {
		a.log = n.log.With("sync", sync)
		a.kinds = eventlog.Kinds(a.log)
	}
	a.screen = report.NewScreen(&eventlog.Words{Log: a.log}, report.ScreenConfig{NoColor: true, Plain: true})
	return a
}

// night goes through one night of a sync: the configuration is read anew.
func (n *workerNights) night(drained context.Context, name string) work.Night {
	a := n.apart(name)
	defer a.closeStore()
	ctx, stop := context.WithCancelCause(context.WithoutCancel(drained))
	defer stop(nil)
	defer context.AfterFunc(drained, func() { stop(&interruptedError{signal: syscall.SIGTERM}) })()
	job, err := n.job(a, name)
	switch {
	case err == nil && job == nil:
		a.log.Info("no worker goes through the sync any more")
		return work.Night{}
	case err != nil:
		a.log.Error("the sync cannot begin", whyOf(err)...)
		return work.Night{Every: againForNight}
	}
	begin, doc := time.Now(), report.Run{Command: "sync", Sync: name}
	err = because(ctx, job.run(ctx, &doc))
	exit := a.exit(err)
	night := work.Night{Every: job.said.Every, Begun: true}
	if isInterrupted(err) {
		a.log.Info("the worker ends, another one goes through the sync anew", "run", doc.Run)
		return night
	}
	level := nightLevel(err)
	night.Failed = level == slog.LevelError
	eventlog.Night(ctx, a.log, level, "synced", &doc, exit, "run", doc.Run, "took", time.Since(begin).Round(time.Millisecond).String())
	return night
}

// whyOf returns what a line of the log says of an error.
func whyOf(err error) []any {
	about := []any{"error", err.Error()}
	if hint := hintOf(err); hint != "" {
		about = append(about, "hint", hint)
	}
	return about
}

// againForNight is how long a worker waits whose configuration cannot be read.
const againForNight = 5 * time.Minute

// job returns the job of a sync as the configuration describes it by now, at the pace of this
// worker; nil where no worker goes through it.
func (n *workerNights) job(a *env, name string) (*syncJob, error) {
	opts, err := syncOptionsOf(a)
	if err != nil {
		return nil, err
	}
	opts.send.pace, opts.send.share, opts.send.concurrency = n.pace.pace, n.pace.share, n.pace.concurrency
	described, err := profile.Syncs(a.global.Flags, a.profileEnv())
	if err != nil {
		return nil, err
	}
	sync := profile.SyncNamed(described, name)
	if sync == nil || sync.Every == 0 {
		return nil, nil
	}
	a.global.Profile = cmp.Or(sync.Profile, a.global.Profile)
	jobs, err := syncJobs(a, opts, []string{name})
	if err != nil {
		return nil, err
	}
	jobs[0].restarts = true
	return jobs[0], nil
}
