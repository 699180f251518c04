package main

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group is a part of the list of commands.
type group struct {
	title    string
	commands []command // in the order in which a person comes to them
}

// command is a row of the table of commands: what makes it, and what a program has to know of it before it calls it,
// besides its words and flags. Tests hold that against what scripts see: the documents that are printed, and the exit codes.
type command struct {
	words     string                    // behind the program's name
	create    func(*env) *cobra.Command // nil where the command above it, or cobra, has it already
	repeat    repetition
	leave     string // what gives leave to reach people and money; empty of a command that reaches nobody
	uses      uses
	documents []string // that --json prints, but for the one of an end that has no other; nil where it refuses --json
}

// uses are what a command may fail at; asks is said where a person is asked, or a file that is there is left alone.
type uses struct{ files, runs, service, asks, sends bool }

// repetition is what a second call of the same command does.
type repetition string

const (
	readOnly    repetition = "read-only"
	finds       repetition = "idempotent"
	resumes     repetition = "resumable"
	once        repetition = "exactly-once"
	byOperation repetition = "by-operation"
)

// repetitions say why the same command may be given twice, and whether it may without a look at what the first one did.
var repetitions = map[repetition]struct {
	safe bool
	why  string
}{
	readOnly:    {true, "it changes nothing but the files that it is asked to write"},
	finds:       {true, "the second time finds it done"},
	resumes:     {true, "it goes on where the first one stopped"},
	once:        {true, "it goes on where the first one stopped, and sends no row again that was sent"},
	byOperation: {false, "what a second request does depends on the operation: eventbatch operations says it"},
}

// byAllow is what gives leave to most commands that reach people.
const byAllow = "--allow, or allow in the profile"

// commandTable returns the commands, group by group. It is no variable: help and the manual read it, and they are reached
// from what it has.
func commandTable() []group {
	imports := uses{files: true, runs: true, service: true, sends: true}
	return []group{
		{"Start", []command{
			{"look", newLookCommand, readOnly, "", uses{files: true}, []string{"look"}},
			{"open", newOpenCommand, resumes, "a tick within --allow", uses{files: true, runs: true, service: true}, []string{"open"}},
			{"init", newInitCommand, finds, "", uses{files: true, service: true, asks: true}, []string{"init"}},
			{"template", newTemplateCommand, readOnly, "", uses{}, []string{"template"}},
			{"map", newMapCommand, readOnly, "", uses{files: true}, []string{"map"}},
			{"map show", nil, readOnly, "", uses{files: true}, []string{"preset", "presets"}},
			{"map test", nil, readOnly, "", uses{files: true}, []string{"tests"}},
			{"sandbox", newSandboxCommand, finds, "", uses{runs: true}, []string{"sandbox"}},
			{"sandbox fill", nil, finds, "", uses{runs: true}, []string{"fill"}},
			{"sandbox outbox", nil, readOnly, "", uses{runs: true}, []string{"outbox"}},
			{"doctor", newDoctorCommand, finds, "", uses{runs: true, service: true}, []string{"doctor"}},
		}},
		{"Check", []command{
			{"check", newCheckCommand, readOnly, "", uses{files: true}, []string{"check"}},
			{"fix", newFixCommand, readOnly, "", uses{files: true, asks: true}, []string{"fix"}},
			{"explain", newExplainCommand, readOnly, "", uses{}, []string{"codes"}},
			{"fields", newFieldsCommand, readOnly, "", uses{}, []string{"fields"}},
			{"operations", newOperationsCommand, readOnly, "", uses{}, []string{"operations"}},
		}},
		{"Send", []command{
			{"plan", newPlanCommand, resumes, "", imports, []string{"run"}},
			{"import", newImportCommand, once, byAllow, imports, []string{"run"}},
			{"migrate", newMigrateCommand, once, byAllow, imports, []string{"run"}},
			{"apply", newApplyCommand, once, byAllow, uses{runs: true, service: true, sends: true}, []string{"run"}},
			{"retry", newRetryCommand, once, byAllow, uses{runs: true, service: true, sends: true}, []string{"run"}},
			{"undo", newUndoCommand, once, byAllow, uses{runs: true, service: true, sends: true}, []string{"run"}},
			{"sync", newSyncCommand, once, byAllow, imports, []string{"run"}},
			{"sync install", nil, readOnly, "", uses{runs: true}, []string{"install"}},
			{"call", newCallCommand, byOperation, byAllow, imports, []string{"answer", "run"}},
		}},
		{"Look back", []command{
			{"export", newExportCommand, resumes, "", uses{runs: true, service: true}, []string{"export"}},
			{"runs", newRunsCommand, readOnly, "", uses{runs: true}, []string{"runs"}},
			{"runs prune", nil, finds, "", uses{runs: true}, []string{"prune"}},
			{"show", newShowCommand, readOnly, "", uses{runs: true}, []string{"show"}},
			{"report", newReportCommand, readOnly, "", uses{runs: true}, []string{"month", "report"}},
		}},
		{"Set up", []command{
			{"store", newStoreCommand, readOnly, "", uses{}, nil},
			{"store check", nil, readOnly, "", uses{runs: true}, []string{"store"}},
			{"store copy", nil, finds, "", uses{runs: true}, []string{"store"}},
			{"store migrate", nil, finds, "", uses{runs: true}, []string{"store"}},
			{"worker", newWorkerCommand, resumes, "that of the command which left the run", uses{runs: true, service: true}, nil},
			{"mcp", newMCPCommand, resumes, "--allow, for apply alone, which --apply serves", uses{runs: true, service: true}, nil},
			{"schema", newSchemaCommand, readOnly, "", uses{}, []string{"schema"}},
			{"commands", newCommandsCommand, readOnly, "", uses{}, []string{"commands"}},
			{"completion", nil, readOnly, "", uses{}, nil},
			{"completion bash", nil, readOnly, "", uses{}, nil},
			{"completion fish", nil, readOnly, "", uses{}, nil},
			{"completion powershell", nil, readOnly, "", uses{}, nil},
			{"completion zsh", nil, readOnly, "", uses{}, nil},
			{"man", newManCommand, readOnly, "", uses{}, []string{"man"}},
			{"version", newVersionCommand, readOnly, "", uses{}, []string{"version"}},
		}},
	}
}

