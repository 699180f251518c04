package desk

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
)

// ending is how a run has ended, with the document of the command show.
type ending struct {
	Format   string                     `json:"format"`
	Document map[string]json.RawMessage `json:"document"`
	Sum      string                     `json:"sum"`     // of the rows, which adds up
	State    string                     `json:"state"`   // how it stands, in words
	Told     []outcome                  `json:"told"`    // the first rows: those that were not accepted, what was done, and others
	Command  string                     `json:"command"` // that says the same
	Report   string                     `json:"report"`  // the command that makes a page of it
	Heads    []string                   `json:"heads"`
	More     string                     `json:"more"`  // that others are not told; empty where all are
	Mend     string                     `json:"mend"`  // what mends the rows that wait for that; empty where none does
	Again    string                     `json:"again"` // what sends rows again as they are; empty where none may be
}

// outcome is what became of a row, in words.
type outcome struct {
	Sheet  string         `json:"sheet"`
	Row    int            `json:"row"`
	Place  string         `json:"place"` // of the cell that is wrong, or of the row
	Cell   bool           `json:"cell"`  // it is a cell of a row that was not accepted
	Name   string         `json:"name"`
	Status finding.Status `json:"status"`
	Words  string         `json:"words"` // of the status
	Why    string         `json:"why"`
	Fields []field        `json:"fields"`
}

// rank returns where a row stands among the others: what has just happened comes before what stays as it was.
func rank(status finding.Status) int {
	switch status {
	case finding.Failed, finding.InDoubt:
		return 0
	case finding.Created, finding.Updated, finding.Cancelled:
		return 1
	}
	if status.Bad() {
		return 2
	}
	return 3
}

// run answers with how a run has ended: the rows that need attention, with rows=sent also what was done, with rows=all every row.
func (d *Desk) run(w http.ResponseWriter, r *http.Request) error {
	id, err := runOf(r)
	if err != nil {
		return err
	}
	words, which, least := []string{"show"}, r.URL.Query().Get("rows"), 2
	if which != "" {
		words = append(words, "--all")
	}
	if which == "all" {
		least = 3
	}
	end, err := endingOf(d.Document(r.Context(), append(words, "--", id)...), least)
	if err != nil {
		return err
	}
	end.Command = strings.Join(slices.Concat([]string{"eventbatch", "show", id}, words[1:]), " ")
	end.Report = "eventbatch report " + id + " -o report-" + id + ".html"
	return writeJSON(w, end)
}

// endingOf puts a document of show into words, with the rows of at most that rank.
func endingOf(text []byte, least int) (*ending, error) {
	end := &ending{Format: "eventbatch/desk-run/1", Told: []outcome{}, Heads: []string{"Row", "Name", "What became of it", "Why"}}
	var shown struct {
		document
		State    string
		Lines    []shownRow
		Problems []cellOf
		Changes  []finding.ChangeLine
	}
	var err error
	if end.Document, err = membersOf(text, &shown, "lines", "problems", "changes"); err != nil {
		return nil, err
	}
	end.Sum, end.State = shown.sum(), begin(shown.State)
	of := changesOf(shown.Changes)
	slices.SortStableFunc(shown.Lines, func(a, b shownRow) int {
		return rank(a.Status) - rank(b.Status)
	})
	more, mend, again := 0, 0, 0
	for i := range shown.Lines {
		line := &shown.Lines[i]
		status := line.Status
		if status == finding.Failed && line.Row > 0 {
			again++
		}
		if (status == finding.Failed || status == finding.Invalid) && line.Row > 0 {
			mend++
		}
		switch {
		case rank(status) > least:
		case len(end.Told) == mostWindow:
			more++
		default:
			one := outcome{
				Sheet: line.Sheet, Row: line.Row, Place: "–", Name: cmp.Or(line.Name, plan.Title(line.Key, "")),
				Status: status, Words: plainly(status), Why: line.why(),
				Fields: fieldsOf(of[line.of()], false),
			}
			if status.Bad() {
				one.Words = "✗ " + one.Words
			}
			if line.Row > 0 {
				one.Place = "row " + strconv.Itoa(line.Row)
			}
			at := cellOf{File: line.File, Sheet: line.Sheet, Row: line.Row}
			if i := slices.IndexFunc(shown.Problems, at.has); i >= 0 {
				one.Place, one.Cell = shown.Problems[i].Column+strconv.Itoa(line.Row), status == finding.Failed
			}
			end.Told = append(end.Told, one)
		}
	}
	if more > 0 {
		end.More = "and " + report.Number(more) + " more"
	}
	if mend > 0 {
		end.Mend = "Mend " + report.Count(mend, "row")
	}
	if again > 0 {
		end.Again = "Send " + report.Count(again, "row") + " again as before"
	}
	return end, nil
}

// cellOf is the cell that a problem is about.
type cellOf struct {
	File, Sheet, Column string
	Row                 int
}

// has reports whether a problem is about a cell of the row.
func (c cellOf) has(p cellOf) bool {
	return p.Row == c.Row && p.Sheet == c.Sheet && p.File == c.File && p.Column != ""
}
