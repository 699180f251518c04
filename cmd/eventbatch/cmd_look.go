package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

type lookCommand struct {
	*env

	reading readingFlags
}

func newLookCommand(a *env) *cobra.Command {
	c := &lookCommand{env: a}
	cmd := newCommand("look FILE", needOneFile, c.run)
	c.reading.register(cmd.Flags())
	return cmd
}

// looking returns the arguments with the command look before a file that stands in the place of a
// command: one that is there, or is called like a file.
func looking(root *cobra.Command, args []string) []string {
	at := 0
	for ; at < len(args) && strings.HasPrefix(args[at], "-"); at++ {
		f := root.PersistentFlags().Lookup(strings.TrimLeft(args[at], "-"))
		if args[at] == "--" || f != nil && f.NoOptDefVal == "" {
			at++
		}
	}
	if at >= len(args) {
		return args
	}
	word := args[at]
	if cmd, _, err := root.Find([]string{word}); err == nil && cmd != root || strings.HasPrefix(word, cobra.ShellCompRequestCmd) {
		return args
	}
	info, err := os.Stat(word)
	ending := slices.ContainsFunc(sheet.Endings(), func(ending string) bool { return strings.HasSuffix(strings.ToLower(word), ending) })
	if (err != nil || info.IsDir()) && !ending {
		return args
	}
	return slices.Insert(slices.Clone(args), at, "look")
}

type lookDoc struct {
	File           string              `json:"file"`
	Rows           report.Checked      `json:"rows"`
	Map            *lookMap            `json:"map"` // null where map knows nothing more
	Decided        schema.Decided      `json:"decided"`
	Tables         batch.FirstRows     `json:"tables"`
	LeftBehind     []schema.LeftBehind `json:"left_behind"`
	Notes          []string            `json:"notes,omitempty"`
	Next           []string            `json:"next"`
	found.Problems `json:"problems"`
}

// lookMap is what map knows of a file in the document of look.
type lookMap struct {
	found.Map
	Shown bool `json:"shown"` // the tables are as its mapping reads the file
}

// run checks a file, and shows what is in it.
func (c *lookCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	config, err := c.reading.checked(c.env, files)
	if err != nil {
		return err
	}
	c.tells()
	doc := &lookDoc{File: files[0], Problems: found.Problems{}}
	problems := report.Problems{Screen: c.wordScreen(), Sheets: true, Most: 4}
	problems.Rest = func() string {
		return "eventbatch check " + spelling.Quoted(files[0]) + c.flagsOfItsOwn() + " names all"
	}
	var known offer
	problems.First = func() {
		known = offerOf(ctx, c.env, &problems, &c.reading, files, 0)
		known.say(true)
	}
	sinks := &file.Reports{}
	sinks.Add("", &problems)
	sinks.Add("", doc)
	checking := batch.CheckConfig{Reading: config, Report: batch.Reporting{Sink: sinks}}
	checked, tables, err := batch.CheckFirst(ctx, checking)
	err = checkEnd(ctx, err, checked.Rows)
	_ = sinks.End(checked.Summary(err)) // neither of them fails
	doc.Rows, doc.Decided, doc.Notes, doc.Tables = checked.Rows, checked.Decided, checked.Notes, tables
	doc.LeftBehind = append([]schema.LeftBehind{}, checked.LeftBehind...)
	doc.Next = c.nextOf(doc, &known, err, func() string { return marking(ctx, c.env, files, config.Opening()) })
	if better := known.document(); better != nil {
		doc.Map = &lookMap{Map: *better}
	}
	checking.Report = batch.Reporting{}
	if known.mapping != nil {
		checking.Reading.Mapping, checking.Reading.Timezone = known.mapping, cmp.Or(config.Timezone, known.zone)
		if _, tables, failed := batch.CheckFirst(ctx, checking); failed == nil {
			doc.Tables, doc.Map.Shown = tables, true
		}
	} else if doc.LackZones() {
		checking.Reading.Timezone = "UTC" // by which nothing is shown but what a clock says
		if _, tables, failed := batch.CheckFirst(ctx, checking); failed == nil {
			doc.Tables = tables.NamedAs(doc.Tables)
		}
	}
	if c.global.json {
		return c.writeDoc("look", doc, err)
	}
	c.sayChecked(&checked, problems.Warnings, err)
	if err != nil { // before the rows, so that what comes next stands last
		c.sayEnd(shown(err, "the input cannot be read"), hintOf(err))
		err = &shownError{err: err}
	}
	return c.offerPage(ctx, doc, errors.Join(err, c.sayLooked(doc, &known)))
}

// offerPage asks a person at a terminal whether to look at a file of which anything is known in the browser, which goes on then.
// Where something is wrong with it Return says yes: there it is mended.
func (c *lookCommand) offerPage(ctx context.Context, doc *lookDoc, end error) error {
	if !c.canAsk(doc.File) || doc.Rows.Read == 0 && doc.Map == nil {
		return end
	}
	c.say("\n")
	yes, err := c.person().Yes(ctx, end != nil, "open it in the browser?")
	switch {
	case err != nil:
		return because(ctx, err)
	case !yes:
		return end
	}
	open := &openCommand{env: c.env}
	open.register(pflag.NewFlagSet("", pflag.ContinueOnError)) // for what it is by itself
	open.reading = c.reading
	return open.run(ctx, []string{doc.File})
}

// nextOf returns the commands that come next.
func (c *lookCommand) nextOf(doc *lookDoc, known *offer, err error, marking func() string) []string {
	more := c.flagsOfItsOwn()
	name := spelling.Quoted(doc.File)
	other := func(p schema.Problem) bool { return p.Code == schema.CodeGuestList || p.Code == schema.CodeOtherRows }
	switch at := slices.IndexFunc(doc.Problems, other); {
	case known.file != "":
		return []string{known.next()}
	case at >= 0:
		return []string{"eventbatch " + name + " --resource " + doc.Problems[at].Resource}
	case err != nil && doc.Rows.Read == 0:
		return []string{}
	case err != nil:
		return []string{marking()}
	}
	return []string{"eventbatch import " + name + more + " --sandbox", "eventbatch plan " + name + more}
}

// sayLooked prints the first rows, and what comes next.
func (c *lookCommand) sayLooked(doc *lookDoc, known *offer) error {
	by := ""
	if doc.Map != nil && doc.Map.Shown {
		if by = "map would read them"; known.beside != "" {
			by = known.beside + " reads them"
		}
	}
	if err := doc.Tables.Write(c.stdout, c.stdout.w, by); err != nil {
		return err
	}
	for i, command := range doc.Next {
		word := "\nnext: "
		if i > 0 {
			word = "  or: "
		}
		c.say("%s%s\n", word, command)
	}
	return nil
}
