package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/postgres"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// workerMemory is how much a worker takes before it collects garbage at once: it stays below 200 MiB
// with the program itself, and the garbage of requests is small and much.
const workerMemory = 112 << 20

type workerCommand struct {
	*env

	owners  int
	address string // that it listens at
	send    sendFlags
}

func newWorkerCommand(a *env) *cobra.Command {
	c := &workerCommand{env: a}
	cmd := newBareCommand("worker", c.run)
	f := cmd.Flags()
	f.IntVar(&c.owners, "owners", 500, "owners of a quota, such as calendars, worked at a time: `N` at most")
	f.StringVar(&c.address, "listen", "", "`ADDRESS` that answers /livez, /healthz and /metrics, such as 127.0.0.1:9464")
	c.send.registerPace(f)
	return cmd
}

// verify refuses what no worker could be.
func (c *workerCommand) verify() error {
	if c.owners < 1 || c.owners > 10_000 {
		return usagef("--owners: %d is not between 1 and 10,000", c.owners)
	}
	_, _, err := c.send.pacing()
	return err
}

// run works until it is told to end: what it has under way is recorded then.
func (c *workerCommand) run(ctx context.Context) error {
	if err := c.verify(); err != nil {
		return err
	}
	if c.global.sandbox {
		return usagef("--sandbox is of one command: no worker reaches it").hinted("eventbatch sandbox serves one")
	}
	if _, err := namedStore(ctx, c.env); err != nil {
		return err
	}
	if _, err := c.openWorkspace(); err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(workerMemory)
	}
	c.send.leased = true
	conn, err := c.connect(&c.send)
	if err != nil {
		return err
	}
	defer conn.close()
	if err := c.startLog(&c.global, c.command.Name(), c.stderr, true); err != nil {
		return err
	}
	c.db.Hangs(func(h postgres.Hung) {
		c.log.Warn("a process hangs", "has", h.Has, "pid", h.PID, "host", h.Host, "beat", h.Beat, "user", h.User, "succeeded", h.Ended)
	})
	n := &workerNights{env: c.env, pace: c.send}
	syncs, err := n.periodic(ctx)
	if err != nil {
		return err
	}
	carrier := batch.NewCarrier(c.db, c.shared, conn.Service, conn.profile, c.send.concurrency)
	worker := work.New(work.Config{
		Database: c.db, Owners: c.owners, Carry: carrier.Carry, Figures: carrier.Figures, Syncs: syncs, Night: n.night, Log: c.log,
	})
	if c.address != "" {
		stop, err := worker.Listen(c.address)
		if err != nil {
			return usagef("--listen: %w", err).hinted("name an address of this machine and a free port, such as 127.0.0.1:9464")
		}
		defer stop()
	}
	defer onHangUp(func() { c.renew(carrier, worker) })()
	err = worker.Run(ctx)
	c.log.Info("ended")
	if failure.Is[*interruptedError](context.Cause(ctx)) && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// onHangUp does something at each SIGHUP until stop is called, and has it end nothing.
func onHangUp(do func()) (stop func()) {
	signals, quit, done := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Reset(syscall.SIGHUP)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer close(done)
		for {
			select {
			case <-signals:
				do()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(quit)
		<-done
	}
}

// renew has the shares go on by the profile as it is now. Where it cannot be used the old one stays.
func (c *workerCommand) renew(carrier *batch.Carrier, worker *work.Worker) {
	now, err := c.loadProfile()
	if err == nil {
		err = carrier.Renew(now)
	}
	if err != nil {
		hint, _ := failure.HintOf(err)
		c.log.Error("the profile stays as it was", "error", err.Error(), "hint", hint)
		return
	}
	c.log.Info("the profile was read anew", "profile", now.Name, "keys", len(now.Keys))
	if err := worker.Restart(c.command.Context()); err != nil {
		c.log.Warn("what waits is tried later", "error", err.Error())
	}
}
