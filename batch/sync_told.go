package batch

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// warn says what went wrong beside the sync, which it does not fail.
func (s *syncRun) warn(err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") { // several errors are a line each
		s.Screen.Aside("warning: " + printable.Clean(line))
	}
}

// log adds the night to the log of its sync. A dry run is none.
func (s *syncRun) log(e night.Entry) {
	if s.Dry || s.texts == nil {
		return
	}
	e.Sync, e.Source, e.Began = s.Name, s.Logged, s.begun
	s.warn(night.Log(s.texts, s.Kept, e))
}

// ending returns how the night ended, in words that may be told.
func (s *syncRun) ending(told *notify.Night) night.Ending {
	private := s.private()
	why, hint := notify.Words(told.Exit, told.Err, len(private) > 0)
	return night.Ending{
		Exit:  finding.Exit{Code: told.Exit.Code, Reason: told.Exit.Reason, Error: why, Hint: hint},
		State: string(notify.StateOf(told.Exit.Code, told.Changed)), Problems: told.Troubles.Words(private),
	}
}

// workOf returns what the night has done.
func workOf(told *notify.Night) night.Work {
	rows := night.Counts{}
	rows.Add(told.Rows)
	return night.Work{Rows: rows, Requests: told.Requests.Made}
}

// teller returns who tells how the nights go; nil where nobody is told.
func (s *syncRun) teller(keep func(change func(text []byte) []byte) error) *notify.Teller {
	if s.Notify == nil || s.Dry {
		return nil
	}
	config := *s.Notify
	config.Sync, config.Keep = s.Name, keep
	return notify.New(config)
}

// keeper returns what keeps the state of who was told, or why nothing does.
func (s *syncRun) keeper(store journal.Store, why error) func(change func(text []byte) []byte) error {
	if why != nil {
		return func(func([]byte) []byte) error { return why }
	}
	if shared, ok := store.(journal.Shared); ok {
		return func(change func([]byte) []byte) error { return night.Change(shared, s.Kept, night.ToldName, change) }
	}
	return notify.InFile(filepath.Join(s.Folder, night.ToldName))
}

// runID returns the id of the night's run, empty where there is none.
func (s *syncRun) runID() string {
	if s.run == nil {
		return ""
	}
	return s.run.ID()
}

// told returns the night as those are told of it who want to know.
func (s *syncRun) told(ctx context.Context, err error) notify.Night {
	exit := s.Screen.Exit(ctx, err, s.rows)
	if guard, ok := errors.AsType[*GuardError](err); ok && guard.Short != "" && s.hides(guard.KeyColumn) {
		exit.Error = guard.Short
	}
	told := notify.Night{
		Run: s.runID(), Began: s.begun, Exit: exit, Err: err,
		Changed: s.rows[finding.Created]+s.rows[finding.Updated]+s.rows[finding.Cancelled] > 0, Rows: s.rows,
		Requests: s.requests, Troubles: s.troubles,
	}
	if s.run != nil {
		told.Report = s.run.Files().Results
	}
	return told
}

// private returns the columns of which no cell is told.
func (s *syncRun) private() []string {
	if s.Notify == nil {
		return nil
	}
	return s.Notify.Private
}

// hides reports whether no cell of a column is told. Where a column is not known, it may be any.
func (s *syncRun) hides(column string) bool {
	private := s.private()
	return notify.Among(private, column) || column == "" && len(private) > 0
}

// problem keeps what is wrong for those who are told.
func (s *syncRun) problem(p schema.Problem, of Whose) {
	p.Message = report.WithValue(&p)
	s.troubles.Add(notify.Trouble{Problem: p, Key: of.Key, Header: of.Header, Cells: of.Cells})
}

// unfinishedRows is the sink of the rows that sending has not brought to a good end: what was wrong before that is
// told already.
type unfinishedRows struct {
	*syncRun
	sheets []plan.Sheet
}

// Row takes what is wrong with a row.
func (n unfinishedRows) Row(row *finding.Row) {
	for _, p := range row.Problems {
		n.problem(p, Whose{Key: row.Event.Key, EventID: row.Event.ID, Header: n.sheets[row.Source].Header, Cells: row.Cells})
	}
}

// Problem takes what is wrong with a whole file.
func (n unfinishedRows) Problem(p schema.Problem) { n.problem(p, Whose{}) }

// End has nothing to write.
func (unfinishedRows) End(*finding.Summary) error { return nil }

// sayNewlyLeft says what the feed has and nothing takes, where that is not what it was on the night before.
func (s *syncRun) sayNewlyLeft(planned *Planned) {
	list := planned.Run.Header().LeftBehind
	var columns []string
	for _, left := range list {
		columns = append(append(columns, left.What), left.Columns...)
	}
	if s.memory.Leave(columns) {
		s.Screen.LeftBehind(list)
	}
}

// noteMissing notes the keys that are gone from the feed and whose events stay, where they are others than on the
// night before, for a sync that is to report them.
func (s *syncRun) noteMissing(planned *Planned, reports bool) {
	var keys []string
	for i := range planned.Missing {
		if gone := &planned.Missing[i]; reports && gone.Action == string(plan.Skip) {
			keys = append(keys, gone.Key)
		}
	}
	if !s.memory.Miss(keys) {
		return
	}
	of := " of source " + printable.Brief(s.Source, shownName)
	words := "1 event" + of + " is not in the feed any more, and stays"
	if len(keys) > 1 {
		words = printable.Count(len(keys), "event") + of + " are not in the feed any more, and stay"
	}
	columns := columnsOf(planned)
	unmet := func(private string) bool { return !notify.Among(columns, private) } // it may be the keys' by another name
	if !s.hides(planned.KeyColumn) && !slices.ContainsFunc(s.private(), unmet) {
		for i := range keys {
			keys[i] = printable.Brief(keys[i], shownName)
		}
		words += ": " + printable.Names(keys)
	}
	s.note(schema.CodeRowGone, words,
		"look whether the feed is whole; to have such events cancelled, say missing: cancel and allow: [cancel]")
}

// shownName is how many characters of a key, or of the name of a source, are told.
const shownName = 30

// noteUnfed notes the fields that columns of the feed have fed on the night before, where nothing feeds them now
// and the columns are gone.
func (s *syncRun) noteUnfed(planned *Planned) {
	if planned.Fed == nil || !s.columned() {
		return
	}
	fields, gone := s.memory.Unfed(planned.Fed, columnsOf(planned))
	if s.memory.Fed = planned.Fed; fields == nil {
		return
	}
	s.note(schema.CodeMissingColumn,
		"no column feeds "+printable.Names(fields)+" any more: "+printable.Names(gone)+" did on the last night",
		"what they fed stays as it is; give the columns their names back, or name the new ones in a mapping: eventbatch map")
}

// note notes what is news of the whole feed.
func (s *syncRun) note(code schema.Code, message, hint string) {
	s.troubles.Note(schema.Problem{
		Severity: schema.Warning, Code: code, Place: schema.Place{Column: -1}, Message: message, Hint: hint,
	})
}

// columnsOf returns the columns of all sheets of the feed.
func columnsOf(planned *Planned) (columns []string) {
	for _, sheet := range planned.Run.Header().Sheets {
		columns = append(columns, sheet.Header...)
	}
	return columns
}
