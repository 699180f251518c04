package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/yamldoc"
)

// watchFiles checks the files now and at every save of one of them, of the mapping or of a joined
// table, until it is interrupted. What a check says is shown whole, the number of invalid
// rows first.
func (c *checkCommand) watchFiles(ctx context.Context, files []string) error {
	if err := c.watchable(files); err != nil {
		return err
	}
	said, screen, before := c.screen, c.telling(), -1
	defer func() { c.screen, c.tale = said, screen }()
	var saved regular.Saves
	for first := true; ; first = false {
		saved.Look(c.filesRead(files, saved.Paths))
		var words bytes.Buffer
		c.screen = screen.Onto(&words) // in the order in which it is said
		c.tale = c.screen
		rows, err := c.checkOnce(ctx, files)
		if ctx.Err() != nil {
			return because(ctx, errors.Join(err, ctx.Err()))
		}
		code := exitCode(err)
		if first && code != exitDone && code != exitInvalid && !failure.Is[*yamldoc.Error](err) {
			return err // nothing that is saved mends it
		}
		count := report.Number(rows.Invalid) + " of " + report.Count(rows.Read, "row") + " invalid"
		if err != nil && (code != exitInvalid || rows.Read == 0) {
			count = "not checked"
			c.sayEnd(err, hintOf(err))
		} else {
			if before >= 0 && before != rows.Invalid {
				count = report.Number(before) + " → " + report.Count(rows.Invalid, "row") + " invalid"
			}
			before = rows.Invalid
		}
		c.screenOn(c.stdout.w).Clear()
		screen.Printf("%s\n", count)
		screen.Pass(words.Bytes())
		if !c.global.quiet { // the count once more, as the first line of many has left the screen
			names := make([]string, len(saved.Paths))
			for i, path := range saved.Paths {
				names[i] = screen.Path(path)
			}
			at := time.Now().Format(time.TimeOnly)
			screen.Printf("%s: %s; waiting for a save of %s, until Ctrl-C\n", at, count, strings.Join(names, ", "))
		}
		screen.Printf("\n")
		if err := saved.Wait(ctx); err != nil {
			return err
		}
	}
}

// watchable refuses what is read once only, and a document for each save.
func (c *checkCommand) watchable(files []string) error {
	if c.global.json {
		return usagef("--watch and --json: there is one document a command").hinted("let each save write it: --watch --report FILE.json")
	}
	for _, file := range files {
		if secret.IsAddress(file) {
			return usagef("--watch: an address is not saved again").hinted("name a file")
		}
		if info, err := os.Stat(file); file == "-" || err == nil && !info.Mode().IsRegular() {
			return usagef("--watch: %s is not saved again", file).hinted("name a file")
		}
	}
	return nil
}

// filesRead returns the files that a check reads; those before where the mapping cannot be read.
func (c *checkCommand) filesRead(files, before []string) []string {
	config, err := c.reading.config(c.env, files, time.Now())
	if err != nil && before != nil {
		return before
	}
	paths := slices.Clone(files)
	if info, err := os.Stat(c.reading.mapping); err == nil && info.Mode().IsRegular() {
		paths = append(paths, c.reading.mapping)
	}
	return append(paths, config.Tables()...)
}
