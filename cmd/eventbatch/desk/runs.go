package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
)

// listing are the runs of the workspace in words, the newest first, with the document of the command runs.
type listing struct {
	Format   string                     `json:"format"`
	Document map[string]json.RawMessage `json:"document"`
	Heads    []string                   `json:"heads"`
	Sent     []pastRun                  `json:"sent"`
	Rest     []pastRun                  `json:"rest"` // that have sent nothing
}

// pastRun is one of them.
type pastRun struct {
	Run    string `json:"run"`
	When   string `json:"when"`
	Source string `json:"source"`
	Back   string `json:"back"` // which it takes back, in words; empty of any other
	Made   string `json:"made"`
	Failed string `json:"failed"` // rows; empty where none did
	Open   string `json:"open"`   // what goes on with its open rows; empty where none is open
	Host   string `json:"host"`
	State  string `json:"state"`
	Taken  string `json:"taken"`  // that it was taken back; empty where it was not
	Undo   string `json:"undo"`   // what takes it back, or what is left of it; empty where nothing is
	Stands string `json:"stands"` // that, or its state, in words
	Ours   bool   `json:"ours"`   // it is about the file of the page
}

// listedRun is a run as the command runs has it.
type listedRun struct{ report.RunLine }

// runs answers with the runs of the workspace.
func (d *Desk) runs(w http.ResponseWriter, r *http.Request) error {
	head, runs, by, err := d.listed(r.Context())
	if err != nil {
		return err
	}
	list := &listing{
		Format: "eventbatch/desk-runs/1", Document: head, Sent: []pastRun{}, Rest: []pastRun{},
		Heads: []string{"When", "Source", "Made and changed", "Failed", "Machine", "How it stands"},
	}
	for i := range runs {
		of := &runs[i]
		told := of.told(by)
		told.Ours = slices.ContainsFunc(of.Files, d.ours)
		if told.Made == "" || of.State == report.Planned {
			told.Made = "nothing"
			list.Rest = append(list.Rest, told)
		} else {
			list.Sent = append(list.Sent, told)
		}
	}
	return writeJSON(w, list)
}

// listed returns the runs of the workspace, the newest first and by their ids, with the document of the command runs.
func (c *Config) listed(ctx context.Context) (
	head map[string]json.RawMessage, runs []listedRun, by map[string]*listedRun, err error,
) {
	var doc struct{ Runs []listedRun }
	head, err = membersOf(c.Document(ctx, "runs"), &doc, "runs")
	by = map[string]*listedRun{}
	for i := range doc.Runs {
		by[doc.Runs[i].Run] = &doc.Runs[i]
	}
	return head, doc.Runs, by, err
}

// takesBack says which run a plan takes back: by its time and source, or by its id where it is not listed any more.
func (c *Config) takesBack(ctx context.Context, run string) (string, error) {
	_, _, by, err := c.listed(ctx)
	if err != nil || by[run] == nil {
		return "It takes back run " + run + ".", err
	}
	told := by[run].told(by)
	words := "It takes back the run of " + told.When + ": " + told.Source
	if told.Back != "" {
		words += ", which took back that of " + when(by[by[run].Parent].Created)
	}
	return words + ".", nil
}

// when is how the page says when something was.
func when(at time.Time) string { return at.Local().Format("2 Jan 2006, 15:04") }

// told puts a run into words.
func (r *listedRun) told(by map[string]*listedRun) pastRun {
	told := pastRun{Run: r.Run, When: when(r.Created), Source: r.Command, Host: r.Host, State: r.State}
	if len(r.Files) > 0 {
		var names []string
		for _, name := range r.Files {
			names = append(names, filepath.Base(name))
		}
		told.Source = strings.Join(names, ", ")
	}
	if parent := by[r.Parent]; r.Reverts != "" && parent != nil {
		told.Back = "takes back that of " + when(parent.Created)
	}
	if r.Failed > 0 {
		told.Failed = report.Number(r.Failed)
	}
	if r.Open > 0 {
		told.Open = "Go on with " + report.Count(r.Open, "row")
	}
	var made []string
	for _, of := range []struct {
		action plan.Action
		words  string
	}{{plan.Create, "new"}, {plan.Update, "changed"}, {plan.Cancel, "cancelled"}} {
		if n := r.Rows[of.action]; n > 0 {
			made = append(made, report.Number(n)+" "+of.words)
		}
	}
	told.Made = strings.Join(made, " · ")
	if made != nil && r.Unfinished() {
		told.Made += ", " + report.Number(r.Open) + " of them open"
	}
	if made != nil && r.Left > 0 {
		told.Made += ", " + report.Number(r.Left) + " of them not sent after all"
	}
	if told.Undo = "Take it back…"; strings.HasPrefix(r.State, report.Planned) {
		told.Undo = ""
	}
	if undo := r.undo(by); undo != nil {
		told.Taken, told.Undo = "Taken back "+when(undo.Created), ""
		if undo.Failed+undo.Open+undo.Left+undo.Rows[plan.Skip]+undo.Rows[plan.Conflict]+undo.Rows[plan.Blocked] > 0 {
			told.Taken, told.Undo = "Taken back in part "+when(undo.Created), "Take back what is left…"
		}
	}
	told.Stands = cmp.Or(told.Taken, begin(r.State))
	return told
}

// undo returns the run that has taken it back, nil where there is none: one that was taken back itself has not.
func (r *listedRun) undo(by map[string]*listedRun) *listedRun {
	for _, id := range r.UndoneBy {
		if undo := by[id]; undo != nil && undo.undo(by) == nil {
			return undo
		}
	}
	return nil
}

// nights answers with the nights of a month, and a row of words for each source that has any.
func (d *Desk) nights(w http.ResponseWriter, r *http.Request) error {
	var doc struct {
		Sources []struct {
			Source string
			Last   *time.Time `json:"last_success"`
			Totals struct {
				Nights         int
				Outcomes, Rows map[string]int
			}
		}
	}
	head, err := membersOf(d.Document(r.Context(), "report", "--since=30d"), &doc)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, of := range doc.Sources {
		if of.Totals.Nights == 0 {
			continue
		}
		var ended []string
		for _, outcome := range slices.Sorted(maps.Keys(of.Totals.Outcomes)) {
			if n := of.Totals.Outcomes[outcome]; n > 0 {
				ended = append(ended, report.Number(n)+" "+outcome)
			}
		}
		last := "none"
		if of.Last != nil {
			last = when(*of.Last)
		}
		rows = append(rows, []string{
			filepath.Base(of.Source), report.Number(of.Totals.Nights), strings.Join(ended, " · "),
			strings.Join(statusWords(of.Totals.Rows), " · "), last,
		})
	}
	heads := []string{"Source", "Nights", "How they ended", "Rows", "Last good one"}
	return writeJSON(w, map[string]any{"format": "eventbatch/desk-nights/1", "document": head, "heads": heads, "rows": rows})
}