// newCommand returns a command: how it is called, what its arguments may be, and what it does.
func newCommand(use string, args cobra.PositionalArgs, run func(context.Context, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }}
}

// newBareCommand returns one without arguments.
func newBareCommand(name string, run func(context.Context) error) *cobra.Command {
	return newCommand(name, needNothing, func(ctx context.Context, _ []string) error { return run(ctx) })
}

// newRunCommand returns one about a run.
func newRunCommand(a *env, verb string, run func(ctx context.Context, id string) error) *cobra.Command {
	cmd := newCommand(verb+" RUN", needRun, func(ctx context.Context, args []string) error { return run(ctx, args[0]) })
	cmd.ValidArgsFunction = completeRuns(a)
	return cmd
}

// exits returns the codes that a command may end with.
func (c command) exits(flags *pflag.FlagSet) []int {
	codes := map[int]bool{
		exitDone: true, exitInternal: true, exitUsage: true, exitIOErr: true, exitConfig: true, exitInterrupted: true, exitTerminated: true,
	}
	for _, may := range []struct {
		uses  bool
		codes []int
	}{
		{c.uses.files, []int{exitInvalid, exitNoInput, exitUnavailable, exitNoPerm}},
		{c.uses.runs, []int{exitPartial, exitStale, exitLocked, exitNoInput, exitUnavailable, exitNoPerm}},
		{c.uses.service, []int{exitPartial, exitStopped, exitUnavailable, exitNoPerm}},
		{c.uses.asks || c.uses.sends, []int{exitRefused}},
		{c.uses.sends, []int{exitPartial, exitStale, exitLocked, exitStopped}},
		{flags.Lookup("detailed-exitcode") != nil, []int{exitChanges}},
	} {
		for _, code := range may.codes {
			codes[code] = codes[code] || may.uses
		}
	}
	maps.DeleteFunc(codes, func(_ int, may bool) bool { return !may })
	return slices.Sorted(maps.Keys(codes))
}

// rowOf returns the row of a command: an empty one of a topic, and of the program itself.
func rowOf(cmd *cobra.Command) command {
	words := below(cmd)
	for _, g := range commandTable() {
		for _, row := range g.commands {
			if row.words == words {
				return row
			}
		}
	}
	return command{}
}
