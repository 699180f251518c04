package main

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/sheet"
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

// quoted returns a word as a shell takes it. What is not seen is written out, for a line is copied into a terminal: a control
// character in the name of a file would be typed there.
func quoted(word string) string {
	if strings.ContainsFunc(word, unseen) {
		return escaped(word)
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=~", r)
	}
	expands := strings.HasPrefix(word, "~") || strings.HasPrefix(word, "=") // the latter in zsh
	if word != "" && !expands && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// unseen reports whether a character of a command is written out.
func unseen(r rune) bool { return printable.Hidden(r) || unicode.IsSpace(r) && r != ' ' }

// escaped returns a word with each byte that is not seen in octal, as bash, zsh and ksh take it.
func escaped(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for rest := word; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch part := rest[:n]; {
		case unseen(r):
			for i := range n {
				fmt.Fprintf(&b, "\\%03o", part[i])
			}
		case r == '\'' || r == '\\':
			b.WriteString(`\` + part)
		default:
			b.WriteString(part)
		}
		rest = rest[n:]
	}
	b.WriteByte('\'')
	return b.String()
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
		command.WriteString(" " + quoted(name))
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
