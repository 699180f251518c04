package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// jsonLogs has every line on standard error be an object: those of the log, and words for
// people too.
const jsonLogs = "json"

// logging is where a command logs to.
type logging struct {
	log   *slog.Logger
	about about             // which run the log's lines are about
	words *logWords         // of the screen, where they go to the log; nil where they do not
	kinds func(report.Kind) // logs problems that go to a log which is no object a line; nil where they do not
}

// startLog sets up the log that the flags ask for.
func (l *logging) startLog(g *globalFlags, command string, stderr io.Writer) error {
	if formats := flagWords["log-format"]; !slices.Contains(formats, g.logFormat) {
		return wrongWord("--log-format", g.logFormat, formats)
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
		l.about.command = command
		l.log = slog.New(&logs{slog.NewJSONHandler(&logLines{stderr}, &slog.HandlerOptions{Level: level}), &l.about})
		l.words = &logWords{log: l.log}
	case g.verbose:
		l.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	}
	return nil
}

// logsJSON reports whether what is said is said in objects.
func (l *logging) logsJSON() bool { return l.words != nil }

// about is what all lines of a log are about.
type about struct {
	mu                 sync.Mutex
	command, sync, run string
}

func (b *about) set(sync, run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sync, b.run = cmp.Or(sync, b.sync), cmp.Or(run, b.run)
}

// logs gives every line the same fields, whoever writes it. What a line has besides stands
// under more.
type logs struct {
	slog.Handler
	about *about
}

// rowFields are the fields of a line that say what it tells, and which row it is about; row is a number.
var rowFields = []string{"event", "file", "sheet", "row", "key", "event_id", "code"}

func (l *logs) Handle(ctx context.Context, r slog.Record) error {
	fields, more := map[string]slog.Value{}, map[string]any{}
	r.Attrs(func(a slog.Attr) bool {
		switch value := a.Value.Resolve(); {
		case slices.Contains(rowFields, a.Key):
			fields[a.Key] = value
		case value.Kind() == slog.KindGroup:
			more[a.Key] = a.Value.Any() // of a type that documents have too
		default:
			more[a.Key] = value.Any()
		}
		return true
	})
	line := slog.NewRecord(r.Time, r.Level, r.Message, 0)
	l.about.mu.Lock()
	line.AddAttrs(slog.String("command", l.about.command), slog.String("sync", l.about.sync), slog.String("run", l.about.run))
	l.about.mu.Unlock()
	for _, name := range rowFields {
		value, known := fields[name]
		if !known && name == "row" {
			value = slog.IntValue(0)
		} else if !known {
			value = slog.StringValue("")
		}
		line.AddAttrs(slog.Attr{Key: name, Value: value})
	}
	line.AddAttrs(slog.Any("more", more))
	return l.Handler.Handle(ctx, line)
}

// logLines puts the format before the other members of a line, which a handler writes at once.
type logLines struct{ to io.Writer }

func (w *logLines) Write(line []byte) (int, error) {
	_, err := fmt.Fprintf(w.to, "{\"format\":%q,%s", found.Format("log"), line[1:])
	return len(line), err
}

// logWords is the writer of a screen whose lines go to the log.
type logWords struct {
	log  *slog.Logger
	held []byte // of a line that has not ended
}

func (w *logWords) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	for {
		line, rest, ended := bytes.Cut(w.held, []byte("\n"))
		if !ended {
			return len(p), nil
		}
		w.line(string(line))
		w.held = rest
	}
}

// levels are those of the lines that begin so.
var levels = []struct {
	begin string
	level slog.Level
}{{"eventbatch: ", slog.LevelError}, {"warning: ", slog.LevelWarn}}

func (w *logWords) line(text string) {
	text = strings.TrimSpace(text)
	level := slog.LevelInfo
	for _, l := range levels {
		if rest, ok := strings.CutPrefix(text, l.begin); ok {
			text, level = rest, l.level
		}
	}
	if text != "" {
		w.log.Log(context.Background(), level, text)
	}
}

// The events of a log. A line without one is words for people.
const (
	rowEvent      = "row"      // what became of a row
	problemEvent  = "problem"  // what is wrong with one, or with a file
	progressEvent = "progress" // how far a run has come
	changeEvent   = "change"   // a field that a row changes, or which stays as the platform has it
	goneEvent     = "gone"     // a key that is gone from its source
	nightEvent    = "night"    // the end of a sync
	endEvent      = "end"      // why a command has failed
)

// rowLog is a sink that logs what became of each row, unchanged ones for those alone who
// want to know everything.
type rowLog struct{ log *slog.Logger }

