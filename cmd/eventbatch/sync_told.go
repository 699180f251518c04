package main

import (
	"errors"
	"slices"

	"eventbatch/batch"
	"eventbatch/batch/notify"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// told returns the night as those are told of it who want to know.
func (s *syncing) told(err error) notify.Night {
	rows, exit := s.doc.Rows, found.Exit(s.exit(err))
	switch guard, _ := errors.AsType[*batch.GuardError](err); {
	case is[*sheet.Error](err) || is[*mapping.HeaderError](err):
		exit.Error, exit.Hint = unread, "" // the troubles say why
	case exit.Code == exitPartial && exit.Error == "":
		exit.Error = shortfall(rows)
	case guard != nil && guard.Short != "" && s.private(guard.KeyColumn):
		exit.Error = guard.Short
	}
	return notify.Night{
		Run: s.doc.Run, Began: s.begun, Exit: exit, Err: err,
		Changed: rows[found.Created]+rows[found.Updated]+rows[found.Cancelled] > 0, Rows: rows,
		Requests: found.Requests{
			Planned: s.doc.Requests.Planned, Sent: s.doc.Requests.Sent, Reads: s.doc.Requests.Reads, Throttled: s.doc.Requests.Throttled,
		},
		Troubles: s.troubles, Report: s.doc.Files.Results,
	}
}

// private reports whether no cell of a column is told. Where a column is not known, it may be any.
func (s *syncing) private(column string) bool {
	private := s.job.private()
	return notify.Among(private, column) || column == "" && len(private) > 0
}

// problem keeps what is wrong for those who are told.
func (s *syncing) problem(p schema.Problem, of batch.Whose) {
	p.Message = report.WithValue(&p)
	s.troubles.Add(notify.Trouble{Problem: p, Key: of.Key, Header: of.Header, Cells: of.Cells})
}

// sayNewlyLeft says what the feed has and nothing takes, where that is not what it was on the night before.
func (s *syncing) sayNewlyLeft() {
	var columns []string
	for _, left := range s.doc.LeftBehind {
		columns = append(append(columns, left.What), left.Columns...)
	}
	left := ""
	if columns != nil {
		left = hash(columns...)
	}
	if left != s.memory.LeftBehind && !s.global.json {
		s.sayLeftBehind(s.doc.LeftBehind)
	}
	s.memory.LeftBehind = left
}

// notDone is the sink of the rows that sending has not brought to a good end: what was wrong before that is
// told already.
type notDone struct {
	*syncing
	sheets []plan.Sheet
}

// Row takes what is wrong with a row.
func (n notDone) Row(row *found.Row) {
	for _, p := range row.Problems {
		of := batch.Whose{Key: row.Event.Key, EventID: row.Event.ID, Header: n.sheets[row.Source].Header, Cells: row.Cells}
		n.syncing.problem(p, of)
	}
}

// Problem takes what is wrong with a whole file.
func (n notDone) Problem(p schema.Problem) { n.syncing.problem(p, batch.Whose{}) }

// End has nothing to write.
func (notDone) End(*found.Summary) error { return nil }

// noteMissing notes the keys that are gone from the feed and whose events stay, where they are others than on the
// night before, for a sync that is to report them.
func (s *syncing) noteMissing(planned *batch.Planned, reports bool) {
	var keys []string
	for i := range planned.Missing {
		if gone := &planned.Missing[i]; reports && gone.Action == string(plan.Skip) {
			keys = append(keys, gone.Key)
		}
	}
	was := s.memory.Missing
	if s.memory.Missing = ""; keys == nil {
		return
	}
	if s.memory.Missing = hash(slices.Sorted(slices.Values(keys))...); s.memory.Missing == was {
		return
	}
	of := " of source " + printable.Brief(s.job.sourceName(), shownKey)
	words := "1 event" + of + " is not in the feed any more, and stays"
	if len(keys) > 1 {
		words = printable.Count(len(keys), "event") + of + " are not in the feed any more, and stay"
	}
	columns := columnsOf(planned)
	unmet := func(private string) bool { return !notify.Among(columns, private) } // it may be the keys' by another name
	if !s.private(planned.KeyColumn) && !slices.ContainsFunc(s.job.private(), unmet) {
		for i := range keys {
			keys[i] = printable.Brief(keys[i], shownKey)
		}
		words += ": " + printable.Names(keys)
	}
	s.troubles.Note(schema.Problem{
		Severity: schema.Warning, Code: schema.CodeRowGone, Place: schema.Place{Column: -1}, Message: words,
		Hint: "look whether the feed is whole; to have such events cancelled, say missing: cancel and allow: [cancel]",
	})
}

// shownKey is how many characters of a key, or of the name of a source, are told.
const shownKey = 30

// noteUnfed notes the fields that columns of the feed have fed on the night before, where nothing feeds them now
// and the columns are gone.
func (s *syncing) noteUnfed(planned *batch.Planned) {
	if planned.Fed == nil || !s.columned() {
		return
	}
	fields, gone := s.memory.Unfed(planned.Fed, columnsOf(planned))
	if s.memory.Fed = planned.Fed; fields == nil {
		return
	}
	s.troubles.Note(schema.Problem{
		Severity: schema.Warning, Code: schema.CodeMissingColumn, Place: schema.Place{Column: -1},
		Message: "no column feeds " + printable.Names(fields) + " any more: " + printable.Names(gone) + " did on the last night",
		Hint:    "what they fed stays as it is; give the columns their names back, or name the new ones in a mapping: eventbatch map",
	})
}

// columnsOf returns the columns of all sheets of the feed.
func columnsOf(planned *batch.Planned) (columns []string) {
	for _, sheet := range planned.Run.Header().Sheets {
		columns = append(columns, sheet.Header...)
	}
	return columns
}
