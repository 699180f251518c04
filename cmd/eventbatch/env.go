package main

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/report"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/sheet"
)

// env is what every command is given: the world around the process and the
// flags that all commands share.
type env struct {
	commandLine
	logging

	streams

	global globalFlags
	leash  *leash            // nil of a command that a person has given
	eager  bool              // rows are logged as they come to their end, and the progress often: somebody follows the log
	names  map[string]string // of files that were got from elsewhere, by path
	shared journal.Shared    // once it was opened; nil where runs lie in a folder
	db     *postgres.DB      // in which it lies

	edited func(sheet string, row *sheet.Row) // lays what a page has changed over the rows that map reads; nil: nothing

	doubted   string // the workspace of which was warned
	wholeHelp bool   // help has every flag
}

// streams are what a command reads and writes.
type streams struct {
	stdin  io.Reader
	lines  *bufio.Reader // stdin, for what a person answers
	stdout *output       // data
	stderr io.Writer
	screen *report.Screen // on stderr: progress, logs, prompts
	tale   *report.Screen // on stdout: what the command is for, of one that tells; nil of one that acts
}

func newEnv(vars map[string]string, stdin io.Reader, stdout, stderr io.Writer) *env {
	a := &env{
		commandLine: commandLine{vars: vars},
		streams:     streams{stdin: stdin, lines: bufio.NewReader(stdin), stdout: &output{w: stdout}, stderr: stderr},
	}
	a.screen = a.newScreen()
	a.log = slog.New(slog.DiscardHandler)
	return a
}

func variables(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			m[name] = value
		}
	}
	return m
}

// output is standard output, with the first error of writing to it: whoever
// prints a page of help does not ask.
type output struct {
	w      io.Writer
	used   bool
	failed error
}

func (o *output) Write(data []byte) (int, error) {
	o.used = true
	n, err := o.w.Write(data)
	if err != nil && o.failed == nil {
		o.failed = failure.New(failure.Output, fmt.Errorf("writing the output: %w", err), "")
	}
	return n, err
}
