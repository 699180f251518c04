package main

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"eventbatch/batch"
	"eventbatch/batch/dialog"
	"eventbatch/batch/eventlog"
	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// tells has what is found go to standard output from now on: the command is called for that. What a command that acts
// says of it is said on the way, on standard error. Lines of a log that are objects stay where they are.
func (a *env) tells() {
	if !a.global.json && !a.logsJSON() {
		a.tale = a.screenOn(a.stdout.w).Onto(a.stdout)
	}
}

// telling returns the screen for what is found.
func (a *env) telling() *report.Screen { return cmp.Or(a.tale, a.screen) }

// tell prints what is found, unless nobody wants words.
func (a *env) tell(format string, args ...any) {
	if !a.global.quiet {
		a.telling().Printf(format, args...)
	}
}

// say prints words for people, unless they asked for none.
func (a *env) say(format string, args ...any) {
	if !a.global.quiet {
		a.screen.Printf(format, args...)
	}
}

// hint says what to do, unless nobody wants words.
func (a *env) hint(words string) {
	if !a.global.quiet {
		a.screen.Hint(words)
	}
}

// canAsk reports whether map can ask a person about the file.
func (a *env) canAsk(file string) bool {
	return file != "-" && !a.global.json && !a.global.quiet && report.IsTerminal(a.stdin) && report.IsTerminal(a.stderr)
}

// person returns who can be asked.
func (a *env) person() dialog.Person { return dialog.Person{Screen: a.screen, Lines: a.lines} }

// unread is what is left to say of an input whose problems are told.
const unread = "the input cannot be read; nothing was sent"

// wordScreen returns the screen for what a document says too: nobody sees it then.
func (a *env) wordScreen() *report.Screen {
	if a.global.json {
		return a.screen.Onto(io.Discard)
	}
	return a.telling()
}

// showProblems prints what is wrong with the input.
func (a *env) showProblems(problems *report.Problems, err error, instead string) error {
	if a.logsJSON() && !a.global.json {
		return err
	}
	_ = problems.End(&found.Summary{}) // a screen never fails
	if a.global.json {
		return err
	}
	return shown(err, instead)
}

// shown returns an error that says only what the problems on the screen have not said
// where they are the error.
func shown(err error, instead string) error {
	if failure.Is[*sheet.Error](err) || failure.Is[*mapping.HeaderError](err) {
		return &shownError{err: err, words: instead}
	}
	return err
}

// sayLeftBehind says what the input has and nothing takes.
func (a *env) sayLeftBehind(list []schema.LeftBehind) {
	if len(list) > 0 {
		a.tell("left behind: %s\n", printable.Clean(schema.LeftBehindWords(list)))
	}
}

// sayDecided says what the platform decides of new events.
func (a *env) sayDecided(d schema.Decided) {
	if !a.global.quiet && !a.logsJSON() {
		a.telling().Decided(d)
	}
}

// sayNotes says what a person has to know besides.
func (a *env) sayNotes(notes []string) {
	for _, note := range notes {
		a.tell("note: %s\n", printable.Clean(note))
	}
}

// sayChecked says what a check has found besides problems.
func (a *env) sayChecked(checked *batch.Checked, warnings int, err error) {
	a.sayLeftBehind(checked.LeftBehind)
	if err == nil {
		a.sayDecided(checked.Decided)
		a.sayNotes(checked.Notes)
		a.tell("%s\n", a.telling().Verdict(checked.Rows, warnings))
	}
}

// sayLost prints why outcomes of a run may be missing, and what follows.
func (a *env) sayLost(run *journal.Run, why string) {
	if why != "" {
		a.say("note: run %s: %s: each event without an outcome is looked for before it is made\n", run.ID(), printable.Clean(why))
	}
}

// sayEnd says why a command ended, as far as the screen has not shown it.
func (a *env) sayEnd(err error, hint string) {
	words := err.Error()
	if e, ok := errors.AsType[*shownError](err); ok {
		words, hint = e.words, ""
	}
	if words == "" {
		return
	}
	if a.logsJSON() {
		a.log.Error(strings.ReplaceAll(words, "\n", "; "), "event", eventlog.OfEnd, "exit", a.exit(err))
		return
	}
	for line := range strings.SplitSeq(words, "\n") {
		a.screen.Failed("eventbatch", line)
	}
	a.screen.Hint(hint)
}

// newScreen returns the screen that the flags so far and the terminal allow.
func (a *env) newScreen() *report.Screen {
	if a.words != nil {
		return a.screenOn(a.words)
	}
	return a.screenOn(a.stderr)
}

// screenOn returns the screen that writes there.
func (a *env) screenOn(w io.Writer) *report.Screen {
	g, dumb := &a.global, a.vars["TERM"] == "dumb"
	return report.NewScreen(w, report.ScreenConfig{
		NoColor: g.noColor || a.vars["NO_COLOR"] != "" || dumb,
		Plain:   g.noProgress || g.quiet || g.verbose || dumb, // a log and a moving line spoil each other
		Quiet:   g.quiet,
	})
}
