package main

import (
	"context"
	"slices"
	"strings"

	"eventbatch/batch/report"
)

// mapFlags are the flags of reading that map has too.
var mapFlags = []string{"resource", "sheet", "header-row", "format", "encoding", "delimiter", "timezone", "date-order"}

// needsMapping returns the first file of which the headers do not say what its
// columns are. It is empty where there is none, or the file cannot be read twice.
func needsMapping(problems *report.Problems, reading *readingFlags, files []string) (file string) {
	file = problems.Unmapped()
	if reading.mapping != "" || readOnce(file) || !slices.Contains(files, file) {
		return ""
	}
	return file
}

// nameMap names the command that proposes a mapping for the file, if there is one.
func (a *app) nameMap(file string) {
	if file == "" {
		return
	}
	a.hint("map proposes which column feeds which field: eventbatch map " + quoted(file) + " -o " + quoted(mappingName(file)) +
		a.flagsGiven(mapFlags...))
}

// hint says what to do, unless nobody wants words.
func (a *app) hint(words string) {
	if !a.global.quiet {
		a.screen.Hint(words)
	}
}

// flagsGiven returns those of the flags that the command was given, as they are
// written after it.
func (a *app) flagsGiven(names ...string) string {
	var words strings.Builder
	for _, name := range names {
		if f := a.command.Flags().Lookup(name); f != nil && f.Changed {
			words.WriteString(" --" + name + " " + quoted(f.Value.String()))
		}
	}
	return words.String()
}

// offerMap asks a person at a terminal whether to make the mapping of a file that
// needs one, and does; elsewhere it names the command. It reports whether the mapping
// was asked for.
func (a *app) offerMap(ctx context.Context, reading *readingFlags, file string) (done bool, err error) {
	if file == "" || !a.canAsk(file) {
		a.nameMap(file)
		return false, nil
	}
	yes, err := a.yes(ctx, true, "this file needs a mapping: start map now?")
	if err != nil || !yes {
		return false, err
	}
	return true, a.mapFile(ctx, mapOptions{
		resource: reading.resource, sheet: reading.sheet, headerRow: reading.headerRow, format: reading.format, encoding: reading.encoding,
		delimiter: reading.delimiter, timezone: reading.timezone, dateOrder: reading.dateOrder,
	}, file)
}
