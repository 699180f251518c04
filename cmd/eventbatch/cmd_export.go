package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// exportOptions are the flags of export.
type exportOptions struct {
	calendars []string
	from, to  string
	events    []string
	columns   []string
	quick     bool
	output    string
	format    string
	send      sendFlags // of the pace
}

func (a *app) exportCommand() *cobra.Command {
	var opts exportOptions
	cmd := &cobra.Command{
		Use:   "export RESOURCE",
		Short: "Write the events of a calendar, or what belongs to them, to a file that can be edited and imported again",
		Long: `Write the events of a calendar, or what belongs to them, to a file that can be edited
and imported again. The file remembers what it said: importing it unchanged sends
nothing, and a cell that was edited is an update of that one field.

An export that was interrupted goes on when the same command is given again.`,
		Example: `  eventbatch export events -o events.csv
  eventbatch export events --calendar all --from 2027-05-01 -o season.csv
  eventbatch export guests --event evt-9aQ2 -o guests.csv`,
		Args:      needOneOf("a resource"),
		ValidArgs: schema.ResourceNames(),
		RunE:      func(cmd *cobra.Command, args []string) error { return a.export(cmd.Context(), opts, args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&opts.output, "output", "o", "", "the `FILE` to write, whose ending says its format: "+exportEndings()+
		" (default: CSV on standard output)")
	f.StringVar(&opts.format, "format", "", "`FORMAT` of the file where its ending does not say it: "+strings.Join(record.Formats, ", "))
	f.StringVar(&opts.from, "from", "", "only what starts on this `DAY`, such as 2027-05-01, or later, by the event's own clock")
	f.StringVar(&opts.to, "to", "", "only what starts on this `DAY` or earlier")
	f.StringSliceVar(&opts.events, "event", nil, "only the event of this `ID` (repeatable)")
	f.StringSliceVar(&opts.columns, "columns", nil, "only these `FIELDS`, such as name,start_at; the ids are always there")
	f.BoolVar(&opts.quick, "quick", false, "leave out what has to be read event by event: descriptions and messages stay blank")
	opts.send.registerPace(f)
	// The only error is a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(record.Formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("columns", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		resource, _ := schema.ResourceNamed(args[0])
		if resource == nil {
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

// exportDoc is the document of export.
type exportDoc struct {
	Command   string          `json:"command"`
	File      string          `json:"file"`
	Resource  string          `json:"resource"`
	Calendars []string        `json:"calendars"`
	Target    report.Target   `json:"target"`
	Records   int             `json:"records"`
	Gone      int             `json:"gone"`
	LeftOut   int             `json:"left_out"` // values that the format cannot hold
	Columns   []string        `json:"columns"`
	Requests  report.Requests `json:"requests"`
	FinishAt  *time.Time      `json:"finish_at"`
	Exit      report.Exit     `json:"exit"`
}

func (a *app) export(ctx context.Context, opts exportOptions, word string) error {
	if err := opts.verify(); err != nil {
		return err
	}
	if opts.format == "ics" && word != schema.Events.Name {
		return &usageError{err: errors.New("a calendar holds events, and no " + word), hint: "write them as .csv or .xlsx"}
	}
	if opts.output == "" && a.global.json {
		return &usageError{err: errors.New("--json prints the document where the records would be"), hint: "name a file with -o"}
	}
	resource, _ := schema.ResourceNamed(word)
	if words := strings.Split(a.global.Calendar, ","); len(words) > 1 || words[0] == batch.AllCalendars {
		opts.calendars, a.global.Calendar = words, "" // it names none that a row could mean
	}
	if err := record.NewTable(resource, true).Choose(opts.columns); err != nil {
		return &usageError{err: err, hint: schema.HintOf(err)}
	}
	conn, err := a.connect(&opts.send)
	if err != nil {
		return err
	}
	defer conn.close()
	doc := exportDoc{Command: "export", File: opts.output, Resource: resource.Name, Calendars: []string{}, Columns: []string{}}
	doc.Target.BaseURL = conn.BaseURL()
	err = because(ctx, a.exported(ctx, conn, &opts, resource, &doc))
	doc.Requests.Requests = conn.Requests()
	if a.global.json {
		doc.Exit = a.exit(err)
		return errors.Join(err, a.writeDoc(doc))
	}
	if err == nil && opts.output != "" {
		a.say("%s: %s\n", opts.output, report.Count(doc.Records, resource.One))
		if doc.LeftOut > 0 {
			a.say("%s longer than a cell of a workbook can hold, or with control characters, left blank: CSV has them\n",
				report.Count(doc.LeftOut, "value"))
		}
		if doc.Gone > 0 {
			a.say("%s gone when its turn came, and left out\n", report.Count(doc.Gone, "event"))
		}
	}
	return err
}

// exported reads the records and writes them out.
func (a *app) exported(ctx context.Context, conn *connection, opts *exportOptions, resource *schema.Resource, doc *exportDoc) error {
	workspace, err := a.openWorkspace()
	if err != nil {
		return err
	}
	exported, err := batch.Export(ctx, batch.ExportConfig{
		Service: conn.Service, Workspace: workspace, Resources: []*schema.Resource{resource}, Calendars: opts.calendars,
		From: opts.from, To: opts.to, Events: opts.events, Quick: opts.quick, Concurrency: opts.send.concurrency,
	})
	if err != nil {
		return err
	}
	if err := a.readSingly(ctx, conn, exported, resource, doc); err != nil {
		return errors.Join(err, exported.Close())
	}
	doc.Calendars = exported.Calendars
	table := record.NewTable(resource, exported.Named)
	_ = table.Choose(opts.columns) // they were verified
	doc.Columns = table.Headers()
	counted := func(yield func(*record.Record, error) bool) {
		doc.Records = 0
		for r, err := range exported.Records(resource) {
			if !yield(r, err) {
				return
			}
			doc.Records++
		}
	}
	write := func(w io.Writer) (err error) {
		doc.LeftOut, err = table.Write(w, opts.format, counted)
		return err
	}
	if opts.output == "" {
		err = write(a.stdout)
	} else if err = durable.Replace(opts.output, 0o600, write); err != nil {
		err = failure.New(failure.Output, err, "the same command writes it from what was read")
	}
	if doc.Gone = exported.Gone; err != nil {
		return errors.Join(err, exported.Close())
	}
	return exported.Done()
}

// readSingly says what has to be asked for event by event and how long that takes, and
// asks for it.
func (a *app) readSingly(ctx context.Context, conn *connection, e *batch.Exported, r *schema.Resource, doc *exportDoc) error {
	now, total := time.Now(), e.Total()
	doc.Requests.Planned = total
	words := report.ExportWords{
		Resource: r, Calendars: len(e.Calendars), Events: e.Events, Requests: total, Resumed: e.Resumed, BaseURL: conn.BaseURL(), Now: now,
	}
	if total > 0 {
		words.Finish = conn.Forecast(ctx, e.Requests, now)
		doc.FinishAt = new(words.Finish.UTC().Truncate(time.Second))
	}
	if !a.global.quiet && !a.global.json {
		a.screen.Export(words)
	}
	progress := report.NewProgress(report.ProgressConfig{
		Screen: a.screen, Total: total, Quota: conn.quota,
		Finish: func(left int) time.Time {
			requests := map[string]int{}
			for calendar, n := range e.Requests {
				requests[calendar] = n * left / max(1, total)
			}
			return conn.Forecast(ctx, requests, time.Now())
		},
	})
	_, err := watched(ctx, a, progress, func() (struct{}, error) {
		return struct{}{}, e.Read(ctx, func() { progress.Settled(nil, journal.OK) })
	})
	return err
}
