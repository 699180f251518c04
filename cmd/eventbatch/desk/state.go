package desk

import (
	"fmt"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
)

// State is what the page is about, and how far its file was read.
type State struct {
	Format   string         `json:"format"`
	File     string         `json:"file"` // empty where the page is about no file
	Title    string         `json:"title"`
	To       string         `json:"to"` // what is planned against and sent to, in words
	Command  string         `json:"command"`
	Done     bool           `json:"done"`
	Read     int            `json:"read"` // rows so far
	Rows     finding.Totals `json:"rows"` // once done
	LeftOut  int            `json:"left_out"`
	Sum      string         `json:"sum"` // what the rows come to, in words
	Sheets   []Sheet        `json:"sheets"`
	Clicks   []click        `json:"clicks"`
	Calendar heads          `json:"calendar"` // of the view of events
	Marked   string         `json:"marked"`   // file in which check marks every problem at its cell
	Exit     *finding.Exit  `json:"exit"`     // of the check, once done

	Generation int           `json:"generation"` // counts the answers
	Answers    []toldAnswer  `json:"answers"`
	By         string        `json:"by"`      // mapping that the rows are read by and that the page did not make
	Kept       string        `json:"kept"`    // what is told of it, or why the mapping beside the file is not read by, and of sheets
	Mapping    *StateMapping `json:"mapping"` // null where the page answers nothing
	Edits      *StateEdits   `json:"edits"`   // null where the page edits nothing
	Sends      bool          `json:"sends"`   // the page plans, and sends
	First      string        `json:"first"`   // tab of a page that is opened anew
	Undo       *withLeave    `json:"undo"`    // what takes events back; null where nothing does, or where it can be ticked

	passed
}

// withLeave is what somebody does who may not do something on this page.
type withLeave struct {
	Words   string `json:"words"`
	Command string `json:"command"`
}

// sum says what the rows come to, or how far they were read.
func (s *State) sum() string {
	read, invalid, left := s.Rows.Of("read"), s.Rows.Of("invalid"), ""
	switch {
	case s.File == "":
		return ""
	case !s.Done:
		return "Reading: " + report.Count(s.Read, "row") + " so far"
	case read == 0 && s.Exit != nil && s.Exit.Code != 0:
		return s.Exit.Error
	case s.LeftOut == 1:
		left = " (besides 1 row that is no event)"
	case s.LeftOut > 1:
		left = " (besides " + report.Number(s.LeftOut) + " rows that are no events)"
	}
	if s.Edits != nil && s.Edits.out > 0 {
		left += ", and " + report.Count(s.Edits.out, "row") + " left out here"
	}
	also := ""
	if s.skipped > 0 {
		also += " + " + report.Number(s.skipped) + " left out"
	}
	if s.joined > 0 {
		also += " + " + report.Number(s.joined) + " in the event of another row"
	}
	return fmt.Sprintf("%s read = %s valid + %s with mistakes%s%s",
		report.Number(read), report.Number(read-invalid-s.skipped-s.joined), report.Number(invalid), also, left)
}

// first returns the tab that a page shows first which is opened anew. Where all rows are wrong, asks is asked whether they
// are since a question is open.
func (s *State) first(asks func() bool) string {
	wrong := s.Rows.Of("invalid")
	switch {
	case s.File == "":
		return "runs"
	case s.Mapping != nil && (len(s.Sheets) == 0 || !s.Mapping.Reads && wrong > 0 && wrong == s.Rows.Of("read") && asks()):
		return "readings"
	case wrong > 0:
		return "rows"
	}
	return "columns"
}

// StateEdits is what became of the file.
type StateEdits struct {
	Cells   int    `json:"cells"`   // that hold something else than the file has
	History string `json:"history"` // what the edits come to, in words
	Copy    string `json:"copy"`
	Written bool   `json:"written"` // as the edits are now
	Command string `json:"command"`
	Why     string `json:"why"` // nothing can be edited; empty where it can

	out int // rows that are left out
}

// Answer is what a person says to a question of map.
type Answer struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

// StateMapping is what became of the answers.
type StateMapping struct {
	File    string `json:"file"`  // that it is saved to
	Reads   bool   `json:"reads"` // the rows are read by it
	Saved   bool   `json:"saved"` // as it is now
	Command string `json:"command"`
}

// stateFormat names a State, which is no document of a command.
const stateFormat = "eventbatch/desk/1"

// Sheet is one sheet whose rows are read.
type Sheet struct {
	Name   string   `json:"name"`
	Header []string `json:"header"`
	Row    int      `json:"row"`   // of the header
	Rows   int      `json:"rows"`  // below it; once done
	Title  int      `json:"title"` // column that names the rows, from 1; once done; 0: none
}

// over reports whether the file was read.
func (s *Session) over() bool {
	select {
	case <-s.ended:
	case <-s.done:
	default:
		return false
	}
	return true
}

// refusal returns why no row of the file could be read; empty where one was, or where that is not known yet.
func (s *Session) refusal() string {
	over := s.over()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !over || s.read > 0 {
		return ""
	}
	return s.exit.Error
}

// State returns what is known so far.
func (s *Session) State() State {
	state := State{Format: stateFormat, Sheets: []Sheet{}, Rows: finding.Totals{}, Done: s.over()}
	s.mu.Lock()
	defer s.mu.Unlock()
	state.Read = s.read
	if state.Done {
		state.Rows, state.Exit, state.passed = s.totals, &s.exit, s.passed
	}
	for i := range s.sources {
		source := &s.sources[i]
		if !state.Done {
			state.Sheets = append(state.Sheets, Sheet{Name: source.Sheet, Header: source.Header, Row: source.Row})
			continue
		}
		for _, rows := range source.LeftOut {
			state.LeftOut += len(rows)
		}
		below := 0
		if x := s.rows.sheets[source.Sheet]; x != nil {
			below = len(x.marks) - x.below(source.Row)
		}
		title := 0
		if s.kept != nil {
			if column, ok := s.kept.NameColumn(i); ok {
				title = column + 1
			}
		}
		state.Sheets = append(state.Sheets, Sheet{source.Sheet, source.Header, source.Row, below, title})
	}
	return state
}
