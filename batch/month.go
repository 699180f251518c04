package batch

import (
	"context"
	"errors"
	"os"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/report/month"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/failure"
)

// MonthConfig says which nights a month has.
type MonthConfig struct {
	Workspace journal.Store
	Texts     night.Store
	From, To  time.Time
	// Stands returns how a run stands as an exit, or why nobody knows.
	Stands func(error, *Reported) finding.Exit
}

// Month returns the nights that began in some time, and the runs that people have sent by hand.
func Month(ctx context.Context, config MonthConfig) (*month.Month, error) {
	logged, unread, err := night.Logged(config.Texts, config.From)
	if _, known := failure.HintOf(err); known {
		return nil, err
	}
	if err != nil {
		return nil, failure.New(failure.Disk, err, "see to it that the workspace can be read")
	}
	runs, err := config.runs(ctx)
	if err != nil {
		return nil, err
	}
	m := month.New(config.From, config.To, logged, runs)
	m.Unread = unread
	return m, nil
}

// runs returns the runs that were taken up, as nights. One that cannot be read is left out.
func (c *MonthConfig) runs(ctx context.Context) ([]month.Night, error) {
	summaries, err := c.Workspace.Runs()
	if err != nil {
		return nil, err
	}
	sources := map[string]string{} // by run
	var nights []month.Night
	for i := range summaries {
		s := &summaries[i]
		h := &s.Header
		if sources[s.ID] = h.Source; h.Source == "" {
			sources[s.ID] = sources[h.Parent] // an undo has none of its own
		}
		if s.Err != nil || !s.Started || h.Created.Before(c.From) {
			continue
		}
		n, err := c.night(ctx, s)
		if err != nil {
			return nil, err
		}
		n.Source = night.TriedOut(sources[s.ID], h.Target.BaseURL == sandbox.Address)
		nights = append(nights, *n)
	}
	return nights, nil
}

// night returns what became of a run as a night.
func (c *MonthConfig) night(ctx context.Context, s *journal.Summary) (*month.Night, error) {
	run, err := c.Workspace.Find(s.ID)
	if err != nil {
		return nil, err
	}
	reported, err := Report(ctx, ReportConfig{
		Run: run, Workspace: c.Workspace, Brief: true, Told: true, Report: Reporting{Sink: &finding.Problems{}},
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	n := &month.Night{Results: ResultsOf(run), Reached: reported.Summary.Reached}
	if n.By = s.Header.Command; n.By == "sync" {
		n.By = ""
	}
	exit := c.Stands(err, reported)
	n.Began, n.Ended, n.Run = s.Header.Created, s.At, s.ID
	n.Ending = night.Ending{Exit: exit}
	n.Rows = night.Counts{}
	n.Rows.Add(reported.Rows)
	if state := reported.State; state != nil {
		n.Requests = state.Requests
	}
	return n, nil
}

// ResultsOf returns the path of the results of a run; empty where there are none.
func ResultsOf(run *journal.Run) string {
	path := run.Files().Results
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
