package main

import (
	"io"
	"log/slog"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/eventlog"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
)

// jsonLogs has every line on standard error be an object: those of the log, and words for
// people too.
const jsonLogs = "json"

// logging is where a command logs to.
type logging struct {
	log   *slog.Logger
	about eventlog.About    // which run the log's lines are about
	words *eventlog.Words   // of the screen, where they go to the log; nil where they do not
	kinds func(report.Kind) // logs problems that go to a log which is no object a line; nil where they do not
}

// startLog sets up the log that the flags ask for. It is always what some commands say.
func (l *logging) startLog(g *globalFlags, command string, stderr io.Writer, always bool) error {
	if err := oneOf("log-format", g.logFormat); err != nil {
		return err
	}
	level := slog.LevelInfo
	switch {
	case g.verbose:
		level = slog.LevelDebug
	case g.quiet:
		level = slog.LevelError
	}
	switch {
	case g.logFormat == jsonLogs:
		l.about.Command = command
		l.log = eventlog.New(stderr, level, &l.about)
		l.words = &eventlog.Words{Log: l.log}
	case g.verbose || always:
		l.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	}
	return nil
}

// logsJSON reports whether what is said is said in objects.
func (l *logging) logsJSON() bool { return l.words != nil }

// eagerEvery is how often an eager log tells the progress.
const eagerEvery = 250 * time.Millisecond

// settling logs each row as it comes to its end.
type settling struct {
	*report.Progress

	log     eventlog.Rows
	sources []plan.Sheet
}

// Settled logs a row.
func (s settling) Settled(op *plan.Op, end *journal.Record) {
	s.Progress.Settled(op, end)
	source := &s.sources[op.Row.Sheet]
	s.log.Row(&found.Row{
		File: source.File, Sheet: source.Sheet, Number: op.Row.Number, Status: batch.Settled(op, end),
		Event: found.Event{Key: op.Label(), ID: op.Event.ID, Name: op.Event.Name},
	})
}
