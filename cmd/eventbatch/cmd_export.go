package main

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
)

type exportCommand struct {
	*env

	from, to string
	events   []string
	columns  []string
	with     []string
	where    string
	quick    bool
	output   string
	format   string
	send     sendFlags // of the pace

	config batch.ExportConfig
	conn   *connection
	doc    exportDoc

	written string // in words
}

func newExportCommand(a *env) *cobra.Command {
	c := &exportCommand{env: a}
	cmd := newCommand("export RESOURCE…", needSomeOf("a resource"), c.run)
	cmd.ValidArgs = catalog.ResourceNames()
	f := cmd.Flags()
	f.StringVarP(&c.output, "output", "o", "", "the `FILE` to write, whose ending says its format: "+exportEndings()+
		" (default: CSV on standard output)")
	f.StringVar(&c.format, "format", "", "`FORMAT` of the file where its ending does not say it: "+strings.Join(record.Formats, ", "))
	f.StringVar(&c.from, "from", "", "only what starts on this `DAY`, such as 2027-05-01, or later, by the event's own clock")
	f.StringVar(&c.to, "to", "", "only what starts on this `DAY` or earlier")
	f.StringSliceVar(&c.events, "event", nil, "only the event of this `ID` (repeatable)")
	f.StringSliceVar(&c.columns, "columns", nil, "only these `FIELDS`, such as name,start_at; the ids are always there")
	f.StringSliceVar(&c.with, "with", nil, "beside the events also their `RESOURCES`, such as guests,hosts")
	f.StringVar(&c.where, "where", "", "only records of which this `EXPRESSION` over the columns is true, "+
		"such as 'visibility == \"private\"'")
	f.BoolVar(&c.quick, "quick", false, "leave out what has to be read event by event: descriptions and messages stay blank")
	c.send.registerPace(f)
	// The only error is a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(record.Formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("columns", offersAfter(func(resources []string) []string {
		resource, ok := catalog.ResourceNamed(strings.Join(resources[:min(1, len(resources))], ""))
		if !ok {
			return nil
		}
		return record.NewTable(resource, true).Headers()
	}))
	return cmd
}

func exportEndings() string { return "." + strings.Join(record.Formats, ", .") }

// verify refuses flags that make no sense, and completes the format.
func (c *exportCommand) verify() error {
	for name, day := range map[string]string{"--from": c.from, "--to": c.to} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return usagef("%s: %s is not a day", name, day).hinted("write it as 2027-05-01")
		}
	}
	if c.to != "" && c.to < c.from {
		return usagef("--to is before --from").hinted("exchange the two")
	}
	if c.format == "" {
		if c.format = strings.ToLower(strings.TrimPrefix(filepath.Ext(c.output), ".")); c.output == "" {
			c.format = record.Formats[0]
		}
	}
	if !slices.Contains(record.Formats, c.format) {
		if c.format == "" {
			return usagef("nothing says the format of %s", c.output).hinted("end its name with " + exportEndings() + ", or say --format")
		}
		return wrongWord("--format", c.format, record.Formats)
	}
	return nil
}
