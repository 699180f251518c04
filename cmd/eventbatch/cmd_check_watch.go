package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/secret"
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
	var saved saves
	for first := true; ; first = false {
		saved.look(c.filesRead(files, saved.paths))
		var words bytes.Buffer
		c.screen = screen.Onto(&words) // in the order in which it is said
		c.tale = c.screen
		rows, err := c.checkOnce(ctx, files)
		if ctx.Err() != nil {
			return because(ctx, errors.Join(err, ctx.Err()))
		}
		code := exitCode(err)
		if first && code != exitDone && code != exitInvalid && !is[*yamldoc.Error](err) {
			return err // nothing that is saved mends it
		}
		count := report.Number(rows.Invalid) + " of " + report.Count(rows.Read, "row") + " invalid"
		switch {
		case err != nil && (code != exitInvalid || rows.Read == 0):
			count = "not checked"
			c.sayEnd(err, hintOf(err))
		case before >= 0 && before != rows.Invalid:
			count = report.Number(before) + " → " + report.Count(rows.Invalid, "row") + " invalid"
			before = rows.Invalid
		default:
			before = rows.Invalid
		}
		c.screenOn(c.stdout.w).Clear()
		screen.Printf("%s\n", count)
		screen.Pass(words.Bytes())
		if !c.global.quiet { // the count once more, as the first line of many has left the screen
			names := make([]string, len(saved.paths))
			for i, path := range saved.paths {
				names[i] = screen.Path(path)
			}
			at := time.Now().Format(time.TimeOnly)
			screen.Printf("%s: %s; waiting for a save of %s, until Ctrl-C\n", at, count, strings.Join(names, ", "))
		}
		screen.Printf("\n")
		if err := saved.wait(ctx); err != nil {
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

// lookEvery is how often files are looked at. Looking works wherever they lie, on a network's
// disk too, where a program is not told that they change.
const lookEvery = 500 * time.Millisecond

// saves tells when files are saved, in place or by putting another in their place.
type saves struct {
	paths []string
	seen  []fs.FileInfo // when they were looked at last; nil for a file that is not there
}

// look notes how the files are. What changes from then on is a save.
func (s *saves) look(paths []string) { s.paths, s.seen = paths, stamps(paths) }

// wait waits until a file was saved. A file is still being written while it changes from one
// look to the next, and one of those that were there is waited for while it is gone. The error
// is why the context has ended.
func (s *saves) wait(ctx context.Context) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for last := s.seen; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		now := stamps(s.paths)
		if alike(now, last) && !alike(now, s.seen) && !s.gone(now) {
			return nil
		}
		last = now
	}
}

// gone reports whether a file that was there is not there now.
func (s *saves) gone(now []fs.FileInfo) bool {
	for i := range now {
		if now[i] == nil && s.seen[i] != nil {
			return true
		}
	}
	return false
}

func stamps(paths []string) []fs.FileInfo {
	all := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			all[i] = info
		}
	}
	return all
}

func alike(a, b []fs.FileInfo) bool {
	return slices.EqualFunc(a, b, func(a, b fs.FileInfo) bool {
		if a == nil || b == nil {
			return a == nil && b == nil
		}
		return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
	})
}
