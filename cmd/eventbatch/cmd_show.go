package main

import (
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/schema"
)

func (a *app) showCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show what became of a run, row by row",
		Long: `Show what became of a run: the rows that need attention, or every row with --all.

A run is named by its id or by the beginning of it; latest is the one planned
last, latest~1 the one before.`,
		Example: "  eventbatch show latest\n  eventbatch show latest~1 --all",
		Args:    needRun,
		RunE:    func(_ *cobra.Command, args []string) error { return a.show(args[0], all) },

		ValidArgsFunction: a.completeRuns,
	}
	cmd.Flags().BoolVar(&all, "all", false, "show every row")
	return cmd
}

// shownRow is a row as the JSON of show has it.
type shownRow struct {
	File    string        `json:"file"`
	Sheet   string        `json:"sheet"`
	Row     int           `json:"row"`
	Key     string        `json:"key"`
	Action  plan.Action   `json:"action"`
	Reason  string        `json:"reason"`
	Status  report.Status `json:"status"`
	EventID string        `json:"event_id"`
	Field   string        `json:"field"`
	Error   string        `json:"error"`
	At      *time.Time    `json:"at"`
}

func (a *app) show(id string, all bool) error {
	run, err := a.findRun(id)
	if err != nil {
		return err
	}
	outcomes, err := outcomesOf(run, nil)
	if err != nil {
		return err
	}
	header := run.Header()
	rows, problems := []shownRow{}, []schema.Problem(nil)
	requests := report.Requests{Requests: outcomes.State.Requests}
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		if op.Action.Sends() {
			requests.Planned += op.Requests
		}
		out := outcomes.Of(op)
		if all || needsAttention(out.Status) {
			rows = append(rows, shown(&header, out))
			problems = slices.Concat(problems, op.Problems, outcomes.Problems(op, header.Sources))
		}
	}
	counts, err := count(run, outcomes)
	if err != nil {
		return err
	}
	doc := report.Run{
		Command: "show", Run: run.ID(), Folder: run.Folder(), Target: report.Target{BaseURL: header.Target.BaseURL}, Rows: counts,
		Requests: requests,
		Files:    report.Files{Plan: run.PlanPath(), Journal: run.JournalPath(), Results: run.ResultsPath()},
		Problems: problems,
		Exit:     a.exit(nil),
	}
	if a.global.json {
		return a.writeDoc(struct {
			report.Run
			State string     `json:"state"`
			Lines []shownRow `json:"lines"`
		}{doc, stateWord(outcomes.State), rows})
	}
	a.say("run %s of %s, %s: %s\n", run.ID(), header.Created.Local().Format("2 Jan 2006 15:04"), header.Command, stateWord(outcomes.State))
	a.sayLost(run, outcomes.State.Lost)
	for _, s := range header.Sources {
		a.say("  %s\n", printable.Clean(fileName(s.File, s.Sheet)))
	}
	if len(rows) > 0 {
		lines := make([][]string, 0, len(rows))
		for _, r := range rows {
			lines = append(lines, []string{fileName(r.File, r.Sheet), report.Number(r.Row), r.Key, string(r.Status), r.EventID, r.Error})
		}
		if err := report.Table(a.stdout, []string{"FILE", "ROW", "KEY", "STATUS", "EVENT", "ERROR"}, lines); err != nil {
			return err
		}
	}
	if !a.global.quiet {
		words := report.DoneWords{Rows: counts, Requests: requests.Requests, Results: written(run.ResultsPath())}
		again := ""
		if header.Target.BaseURL == sandboxURL && !a.global.sandbox {
			again = " --sandbox"
		}
		switch {
		case outcomes.State.Tally().Open() > 0:
			words.GoOn = a.comeback("apply", run.ID()) + again
		case counts.Failed > 0:
			words.Retry = a.comeback("retry", run.ID()) + again
		}
		a.screen.Done(words)
	}
	return nil
}

// written gives a path where a file is, else nothing.
func written(path string) string {
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func needsAttention(s report.Status) bool {
	switch s {
	case report.Failed, report.InDoubt, report.Blocked, report.Invalid, report.Pending:
		return true
	}
	return false
}

func shown(header *plan.Header, out report.Outcome) shownRow {
	source := header.Sources[out.Op.Row.Source]
	row := shownRow{
		File: source.File, Sheet: source.Sheet, Row: out.Op.Row.Number, Key: out.Op.Event.Key,
		Action: out.Op.Action, Reason: out.Op.Reason, Status: out.Status, EventID: out.EventID, Field: out.Field, Error: out.Error,
	}
	if !out.At.IsZero() {
		row.At = &out.At
	}
	return row
}

// stateWord says how far a run is.
func stateWord(s *journal.State) string {
	switch {
	case s.Tally().Open() == 0:
		return "finished"
	case !s.Started:
		return "planned, not sent"
	case s.Ended != "":
		return "unfinished, stopped: " + s.Ended
	}
	return "unfinished"
}
