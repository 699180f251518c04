package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/printable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/spelling"
)

// run is the program: it interprets the arguments, carries the command out, and
// returns the exit code. Nothing below it ends the process.
func run(ctx context.Context, environ, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return newEnv(variables(environ), stdin, stdout, stderr).do(ctx, args)
}

// do carries a command out, and returns the exit code.
func (a *env) do(ctx context.Context, args []string) (code int) {
	log.SetOutput(io.Discard) // net/http logs there what a server sends unasked, even where that is the key
	var cmd *cobra.Command
	defer func() {
		if value := recover(); value != nil {
			caught := panics.NewRecovered(1, value)
			code = a.finish(cmd, &defectError{&caught})
		}
	}()
	ctx, stop := interruptible(ctx)
	defer stop()
	defer a.closeStore()
	root := a.root()
	args, a.wholeHelp = asksForAll(looking(root, args))
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		complete(a, root)
		unquoteForShells(root)
	}
	cmd = named(root, args)
	cmd, err := root.ExecuteContextC(ctx)
	if failure.Is[*usageError](err) || cmd == nil || !cmd.Flags().Parsed() {
		a.global.json = a.global.json || asksForJSON(args, a.vars)
	}
	code = a.finish(cmd, because(ctx, err))
	if code == exitDone && a.stdout.failed != nil {
		code = a.finish(cmd, a.stdout.failed)
	}
	return code
}

// named returns the command that the arguments name, for a panic that comes before
// cobra has told it.
func named(root *cobra.Command, args []string) *cobra.Command {
	if cmd, _, err := root.Find(args); err == nil {
		return cmd
	}
	return root
}

// asksForJSON finds --json in a command line that could not be read to its end.
func asksForJSON(args []string, vars map[string]string) bool {
	said := vars["EVENTBATCH_JSON"]
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if name, value, given := strings.Cut(arg, "="); name == "--json" {
			if said = value; !given {
				return true
			}
			break
		}
	}
	yes, err := strconv.ParseBool(said)
	return err == nil && yes
}

// interruptible ends the context at the first SIGINT or SIGTERM, with the signal
// as its cause. The second one finds the default behaviour: the process leaves
// at once, and the journal is valid at any moment; but a SIGTERM within a second of
// another is the same one, which timeout(1) sends to the process and to its group.
// SIGHUP, of a terminal that is closed, is a SIGTERM, unless nohup(1) has it ignored.
// A reader of the output that goes away is an error of writing, and not the end of a run.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, pipe := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(pipe, syscall.SIGPIPE)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case s := <-signals:
			if s == syscall.SIGINT {
				signal.Stop(signals) // before anybody hears of it, and asks: the answer may be the second
			}
			cancel(&interruptedError{signal: s})
			if s != syscall.SIGINT {
				select {
				case <-time.After(time.Second):
				case <-quit:
				}
			}
			signal.Stop(signals)
		case <-quit:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
		close(quit)
		<-done
		cancel(nil)
	}
}

func (a *env) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "eventbatch",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(wrongFlag)
	a.global.register(root.PersistentFlags())
	for _, g := range commandTable() {
		for _, row := range g.commands {
			if row.create != nil {
				root.AddCommand(row.create(a))
			}
		}
	}
	root.AddCommand(topics()...)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { showHelp(a, cmd) })
	strictWords(root)
	return root
}

// prepare completes the flags from the environment and sets up what the shared
// ones ask for.
func (a *env) prepare(cmd *cobra.Command) error {
	a.command = cmd
	if err := a.fillFlags(cmd.Flags()); err != nil {
		return &usageError{err: err}
	}
	if a.global.json {
		switch {
		case cmd.HasParent() && cmd.Parent().Name() == "completion":
			return usagef("completion prints a script for a shell, and no document").hinted("leave --json out")
		case cmd.HasAvailableSubCommands() && rowOf(cmd).documents == nil:
			return usagef("%s prints a page of help, and no document", cmd.Name())
		}
	}
	if err := a.startLog(&a.global, cmd.Name(), a.stderr, false); err != nil {
		return err
	}
	a.screen = a.newScreen()
	unknownVariables(a, cmd.Root())
	a.findRoom()
	return nil
}

// fillFlags sets each flag that was not given from its EVENTBATCH_ variable. The
// connection's own are left to the profile, which knows their precedence.
func (a *env) fillFlags(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, set := a.vars[name]
		if f.Changed || !set || value == "" || connectionFlags[f.Name] || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = fmt.Errorf("reading %s: %w", name, wrongFlag(a.command, err))
		}
	})
	return failed
}

// unknownVariables warns of variables that look like a flag's and belong to none.
func unknownVariables(a *env, root *cobra.Command) {
	unknown := map[string]bool{}
	for name := range a.vars {
		if strings.HasPrefix(name, "EVENTBATCH_") && name != keyVariable {
			unknown[name] = true
		}
	}
	known := []string{keyVariable}
	strike := func(f *pflag.Flag) {
		name := variable(f.Name)
		known = append(known, name)
		delete(unknown, name)
	}
	for _, cmd := range append([]*cobra.Command{a.command, root}, root.Commands()...) {
		if len(unknown) == 0 {
			return
		}
		cmd.Flags().VisitAll(strike)
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		a.say("warning: %s is not the variable of a flag and is not read\n", printable.Clean(name))
		if near := spelling.Nearest(name, known); near != "" && !a.global.quiet {
			a.screen.Hint("did you mean " + near + "?")
		}
	}
}

// keyVariable is the variable of the key, which no flag stands for.
const keyVariable = "EVENTBATCH_API_KEY"
