package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/cmd/eventbatch/desk"
	"eventbatch/mapping"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/spelling"
)

type fixCommand struct {
	*env
	mendFlags

	reading readingFlags
	output  string
	force   bool
	copies  *desk.Copies // by the edits of the page, which knows the copy again; nil: by none
	unasked bool
}

// mendFlags say what is mended.
type mendFlags struct {
	trim, enum, slug, take, places bool
	dates, dedupe, shift, edits    string
	fills                          []string
}

func newFixCommand(a *env) *cobra.Command {
	c := &fixCommand{env: a}
	cmd := &cobra.Command{
		Use:  "fix FILE -o NEW",
		Args: needFile,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	c.reading.register(f)
	f.StringVarP(&c.output, "output", "o", "", "write the copy to this `FILE`")
	f.BoolVar(&c.force, "force", false, "write over a copy that exists")
	f.BoolVar(&c.unasked, "yes", false, "write without asking")
	f.BoolVar(&c.take, "take-proposals", false,
		"have cells hold what a check proposes for them, or what stands in the column _eventbatch_proposal of an annotated copy")
	f.BoolVar(&c.places, "places", false,
		"have rows name the place that their address means, in place of the address: the service is asked once for each address")
	f.BoolVar(&c.trim, "trim", false, "take white space away from around texts")
	f.BoolVar(&c.enum, "enum", false, "replace words that are not understood by the value that is meant")
	f.BoolVar(&c.slug, "slug", false, "make slugs of texts that are none")
	f.StringArrayVar(&c.fills, "fill", nil, "fill blank cells: `FIELD=VALUE`, or end_at=start_at+2h (repeatable)")
	f.StringVar(&c.dates, "coerce-dates", "",
		"replace dates that cannot be read but can mean one thing only, such as 46089.5, in one `FORM`: iso, or cells for dates of a "+
			"workbook")
	f.StringVar(&c.shift, "shift", "",
		"move all dates by this `TIME`: 52w, 1y for as many weeks as are nearest to it, -3d; it goes with no other rule")
	f.Lookup("coerce-dates").NoOptDefVal = "iso"
	f.StringVar(&c.dedupe, "dedupe", "",
		"give later rows that are `EQUAL` the action SKIP: rows where every cell is, keys also where the key is")
	f.Lookup("dedupe").NoOptDefVal = "keys"
	f.StringVar(&c.edits, "edits", "", "have cells hold what this `FILE` of the page says, edits.ndjson; it goes with no other rule")
	return cmd
}

// rules returns what the flags ask for.
func (f *mendFlags) rules() (fix.Rules, error) {
	rules := fix.Rules{Trim: f.trim, Enums: f.enum, Slugs: f.slug, Proposals: f.take}
	var ok bool
	if rules.Dates, ok = map[string]fix.Dates{"": fix.KeepDates, "iso": fix.ISODates, "cells": fix.RealDates}[f.dates]; !ok {
		return rules, usagef("--coerce-dates: no form %q; write iso or cells", f.dates)
	}
	if rules.Dedupe, ok = map[string]fix.Dedupe{"": fix.KeepRows, "rows": fix.EqualRows, "keys": fix.EqualKeys}[f.dedupe]; !ok {
		return rules, usagef("--dedupe: no choice %q; write rows or keys", f.dedupe)
	}
	for _, text := range f.fills {
		fill, err := fix.ParseFill(text)
		if err != nil {
			return rules, err
		}
		rules.Fills = append(rules.Fills, fill)
	}
	if f.shift != "" {
		var err error
		if rules.Shift, err = fix.ParseShift(f.shift); err != nil {
			return rules, err
		}
	}
	said := f.trim || f.enum || f.slug || f.take || f.places || len(f.fills) > 0
	said = said || rules.Dates != fix.KeepDates || rules.Dedupe != fix.KeepRows
	alone := ""
	switch {
	case f.edits != "":
		alone, said = "--edits", said || rules.Shift != 0
	case rules.Shift != 0:
		alone = "--shift"
	}
	if said && alone != "" {
		return rules, usagef("%s goes with no other rule", alone).hinted("mend the file first, and then the copy by the other rules")
	}
	if !said && alone == "" {
		return rules, usagef("nothing says what to mend").hinted("name what is to be mended: --take-proposals, --trim, --coerce-dates, " +
			"--enum, --slug, --dedupe, --places, --shift, --edits FILE or --fill FIELD=VALUE")
	}
	return rules, nil
}

// place refuses a copy that would take the place of the file, whatever name it
// goes by, and one of another format.
func (c *fixCommand) place(file string) error {
	if c.output == "" {
		return usagef("fix needs a name for the copy").hinted("give it with -o: the file itself is never changed")
	}
	if err := canHold("output", c.output); err != nil {
		return err
	}
	old, oldErr := os.Stat(file)
	copied, newErr := os.Stat(c.output)
	if filepath.Clean(file) == filepath.Clean(c.output) || oldErr == nil && newErr == nil && os.SameFile(old, copied) {
		return usagef("%s is the file itself", c.output).hinted("give the copy a name of its own: the file is never changed")
	}
	if _, err := os.Lstat(c.output); err == nil && !c.force {
		return usagef("%s is there already", c.output).hinted("give the copy another name, or say --force to write over that")
	}
	if from, to := filepath.Ext(file), filepath.Ext(c.output); !strings.EqualFold(from, to) {
		return usagef("the copy has the form of the file: its name ends in %q, not %q", from, to)
	}
	if ending := strings.ToLower(filepath.Ext(file)); c.dates == "cells" && ending != ".xlsx" && ending != ".xlsm" {
		return usagef("--coerce-dates=cells: a text file has no dates but text").hinted("leave the word out, for dates with their offset")
	}
	return nil
}

func (c *fixCommand) run(ctx context.Context, path string) error {
	rules, err := c.rules()
	if err != nil {
		return err
	}
	if err := c.place(path); err != nil {
		return err
	}
	if !c.unasked && !report.IsTerminal(c.stdin) {
		return unattended("not a terminal", "say --yes to write the copy without asking")
	}
	config, err := c.reading.checked(c.env, []string{path})
	if err != nil {
		return err
	}
	if c.places {
		if rules.Places, err = c.findPlaces(ctx, config); err != nil {
			return because(ctx, err)
		}
	}
	doc := report.NewFixed(path, c.output)
	err = because(ctx, c.mend(ctx, config, rules, doc))
	if c.global.json {
		return c.writeDoc("fix", doc, err)
	}
	return err
}

// mend finds what to mend, shows it, asks, writes the copy and checks it.
func (c *fixCommand) mend(ctx context.Context, config mapping.Config, rules fix.Rules, doc *report.Fixed) error {
	found, err := c.find(ctx, config, rules)
	if err != nil {
		if e, ok := errors.AsType[*mapping.HeaderError](err); ok {
			doc.Problems = e.Problems
		}
		return err
	}
	if rules.Shift != 0 {
		if err := found.CheckShift(ctx, config, rules.Shift); err != nil {
			return err
		}
	}
	before, err := batch.Check(ctx, batch.CheckConfig{Reading: config, PictureConfig: c.reading.pictures()})
	switch {
	case err == nil:
		doc.Before = &before.Rows
	case c.edits == "" || !failure.Is[*mapping.HeaderError](err): // else a mapping is made of the copy
		return err
	}
	doc.Take(found.Edits, found.Formulas, found.Left)
	if !c.global.json && !c.global.quiet || !c.unasked {
		c.showEdits(found, rules.Shift != 0)
	}
	if len(found.Edits) > 0 && !c.unasked {
		yes, err := c.person().Yes(ctx, false, "write %s with %s?", c.screen.Path(c.output), report.Count(len(found.Edits), "change"))
		if err == nil && !yes {
			err = failure.New(failure.Refused, errors.New("nothing was written"), "")
		}
		if err != nil {
			return err
		}
	}
	err = durable.Replace(c.output, 0o600, func(w io.Writer) error {
		if c.copies == nil {
			return found.Copy().Write(ctx, w)
		}
		sum := sha256.New()
		err := found.Copy().Write(ctx, io.MultiWriter(w, sum))
		if err == nil {
			err = c.copies.Expect(hex.EncodeToString(sum.Sum(nil)))
		}
		return err
	})
	if err != nil {
		return failure.New(failure.Output, err, "")
	}
	if !c.global.json {
		c.sayMended(found)
	}
	if doc.Before == nil && c.reading.mapping == "" && c.reading.mapped == nil {
		c.say("next: eventbatch map %s\n", spelling.Quoted(c.output))
		return c.known()
	}
	err = c.recheck(ctx, config, doc, found.Marked && strings.EqualFold(filepath.Ext(c.output), ".xlsx"))
	if err := c.known(); err != nil {
		return err
	}
	if err == nil && rules.Shift != 0 && len(found.Left) > 0 {
		words := report.Count(len(found.Left), "date") + " could not be moved, and nothing else of these rows was"
		err = failure.New(failure.Invalid, errors.New(words), "")
	}
	return err
}

// known has the page know the copy again, where its edits are in it.
func (c *fixCommand) known() error {
	if c.copies == nil {
		return nil
	}
	if err := c.copies.Put(c.output); err != nil {
		return failure.New(failure.Output, err, "")
	}
	return nil
}

// find decides what to mend.
func (c *fixCommand) find(ctx context.Context, config mapping.Config, rules fix.Rules) (*mapping.Mended, error) {
	if c.edits == "" {
		return mapping.Mend(ctx, config, rules)
	}
	text, err := os.Open(c.edits)
	if err != nil {
		return nil, err
	}
	defer func() { _ = text.Close() }() // nothing was written to it
	steps, _, err := fix.ReadSteps(text)
	if err != nil {
		return nil, failure.New(
			failure.Usage, fmt.Errorf("--edits: %s: %w", printable.Clean(c.edits), err), "the page of eventbatch open writes such files",
		)
	}
	c.copies = desk.CopiesBy(c.edits, len(steps))
	return mapping.Change(ctx, config, fix.Net(steps))
}

// recheck checks the copy and shows what remains. The copy of a marked one is marked anew.
func (c *fixCommand) recheck(ctx context.Context, config mapping.Config, doc *report.Fixed, marked bool) error {
	config.Files = []string{c.output}
	problems := report.Problems{Screen: c.wordScreen(), Rest: restOf(ctx, c.env, config.Files, config.Opening())}
	var sink found.Sink = &problems
	if c.global.json {
		sink = doc
	}
	all := &file.Reports{}
	all.Add("", sink)
	marks := file.Remark(c.output, config.Opening())
	if marked {
		all.Add("", marks)
	}
	checked, err := batch.Check(ctx, batch.CheckConfig{
		Reading: config, PictureConfig: c.reading.pictures(), Report: batch.Reporting{Sink: all},
	})
	if marked && err == nil {
		if err := marks.End(checked.Summary(nil)); err != nil {
			return failure.New(failure.Output, fmt.Errorf("marking %s: %w", c.output, err), "")
		}
	}
	err = checkEnd(ctx, err, checked.Rows)
	doc.Rows = &checked.Rows
	err = c.showProblems(&problems, err, "the copy cannot be read")
	if (err == nil || errors.Is(err, failure.Invalid)) && doc.Before != nil && !c.global.json {
		c.say("%s → %s invalid\n", report.Number(doc.Before.Invalid), report.Count(checked.Rows.Invalid, "row"))
	}
	if err == nil && !c.global.json {
		c.say("%s\n", c.screen.Verdict(checked.Rows, problems.Warnings))
	}
	return err
}
