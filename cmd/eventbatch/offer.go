package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/spelling"
)

// offer is what map knows of a file that its headers by themselves do not say.
type offer struct {
	*env

	reading *readingFlags
	file    string        // empty where there is none
	knows   string        // in words; empty where map may do no more than ask
	preset  string        // that the headers are those of
	beside  string        // the mapping that lies beside it, and reads it
	mapping *mapfile.File // that one, or what map proposes, as far as it knows one; may be nil
	zone    string        // that times are shown in where map asks for one
}

// mostOffered is how many rows are read to say by the way what map would do: a large file is read once, not twice.
const mostOffered = 200

// offerOf finds out what map would do with the first file of which the headers do not say what its
// columns are, or in which something is wrong. There is none for a file that is read once only.
// It reads so many rows, or all where most is 0.
func offerOf(ctx context.Context, a *env, problems *report.Problems, reading *readingFlags, files []string, most int) offer {
	file, helps := problems.Unmapped()
	if reading.mapping != "" || reading.mapped != nil || readOnce(file) || !slices.Contains(files, file) {
		return offer{}
	}
	o := offer{env: a, reading: reading, file: file}
	if beside := keptBeside(file); beside.Mapping != nil {
		o.beside, o.mapping, o.knows = beside.Name, beside.Mapping, beside.Name+" lies beside it"
		return o
	}
	table, err := (&mapCommand{env: a, fileFlags: reading.fileFlags}).readFor(ctx, file, most)
	if err == nil {
		p := table.Propose(table.Config)
		columns, rows := table.More(p)
		var sheets []string
		if reading.sheet == "" && len(table.Config.Sheet) > 1 {
			sheets = table.Config.Sheet // of which the first would be read by itself
		}
		if slices.ContainsFunc(p.Questions, func(q match.Question) bool { return q.ID == "timezone" }) {
			o.zone = "Etc/UTC"
		}
		o.knows, o.preset = report.MoreWords(sheets, columns, rows, p.Open()), p.Source
		if o.knows != "" && table.Cut {
			o.knows += ", as far as the first " + report.Count(most, "row") + " tell"
		}
		if text, err := p.Write(""); err == nil {
			o.mapping, _ = mapfile.Decode(text, mappingName(file)) // nil where it is none
		}
	}
	if !helps && o.knows == "" {
		return offer{}
	}
	return o
}

// by returns the mapping that is there already and reads the file; empty where map has to make one.
func (o *offer) by() string { return cmp.Or(o.beside, o.preset) }

// next returns the command that reads the file better.
func (o *offer) next() string {
	if by := o.by(); by != "" {
		return o.command.CommandPath() + " " + spelling.Quoted(o.file) + " --mapping " + spelling.Quoted(by)
	}
	output := spelling.Quoted(mappingName(o.file))
	return "eventbatch map " + spelling.Quoted(o.file) + " -o " + output + o.flagsAlso(new(fileFlags).register)
}

// document returns what the offer is in a document; nil where there is none.
func (o *offer) document() *found.Map {
	if o.file == "" {
		return nil
	}
	return &found.Map{File: o.file, Knows: o.knows, Command: o.next()}
}

// say says what map knows of a file, before anything else is said of it: with the command,
// unless a person is going to be asked.
func (o *offer) say(asks bool) {
	words := o.knows
	switch {
	case o.file == "", o.global.json:
		return
	case o.preset != "":
		words = "the headers are those of " + o.preset
	case words == "" && asks:
		return
	case words == "":
		words = "map proposes which column feeds which field"
	}
	if !asks {
		words += ": " + o.next()
	}
	o.hint(words)
}

// take asks a person at a terminal whether to make the mapping of a file that map knows more
// of, and does. It reports whether that was asked for.
func (o *offer) take(ctx context.Context) (done bool, err error) {
	if o.file == "" || o.by() != "" || !o.canAsk(o.file) {
		return false, nil
	}
	yes, err := o.person().Yes(ctx, true, "this file needs a mapping: start map now?")
	if err != nil || !yes {
		return false, err
	}
	return true, (&mapCommand{env: o.env, fileFlags: o.reading.fileFlags}).run(ctx, o.file)
}

// mappingName returns where the mapping of a file is best kept: beside it, called as it is.
func mappingName(file string) string {
	switch {
	case file == "-":
		file = "events"
	case secret.IsAddress(file):
		file = filepath.Base(file)
	}
	return mapfile.Beside(file)
}

// keptBeside returns the mapping that lies beside a file.
func keptBeside(file string) mapfile.Kept {
	if secret.IsAddress(file) || readOnce(file) {
		return mapfile.Kept{}
	}
	return mapfile.KeptBeside(file)
}
