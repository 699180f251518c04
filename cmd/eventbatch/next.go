package main

import (
	"context"
	"strings"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// ending returns how a command ends that nothing has stopped: not with all rows, or with changes, where that is asked for.
func ending(partial, changes bool) error {
	switch {
	case partial:
		return &statusError{exitPartial}
	case changes:
		return &statusError{exitChanges}
	}
	return nil
}

// goOn names the command that goes on with a run, where there is something to do.
func goOn(a *env, words *report.DoneWords, run *journal.Run, open bool, allow []string) {
	again := ""
	if run.Header().Target.BaseURL == sandbox.Address && !a.global.sandbox {
		again = " --sandbox"
	}
	if len(allow) > 0 {
		again += " --allow " + strings.Join(allow, ",")
	}
	switch {
	case open:
		words.GoOn = a.resumeCommand("apply", run.ID()) + again
	case words.Rows[found.Failed] > 0:
		if state, err := run.State(); err != nil || batch.Retries(state) { // else the same command, or retry, says why
			words.Retry = a.resumeCommand("retry", run.ID()) + again
		}
	}
}

// marking returns the command that shows every problem of files at its cell: in a marked copy where
// there can be one. It is empty where the command has read no files by flags that check has too.
func marking(ctx context.Context, a *env, files []string, read sheet.Options) string {
	if a.command.Flags().Lookup("mapping") == nil || a.command.Flags().Lookup("header-row") == nil {
		return ""
	}
	var command strings.Builder
	command.WriteString("eventbatch check")
	for _, name := range files {
		if given := a.names[name]; given != "" {
			name = given
		}
		if name == "-" {
			return ""
		}
		command.WriteString(" " + spelling.Quoted(name))
	}
	return command.String() + a.flagsAlso(new(readingFlags).register) + " --report " + markedName(ctx, files, read)
}

// markedName returns what the report is best called in which every problem of files is at its cell.
func markedName(ctx context.Context, files []string, read sheet.Options) string {
	if len(files) == 1 && files[0] != "-" && sheet.Markable(ctx, files[0], read) {
		return "marked.xlsx"
	}
	return "problems.csv"
}

// restOf says where the problems of files stand that the screen does not name.
func restOf(ctx context.Context, a *env, files []string, read sheet.Options) func() string {
	return func() string {
		command := marking(ctx, a, files, read)
		switch {
		case command == "":
			return "--json prints every one"
		case strings.HasSuffix(command, ".xlsx"):
			return command + " marks every one at its cell; --json prints them"
		}
		return command + " lists every one; --json prints them"
	}
}