// Row logs a row.
func (l rowLog) Row(row *found.Row) {
	level := slog.LevelInfo
	switch {
	case row.Status.Bad():
		level = slog.LevelError
	case row.Status == found.Unchanged || row.Status == found.Skipped || row.Status == found.Valid:
		level = slog.LevelDebug
	}
	code := ""
	for _, p := range row.Problems {
		if row.Status == found.Failed { // its error says it
			code = cmp.Or(code, string(p.Code))
			continue
		}
		l.problem(p, batch.Whose{Key: row.Event.Key, EventID: row.Event.ID})
	}
	if row.Status == found.Invalid {
		return // its problems say it
	}
	words := strings.ReplaceAll(string(row.Status), "_", " ")
	if why := row.Why(); why != "" {
		words += ": " + printable.Clean(why)
	}
	l.log.Log(
		context.Background(), level, words,
		"event", rowEvent, "file", row.File, "sheet", row.Sheet, "row", row.Number, "key", row.Event.Key, "event_id", row.Event.ID,
		"code", code, "status", string(row.Status),
	)
}

// progress logs how far a run has come.
func (l rowLog) progress(words string, so report.Stand) {
	l.log.Info(
		words, "event", progressEvent, "settled", so.Settled, "total", so.Total, "failed", so.Failed, "in_doubt", so.InDoubt,
	)
}

// eagerEvery is how often an eager log tells the progress.
const eagerEvery = 250 * time.Millisecond

// settling logs each row as it comes to its end.
type settling struct {
	*report.Progress

	log     rowLog
	sources []found.Source
}

// Settled logs a row.
func (s settling) Settled(op *plan.Op, end *journal.Record) {
	s.Progress.Settled(op, end)
	source := &s.sources[op.Row.Sheet]
	s.log.Row(&found.Row{
		File: source.File, Sheet: source.Sheet, Number: op.Row.Number, Status: batch.Settled(op, end),
		Event: found.Event{Key: op.Label(), ID: op.Event.ID},
	})
}

// Problem logs a problem of a whole file.
func (l rowLog) Problem(p schema.Problem) { l.problem(p, batch.Whose{}) }

func (l rowLog) problem(p schema.Problem, of batch.Whose) {
	level := slog.LevelError
	if p.Severity == schema.Warning {
		level = slog.LevelWarn
	}
	l.log.Log(
		context.Background(), level, printable.Clean(p.Message),
		"event", problemEvent, "file", p.Place.File, "sheet", p.Place.Sheet, "row", max(p.Place.Row, 0), "key", of.Key,
		"event_id", of.EventID, "code", string(p.Code), "cell", p.Place.Cell(), "hint", p.Hint,
	)
}

// logKind returns what logs problems, once all that say the same.
func logKind(log *slog.Logger) func(report.Kind) {
	return func(k report.Kind) {
		level := slog.LevelError
		if k.Severity == schema.Warning {
			level = slog.LevelWarn
		}
		about := []any{"file", k.Place.File, "cells", k.Cells, "times", k.Times, "code", string(k.Code)}
		if k.Place.Sheet != "" {
			about = append(about, "sheet", k.Place.Sheet)
		}
		if k.Hint != "" {
			about = append(about, "hint", k.Hint)
		}
		log.Log(context.Background(), level, printable.Clean(k.Message), about...)
	}
}

// change logs a field that changes, or stays.
func (l rowLog) change(c found.ChangeLine, sheet, key string) {
	before := c.Live
	if before == nil {
		before = c.Base
	}
	words := c.Field + ": "
	if before != nil {
		words += printable.Brief(*before, shownValue) + " → "
	}
	l.log.Info(
		words+printable.Brief(c.Mine, shownValue), "event", changeEvent, "file", c.File, "sheet", sheet, "row", c.Row, "key", key,
		"event_id", c.EventID, "field", c.Field, "decision", c.Decision, "why", c.Why,
	)
}

// shownValue is how many characters of a value stand in a line.
const shownValue = 60

// plan logs what a plan would do with each row that there is already, and takes that out of the words for
// people.
func (l rowLog) plan(words *report.PlanWords) {
	for i := range words.Missing {
		gone := &words.Missing[i]
		l.log.Info(
			printable.Clean(gone.Action+": "+gone.Reason), "event", goneEvent, "key", gone.Key, "event_id", gone.EventID,
			"name", gone.Name,
		)
	}
	for i := range words.Changed {
		row := &words.Changed[i]
		row.ChangeLines(func(c found.ChangeLine) { l.change(c, row.Sheet, row.Event.Key) })
	}
	for _, c := range words.Compared {
		if c.Decision == string(plan.Left) || c.Decision == string(plan.Lost) { // the others are among those, or conflicts
			l.change(c, "", "")
		}
	}
	words.Missing, words.Changed, words.Compared = nil, nil, nil
}

// logNight logs how a sync has ended.
func logNight(ctx context.Context, log *slog.Logger, level slog.Level, message string, doc *report.Run, exit found.Exit, more ...any) {
	log.Log(ctx, level, message, append([]any{
		"event", nightEvent, "exit", exit, "rows", doc.Rows, "requests", doc.Requests.Made,
	}, more...)...)
}

// End has nothing to write.
func (rowLog) End(*found.Summary) error { return nil }
