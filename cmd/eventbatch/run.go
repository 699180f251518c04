package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/report"
)

// app is what every command is given: the world around the process and the
// flags that all commands share.
type app struct {
	env            map[string]string
	stdin          io.Reader
	stdout, stderr io.Writer
	screen         *report.Screen // on stderr: progress, logs, prompts
	log            *slog.Logger
	global         globalFlags

	// result is what the command came to, for its JSON and its exit code.
	result result
}

// result is how a command ended beyond its error.
type result struct {
	partial bool // some rows failed, are in doubt or were left out
	changes bool // there are changes, and the caller wants to know
	written bool // the JSON document is out
}

// run is the program: it interprets the arguments, carries the command out, and
// returns the exit code. Nothing below it ends the process.
func run(ctx context.Context, env, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{env: variables(env), stdin: stdin, stdout: stdout, stderr: stderr}
	a.screen = report.NewScreen(stderr, report.ScreenConfig{NoColor: a.env["NO_COLOR"] != "" || a.env["TERM"] == "dumb", Plain: a.env["TERM"] == "dumb"})
	a.log = slog.New(slog.DiscardHandler)
	defer func() {
		if defect := recover(); defect != nil {
			code = a.finish(nil, &defectError{value: defect, stack: debug.Stack()})
		}
	}()
	ctx, stop := interruptible(ctx)
	defer stop()
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	return a.finish(cmd, err)
}

// interruptible ends the context at the first SIGINT or SIGTERM, with the signal
// as its cause. The second one finds the default behaviour: the process leaves
// at once, and the journal is valid at any moment.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&interruptedError{signal: s})
		case <-quit:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(quit)
		<-done
		cancel(nil)
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "eventbatch",
		Short: "Import events in bulk: from a spreadsheet to an event platform, every row accounted for",
		Long: `eventbatch reads rows from spreadsheets and CSV files, checks them, and creates
and updates events from them: within the platform's limits, never twice, and
with a journal from which an interrupted run goes on.

Try it without an account: eventbatch import FILE --sandbox`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.prepare(cmd)
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: err, command: cmd.CommandPath()}
	})
	a.global.register(root.PersistentFlags())
	root.AddCommand(
		a.checkCommand(), a.planCommand(), a.importCommand(), a.applyCommand(), a.retryCommand(),
		a.runsCommand(), a.showCommand(), a.fieldsCommand(), a.explainCommand(),
		a.sandboxCommand(), a.doctorCommand(), a.versionCommand(),
	)
	return root
}

// prepare completes the flags from the environment and sets up what the shared
// ones ask for.
func (a *app) prepare(cmd *cobra.Command) error {
	if err := a.fillFlags(cmd.Flags()); err != nil {
		return &usageError{err: err, command: cmd.CommandPath()}
	}
	g := &a.global
	a.screen = report.NewScreen(a.stderr, report.ScreenConfig{
		NoColor: g.noColor || a.env["NO_COLOR"] != "" || a.env["TERM"] == "dumb",
		Plain:   g.noProgress || g.quiet || a.env["TERM"] == "dumb",
	})
	if g.verbose {
		a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return nil
}

// fillFlags sets each flag that was not given from its EVENTBATCH_ variable. The
// connection's own are left to the profile, which knows their precedence.
func (a *app) fillFlags(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "EVENTBATCH_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, set := a.env[name]
		if f.Changed || !set || value == "" || connectionFlags[f.Name] || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = fmt.Errorf("reading %s: %w", name, err)
		}
	})
	return failed
}

// say prints words for people, unless they asked for none.
func (a *app) say(format string, args ...any) {
	if !a.global.quiet {
		a.screen.Printf(format, args...)
	}
}

func variables(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, pair := range env {
		if name, value, ok := strings.Cut(pair, "="); ok {
			m[name] = value
		}
	}
	return m
}
