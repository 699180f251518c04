package batch

import (
	"context"
	"errors"
	"maps"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/postgres"
	"eventbatch/batch/report"
	"eventbatch/batch/work"
)

// Runs returns the runs of a store, the newest first. The database says which workers have them; nil is not asked, as where
// the store is a folder.
func Runs(ctx context.Context, store journal.Store, db *postgres.DB) ([]report.RunLine, error) {
	summaries, err := store.Runs()
	if err != nil {
		return nil, err
	}
	lines, open := make([]report.RunLine, 0, len(summaries)), []string{}
	for i := range slices.Backward(summaries) {
		lines = append(lines, lineOf(&summaries[i]))
		if last := &lines[len(lines)-1]; last.Open > 0 {
			open = append(open, last.Run)
		}
	}
	workers, undoing := work.Words(ctx, db, open...), map[string][]string{}
	for i := range slices.Backward(summaries) {
		if s := &summaries[i]; s.Started && s.Header.Reverts != "" {
			undoing[s.Header.Parent] = append(undoing[s.Header.Parent], s.ID)
		}
	}
	for i := range lines {
		lines[i].Workers, lines[i].UndoneBy = workers[lines[i].Run], undoing[lines[i].Run]
	}
	return lines, nil
}

// RunsOfAll returns the runs of all stores of a database, the newest first, and which of them cannot be read.
func RunsOfAll(ctx context.Context, db *postgres.DB, local *files.Workspace) (lines []report.RunLine, unread, err error) {
	schemas, err := db.Schemas()
	lines = []report.RunLine{}
	for _, schema := range schemas {
		list, err := runsIn(ctx, db, schema, local)
		unread = errors.Join(unread, err)
		for i := range list {
			list[i].Store = schema
		}
		lines = append(lines, list...)
	}
	slices.SortStableFunc(lines, func(a, b report.RunLine) int { return b.Created.Compare(a.Created) })
	return lines, unread, err
}

// runsIn returns the runs of the store in a schema.
func runsIn(ctx context.Context, db *postgres.DB, schema string, local *files.Workspace) ([]report.RunLine, error) {
	beside, err := db.Beside(ctx, schema)
	if err != nil {
		return nil, err
	}
	store := postgres.OpenStore(beside, local)
	defer store.Close()
	return Runs(ctx, store, beside)
}

func lineOf(s *journal.Summary) report.RunLine {
	l := report.RunLine{
		Run: s.ID, Folder: s.Folder, Created: s.Header.Created, Command: s.Header.Command, BaseURL: s.Header.Target.BaseURL,
		Host: s.Header.Home.Host, Parent: s.Header.Parent, Reverts: s.Header.Reverts,
		Rows: s.Header.Counts, Open: s.Tally.Open(), Failed: s.Tally[journal.Failed],
		Left: s.Tally[journal.Skipped] + s.Tally[journal.Blocked], Files: s.Header.Files(), Calendars: []string{},
	}
	l.Calendars = slices.AppendSeq(l.Calendars, maps.Keys(s.Header.Target.Calendars))
	slices.Sort(l.Calendars)
	l.State = stage(l.Open, s.Started, s.Ended, report.Planned, report.Unfinished+" ("+s.Ended+")")
	if s.Err != nil {
		l.State, l.Error = "damaged", s.Err.Error()
	}
	return l
}

// Stage returns the words for how far a run is.
func Stage(s *journal.State) string {
	return stage(s.Tally().Open(), s.Started, s.Ended, report.Planned+", not sent", report.Unfinished+", stopped: "+s.Ended)
}

// stage returns how far a run is, in the words of the caller where nobody has sent it, and where it has stopped.
func stage(open int, started bool, ended, planned, stopped string) string {
	switch {
	case open == 0:
		return report.Finished
	case !started:
		return planned
	case ended != "":
		return stopped
	}
	return report.Unfinished
}
