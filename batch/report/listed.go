package report

import (
	"io"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
)

// RunLine is a run as the document of runs has it.
type RunLine struct {
	Run       string      `json:"run"`
	Store     string      `json:"store,omitempty"` // its schema, among those of all
	Folder    string      `json:"folder"`
	Created   time.Time   `json:"created"`
	Command   string      `json:"command"`
	Host      string      `json:"host,omitempty"`      // machine that it was planned on
	Parent    string      `json:"parent,omitempty"`    // run that it takes back, or whose failed rows it sends again
	Reverts   string      `json:"reverts,omitempty"`   // what it does to that one: undo, or redo where that is an undo itself
	UndoneBy  []string    `json:"undone_by,omitempty"` // runs that were begun to take it back, the newest first
	State     string      `json:"state"`
	Workers   string      `json:"workers,omitempty"` // that have it, or what they wait for
	BaseURL   string      `json:"base_url"`
	Calendars []string    `json:"calendars"` // that its rows were to be sent to
	Files     []string    `json:"files"`
	Rows      plan.Counts `json:"rows"`
	Open      int         `json:"open"`
	Failed    int         `json:"failed"`
	Error     string      `json:"error,omitempty"`
	Left      int         `json:"left,omitempty"` // not sent after all: changed by others meanwhile, say
}

// How far a run is, in words. What a run has stopped by stands behind the last of them.
const (
	Finished   = "finished"
	Planned    = "planned"
	Unfinished = "unfinished"
)

// Unfinished reports whether rows of the run were sent, and others are left.
func (l *RunLine) Unfinished() bool { return strings.HasPrefix(l.State, Unfinished) }

// RunsTable prints runs as a table, with the store of each where there are several.
func RunsTable(w io.Writer, lines []RunLine, stores bool) error {
	header := []string{"STORE", "RUN", "PLANNED", "COMMAND", "STATE", "ROWS", "OPEN", "FAILED", "CALENDAR", "FILES"}
	first := 1
	if stores {
		first = 0
	}
	return TableOf(w, header[first:], lines, func(l RunLine) []string {
		planned := ""
		if !l.Created.IsZero() {
			planned = l.Created.Local().Format("02 Jan 2006 15:04")
		}
		state := l.State
		if l.Left > 0 {
			state += ", " + Number(l.Left) + " left"
		}
		row := []string{
			l.Store, l.Run, planned, l.Command, state, Number(l.Rows.Read()), Number(l.Open), Number(l.Failed),
			Names(l.Calendars), Names(l.Files),
		}
		return row[first:]
	})
}

// ShownRow is a row of a run as the document of show has it.
type ShownRow struct {
	File    string         `json:"file"`
	Sheet   string         `json:"sheet"`
	Row     int            `json:"row"`
	Key     string         `json:"key"`
	Action  string         `json:"action"`
	Reason  string         `json:"reason"`
	Status  finding.Status `json:"status"`
	EventID string         `json:"event_id"`
	Name    string         `json:"name"`     // of the event; empty where the plan does not know it
	StartAt *time.Time     `json:"start_at"` // null where the plan does not know it
	Field   string         `json:"field"`
	Error   string         `json:"error"`
	At      *time.Time     `json:"at"`
	Asks    []string       `json:"asks,omitempty"` // of a row that is held back: the answers, as --rename takes them
}

// shownRowOf returns a row as it is shown.
func shownRowOf(row *finding.Row) ShownRow {
	line := ShownRow{
		File: row.File, Sheet: row.Sheet, Row: row.Number, Key: row.Event.Key, Action: row.Action, Reason: row.Reason,
		Status: row.Status, EventID: row.Event.ID, Name: row.Event.Name, Field: row.Field, Error: row.Error, Asks: row.Asks,
	}
	if start := row.Event.Start; !start.IsZero() {
		line.StartAt = new(start)
	}
	if !row.At.IsZero() {
		line.At = new(row.At)
	}
	return line
}
