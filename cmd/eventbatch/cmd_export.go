package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// exportOptions are the flags of export.
type exportOptions struct {
	from, to string
	events   []string
	columns  []string
	with     []string
	where    string
	quick    bool
	output   string
	format   string
	send     sendFlags // of the pace
}

func (a *app) exportCommand() *cobra.Command {
	var opts exportOptions
	cmd := &cobra.Command{
		Use:   "export RESOURCE…",
		Short: "Write the events of a calendar, or what belongs to them, to a file that can be edited and imported again",
		Long: `Write the events of a calendar, or what belongs to them, to a file that can be edited
and imported again. The file remembers what it said: importing it unchanged sends
nothing, and a cell that was edited is an update of that one field. A workbook has a
sheet for each resource.

An export that was interrupted goes on when the same command is given again.`,
		Example: `  eventbatch export events -o events.csv
  eventbatch export events --calendar all --from 2027-05-01 -o season.csv
  eventbatch export events --where 'visibility == "private"' --with guests -o private.xlsx
  eventbatch export guests --event evt-9aQ2 -o guests.csv`,
		Args:      needSomeOf("a resource"),
		ValidArgs: schema.ResourceNames(),
		RunE:      func(cmd *cobra.Command, args []string) error { return a.export(cmd.Context(), opts, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&opts.output, "output", "o", "", "the `FILE` to write, whose ending says its format: "+exportEndings()+
		" (default: CSV on standard output)")
	f.StringVar(&opts.format, "format", "", "`FORMAT` of the file where its ending does not say it: "+strings.Join(record.Formats, ", "))
	f.StringVar(&opts.from, "from", "", "only what starts on this `DAY`, such as 2027-05-01, or later, by the event's own clock")
	f.StringVar(&opts.to, "to", "", "only what starts on this `DAY` or earlier")
	f.StringSliceVar(&opts.events, "event", nil, "only the event of this `ID` (repeatable)")
	f.StringSliceVar(&opts.columns, "columns", nil, "only these `FIELDS`, such as name,start_at; the ids are always there")
	f.StringSliceVar(&opts.with, "with", nil, "beside the events also their `RESOURCES`, such as guests,hosts")
	f.StringVar(&opts.where, "where", "", "only records of which this `EXPRESSION` over the columns is true, "+
		"such as 'visibility == \"private\"'")
	f.BoolVar(&opts.quick, "quick", false, "leave out what has to be read event by event: descriptions and messages stay blank")
	opts.send.registerPace(f)
	// The only error is a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(record.Formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("columns", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		resource, ok := schema.ResourceNamed(args[0])
		if !ok {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return record.NewTable(resource, true).Headers(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func exportEndings() string { return "." + strings.Join(record.Formats, ", .") }

// verify refuses flags that make no sense, and completes the format.
func (o *exportOptions) verify() error {
	for name, day := range map[string]string{"--from": o.from, "--to": o.to} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return &usageError{err: errors.New(name + ": " + day + " is not a day"), hint: "write it as 2027-05-01"}
		}
	}
	if o.to != "" && o.to < o.from {
		return &usageError{err: errors.New("--to is before --from"), hint: "exchange the two"}
	}
	if o.format == "" {
		if o.format = strings.ToLower(strings.TrimPrefix(filepath.Ext(o.output), ".")); o.output == "" {
			o.format = record.Formats[0]
		}
	}
	if !slices.Contains(record.Formats, o.format) {
		if o.format == "" {
			return &usageError{
				err:  errors.New("nothing says the format of " + o.output),
				hint: "end its name with " + exportEndings() + ", or say --format",
			}
		}
		return wrongWord("--format", o.format, record.Formats)
	}
	return nil
}
