package desk

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/pattern"
)

// goesOn returns the command that tells what is left of a run of the file that was not brought to its end, or of the
// one that the page has sent. It sends nothing, for nobody agrees to it.
func (c *Config) goesOn(ctx context.Context, said *asked, sent string) ([]string, error) {
	waits := c.unfinished(ctx, sent)
	if waits == nil || waits.Run != said.Run {
		return nil, refuse(http.StatusConflict, "that run does not wait to be gone on with")
	}
	words := append([]string{"apply"}, c.Sending.Pace...)
	if said.Doubt != nil {
		if said.Doubt.EventID != "" && !eventID().MatchString(said.Doubt.EventID) {
			return nil, refuse(http.StatusBadRequest, "that is not the id of an event")
		}
		row, err := c.inDoubt(ctx, said.Run, said.Doubt.rowName)
		if err != nil {
			return nil, err
		}
		if said.Doubt.EventID == "" {
			words = append(words, "--not-created="+row)
		} else {
			words = append(words, "--adopt="+row+"="+said.Doubt.EventID)
		}
	}
	return append(words, "--", said.Run), nil
}

var eventID = pattern.New(`^[0-9A-Za-z][0-9A-Za-z_-]{0,80}$`)

// inDoubt returns the name of a row in doubt as apply takes it.
func (c *Config) inDoubt(ctx context.Context, run string, name rowName) (string, error) {
	var shown struct{ Lines []shownRow }
	err := json.Unmarshal(c.Document(ctx, "show", "--", run), &shown)
	i := slices.IndexFunc(shown.Lines, func(o shownRow) bool {
		return o.Status == finding.InDoubt && o.Sheet == name.Sheet && o.Row == name.Row
	})
	if err != nil || i < 0 {
		return "", refuse(http.StatusConflict, "that row is not in doubt")
	}
	row, sheet := strconv.Itoa(name.Row), ""
	if name.Sheet != "" {
		sheet = name.Sheet + "!"
	}
	return shown.Lines[i].File + ":" + sheet + row, nil
}

// unfinished is a run of the file that was begun and not brought to its end.
type unfinished struct {
	Run     string    `json:"run"`
	Created time.Time `json:"created"`
	Command string    `json:"command"`
	State   string    `json:"state"`
	Open    int       `json:"open"` // rows
	Words   string    `json:"words"`
}

// unfinished returns the run to be gone on with, nil where there is none. One that the page has sent is of the file whatever it
// was planned of.
func (c *Config) unfinished(ctx context.Context, sent string) *unfinished {
	_, runs, _, err := c.listed(ctx)
	if err != nil {
		return nil
	}
	for i := range runs {
		run := &runs[i]
		about := slices.ContainsFunc(run.Files, c.ours) || sent != "" && run.Run == sent // as of an undo
		if about && run.Open > 0 && run.Unfinished() {
			words := "A run is not finished: " + report.Count(run.Open, "row") + " left. What was sent is not sent again."
			if info, err := os.Stat(c.File); err == nil && info.ModTime().After(run.Created) {
				words += " It goes on as it was planned; the file was saved since, and what has changed in it is for a plan of its own."
			}
			return &unfinished{
				Run: run.Run, Created: run.Created, Command: run.Command, State: run.State, Open: run.Open, Words: words,
			}
		}
	}
	return nil
}

// ours reports whether a name is that of the file, or of its mended copy.
func (c *Config) ours(name string) bool {
	return sameFile(name, c.File) || sameFile(name, c.Editing.Copy)
}

// sameFile reports whether two names are of one place.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	one, err := filepath.Abs(a)
	other, failed := filepath.Abs(b)
	return err == nil && failed == nil && one == other
}

var runID = pattern.New(`^[0-9a-z][0-9a-z-]{1,80}$`)

// runOf returns the run that a request is about.
func runOf(r *http.Request) (string, error) {
	id := r.URL.Query().Get("id")
	if !runID().MatchString(id) {
		return "", refuse(http.StatusBadRequest, "that is not the id of a run")
	}
	return id, nil
}
