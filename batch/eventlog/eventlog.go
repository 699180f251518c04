// Package eventlog writes logs of which every line is an object that says what it tells, and of which row: what became
// of rows, what is wrong with them, how far a run has come, how a night has ended. Words for people are lines too.
package eventlog

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

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// About is what all lines of a log are about.
type About struct {
	Command string

	mu        sync.Mutex
	sync, run string
}

// Set notes the sync and the run that lines are about from now on; what is empty stays as it was.
func (b *About) Set(sync, run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sync, b.run = cmp.Or(sync, b.sync), cmp.Or(run, b.run)
}

// New returns a log of lines about something.
func New(to io.Writer, level slog.Level, about *About) *slog.Logger {
	return slog.New(&handler{slog.NewJSONHandler(&lines{to}, &slog.HandlerOptions{Level: level}), about})
}

// Beside returns a log beside another whose lines are about something else; nil where that is none of this package.
func Beside(log *slog.Logger, about *About) *slog.Logger {
	h, ok := log.Handler().(*handler)
	if !ok {
		return nil
	}
	return slog.New(&handler{h.Handler, about})
}

// handler gives every line the same fields, whoever writes it. What a line has besides stands
// under more.
type handler struct {
	slog.Handler
	about *About
}

// rowFields are the fields of a line that say what it tells, and which row it is about; row is a number.
var rowFields = []string{"event", "file", "sheet", "row", "key", "event_id", "code"}

func (l *handler) Handle(ctx context.Context, r slog.Record) error {
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
	line.AddAttrs(slog.String("command", l.about.Command), slog.String("sync", l.about.sync), slog.String("run", l.about.run))
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

// lines puts the format before the other members of a line, which a handler writes at once.
type lines struct{ to io.Writer }

func (w *lines) Write(line []byte) (int, error) {
	_, err := fmt.Fprintf(w.to, "{\"format\":%q,%s", finding.Format("log"), line[1:])
	return len(line), err
}

// Words is the writer of a screen whose lines go to the log.
type Words struct {
	Log *slog.Logger

	held []byte // of a line that has not ended
}

func (w *Words) Write(p []byte) (int, error) {
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

func (w *Words) line(text string) {
	text = strings.TrimSpace(text)
	level := slog.LevelInfo
	for _, l := range levels {
		if rest, ok := strings.CutPrefix(text, l.begin); ok {
			text, level = rest, l.level
		}
	}
	if text != "" {
		w.Log.Log(context.Background(), level, text)
	}
}

// The events of a log. A line without one is words for people.
const (
	ofRow      = "row"      // what became of a row
	ofProblem  = "problem"  // what is wrong with one, or with a file
	OfProgress = "progress" // how far a run has come
	ofChange   = "change"   // a field that a row changes, or which stays as the platform has it
	ofGone     = "gone"     // a key that is gone from its source
	ofNight    = "night"    // the end of a sync
	OfEnd      = "end"      // why a command has failed
)

// Rows is a sink that logs what became of each row, unchanged ones for those alone who
// want to know everything.
type Rows struct{ Log *slog.Logger }

// Row logs a row.
func (l Rows) Row(row *finding.Row) {
	level := slog.LevelInfo
	switch {
	case row.Status.Bad():
		level = slog.LevelError
	case row.Status == finding.Unchanged || row.Status == finding.Skipped || row.Status == finding.Valid:
		level = slog.LevelDebug
	}
	code := ""
	for _, p := range row.Problems {
		if row.Status == finding.Failed { // its error says it
			code = cmp.Or(code, string(p.Code))
			continue
		}
		l.ProblemOf(p, row.Event.Key, row.Event.ID)
	}
	if row.Status == finding.Invalid {
		return // its problems say it
	}
	words := row.Status.Words()
	if why := row.Why(); why != "" {
		words += ": " + printable.Clean(why)
	}
	l.Log.Log(
		context.Background(), level, words,
		"event", ofRow, "file", row.File, "sheet", row.Sheet, "row", row.Number, "key", row.Event.Key, "event_id", row.Event.ID,
		"code", code, "status", string(row.Status), "name", row.Event.Name,
	)
}

// Progress logs how far a run has come.
func (l Rows) Progress(words string, so report.Stand) {
	l.Log.Info(
		words, "event", OfProgress, "settled", so.Settled, "total", so.Total, "failed", so.Failed, "in_doubt", so.InDoubt,
	)
}

// Problem logs a problem of a whole file.
func (l Rows) Problem(p schema.Problem) { l.ProblemOf(p, "", "") }

// ProblemOf logs a problem of the row of an event.
func (l Rows) ProblemOf(p schema.Problem, key, eventID string) {
	l.Log.Log(
		context.Background(), levelOf(p.Severity), printable.Clean(p.Message),
		"event", ofProblem, "file", p.Place.File, "sheet", p.Place.Sheet, "row", max(p.Place.Row, 0), "key", key,
		"event_id", eventID, "code", string(p.Code), "cell", p.Place.Cell(), "hint", p.Hint,
	)
}

// levelOf returns the level of a problem.
func levelOf(s schema.Severity) slog.Level {
	if s == schema.Warning {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// Kinds returns what logs problems, once all that say the same.
func Kinds(log *slog.Logger) func(report.Kind) {
	return func(k report.Kind) {
		about := []any{"file", k.Place.File, "cells", k.Cells, "times", k.Times, "code", string(k.Code)}
		if k.Place.Sheet != "" {
			about = append(about, "sheet", k.Place.Sheet)
		}
		if k.Hint != "" {
			about = append(about, "hint", k.Hint)
		}
		log.Log(context.Background(), levelOf(k.Severity), printable.Clean(k.Message), about...)
	}
}

// change logs a field that changes, or stays.
func (l Rows) change(c finding.ChangeLine, sheet, key string) {
	before := c.Live
	if before == nil {
		before = c.Base
	}
	words := c.Field + ": "
	if before != nil {
		words += printable.Brief(*before, shownValue) + " → "
	}
	l.Log.Info(
		words+printable.Brief(c.Mine, shownValue), "event", ofChange, "file", c.File, "sheet", sheet, "row", c.Row, "key", key,
		"event_id", c.EventID, "field", c.Field, "decision", c.Decision, "why", c.Why,
	)
}

// shownValue is how many characters of a value stand in a line.
const shownValue = 60

// Plan logs what a plan would do with each row that there is already, and takes that out of the words for
// people.
func (l Rows) Plan(words *report.PlanWords) {
	for i := range words.Missing {
		gone := &words.Missing[i]
		l.Log.Info(
			printable.Clean(gone.Action+": "+gone.Reason), "event", ofGone, "key", gone.Key, "event_id", gone.EventID,
			"name", gone.Name,
		)
	}
	for i := range words.Changed {
		row := &words.Changed[i]
		row.ChangeLines(func(c finding.ChangeLine) { l.change(c, row.Sheet, row.Event.Key) })
	}
	for _, c := range words.Compared {
		if c.Decision == string(plan.Left) || c.Decision == string(plan.Lost) { // the others are among those, or conflicts
			l.change(c, "", "")
		}
	}
	words.Missing, words.Changed, words.Compared = nil, nil, nil
}

// Night logs how a sync has ended.
func Night(ctx context.Context, log *slog.Logger, level slog.Level, message string, doc *report.Run, exit finding.Exit, more ...any) {
	log.Log(ctx, level, message, append([]any{
		"event", ofNight, "exit", exit, "rows", doc.Rows, "requests", doc.Requests.Made,
	}, more...)...)
}

// End has nothing to write.
func (Rows) End(*finding.Summary) error { return nil }
