package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// droppedName is the file that says of a run that the contents of its rows were dropped on
// purpose: the bodies of requests, the cells and what was there before, and the results.
const droppedName = "dropped"

// dropped is what the file says.
type dropped struct {
	At time.Time `json:"at"`
}

// ErrDropped is the kind of error of reading what was dropped on purpose.
var ErrDropped = fmt.Errorf("%w: dropped", fs.ErrNotExist)

func (r *runFolder) droppedPath() string { return filepath.Join(r.folder, droppedName) }

// droppedAt returns the day on which the contents of the run's rows were dropped, empty
// where they are there.
func (r *runFolder) droppedAt() string {
	text, err := own.Read(r.droppedPath())
	if err != nil {
		return ""
	}
	var d dropped
	if json.Unmarshal(text, &d) != nil {
		return "an unknown day"
	}
	return onDay(d.At)
}

// onDay returns a day as people read it.
func onDay(at time.Time) string { return at.Local().Format("2 January 2006") }

// missing returns the error that the contents of the rows are not there.
func (r *run) missing() error {
	if day := r.droppedAt(); day != "" {
		return failure.New(
			ErrDropped, fmt.Errorf("what the rows of run %s held was dropped on %s", r.ID(), day),
			"eventbatch runs prune --bodies did so; what became of each row is still there: eventbatch show "+r.ID(),
		)
	}
	return &DamagedError{Path: r.rowsPath(), Reason: "it is missing"}
}

// drop drops the contents of the run's rows.
func (r *runFolder) drop(at time.Time, try bool) (bytes int64, there bool, err error) {
	for _, path := range []string{r.rowsPath(), r.resultsPath()} {
		info, err := os.Stat(path)
		if err == nil {
			there = true
			bytes += info.Size()
		}
	}
	if !there || try {
		return bytes, there, nil
	}
	err = own.Replace(r.droppedPath(), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(dropped{at})
	})
	for _, path := range []string{r.rowsPath(), r.resultsPath()} {
		if err == nil {
			if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
	}
	if err != nil {
		return 0, true, unusable("dropping what the rows of run "+r.ID()+" held", err)
	}
	return bytes, true, nil
}
