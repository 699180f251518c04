package files

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping/own"
)

// droppedName is the file that says of a run that the contents of its rows were dropped on
// purpose: the bodies of requests, the cells and what was there before, and the results.
const droppedName = "dropped"

// droppedMark is the content of that file.
type droppedMark struct {
	At time.Time `json:"at"`
}

func (r *run) droppedPath() string { return filepath.Join(r.folder, droppedName) }

// dropped returns when the payloads were dropped on purpose; zero where they are there.
func (r *run) dropped() time.Time {
	text, err := own.Read(r.droppedPath())
	if err != nil {
		return time.Time{}
	}
	var d droppedMark
	if json.Unmarshal(text, &d) != nil || d.At.IsZero() { // what says nothing else says that they were
		return r.Header().Created
	}
	return d.At
}

// drop drops the contents of the run's rows.
func (r *run) drop(at time.Time, try bool) (bytes int64, there bool, err error) {
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
	err = r.sayDropped(at)
	for _, path := range []string{r.rowsPath(), r.resultsPath()} {
		if err == nil {
			if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
	}
	if err != nil {
		return 0, true, journal.Unusable("dropping what the rows of run "+r.ID()+" held", err)
	}
	return bytes, true, nil
}

func (r *run) sayDropped(at time.Time) error {
	return own.Replace(r.droppedPath(), func(w io.Writer) error { return json.NewEncoder(w).Encode(droppedMark{at}) })
}
