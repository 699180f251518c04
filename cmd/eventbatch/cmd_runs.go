package main

import (
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
)

func (a *app) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the workspace, the newest first",
		Args:  needNothing,
		RunE:  func(*cobra.Command, []string) error { return a.runs() },
	}
	cmd.AddCommand(a.runsPruneCommand())
	return cmd
}

// runLine is a run as the list's JSON has it.
type runLine struct {
	Run       string      `json:"run"`
	Folder    string      `json:"folder"`
	Created   time.Time   `json:"created"`
	Command   string      `json:"command"`
	State     string      `json:"state"`
	Workers   string      `json:"workers,omitempty"` // that have it, or what they wait for
	BaseURL   string      `json:"base_url"`
	Calendars []string    `json:"calendars"` // that its rows were to be sent to
	Files     []string    `json:"files"`
	Rows      plan.Counts `json:"rows"`
	Open      int         `json:"open"`
	Failed    int         `json:"failed"`
	Error     string      `json:"error,omitempty"`
}

func (a *app) runs() error {
	workspace, err := a.openWorkspace()
	if err != nil {
		return err
	}
	summaries, err := workspace.Runs()
	if err != nil {
		return err
	}
	lines, open := make([]runLine, 0, len(summaries)), []string{}
	for i := range slices.Backward(summaries) {
		lines = append(lines, lineOf(&summaries[i]))
		if last := &lines[len(lines)-1]; last.Open > 0 {
			open = append(open, last.Run)
		}
	}
	workers := a.byWorkers(open...)
	for i := range lines {
		lines[i].Workers = workers[lines[i].Run]
	}
	if a.global.json {
		return a.writeDoc(struct {
			Command string      `json:"command"`
			Runs    []runLine   `json:"runs"`
			Exit    report.Exit `json:"exit"`
		}{"runs", lines, a.exit(nil)})
	}
	if len(lines) == 0 {
		a.say("no run yet in %s\n", workspace.Name())
		return nil
	}
	rows := make([][]string, 0, len(lines))
	for _, l := range lines {
		planned := ""
		if !l.Created.IsZero() {
			planned = l.Created.Local().Format("02 Jan 2006 15:04")
		}
		rows = append(rows, []string{
			l.Run, planned, l.Command, l.State, report.Number(l.Rows.Read()), report.Number(l.Open), report.Number(l.Failed),
			printable.Names(l.Calendars), printable.Names(l.Files),
		})
	}
	header := []string{"RUN", "PLANNED", "COMMAND", "STATE", "ROWS", "OPEN", "FAILED", "CALENDAR", "FILES"}
	if err := report.Table(a.stdout, header, slices.Values(rows)); err != nil {
		return err
	}
	for _, l := range lines {
		if l.Workers != "" && l.Workers != withWorkers {
			a.say("%s: %s\n", l.Run, l.Workers)
		}
	}
	return nil
}

func lineOf(s *journal.Summary) runLine {
	l := runLine{
		Run: s.ID, Folder: s.Folder, Created: s.Header.Created, Command: s.Header.Command, BaseURL: s.Header.Target.BaseURL,
		Rows: s.Header.Counts, Open: s.Tally.Open(), Failed: s.Tally[journal.Failed], Files: []string{}, Calendars: []string{},
	}
	l.Calendars = slices.AppendSeq(l.Calendars, maps.Keys(s.Header.Target.Calendars))
	slices.Sort(l.Calendars)
	for _, sheet := range s.Header.Sheets {
		if !slices.Contains(l.Files, sheet.File) {
			l.Files = append(l.Files, sheet.File)
		}
	}
	switch {
	case s.Err != nil:
		l.State, l.Error = "damaged", s.Err.Error()
	case s.Tally.Open() == 0:
		l.State = "finished"
	case !s.Started:
		l.State = "planned"
	case s.Ended != "":
		l.State = "unfinished (" + s.Ended + ")"
	default:
		l.State = "unfinished"
	}
	return l
}
