package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"eventbatch/batch/journal"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// marker is the content of the file beside a snapshot.
type marker struct {
	Pruned int `json:"pruned"` // runs that the snapshot alone knows about
}

// marked returns how many runs the snapshot of a service has to know about that were pruned.
func (w *Workspace) marked(baseURL string) (int, error) {
	text, err := own.Read(w.markerPath(baseURL))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, journal.Unusable("reading "+w.markerPath(baseURL), err)
	}
	m := marker{Pruned: 1}
	_ = json.Unmarshal(text, &m) // that it is there says that there are some
	return max(m.Pruned, 1), nil
}

// mark makes the loss of a snapshot known to whoever opens it.
func (w *Workspace) mark(index *snapshotIndex) error {
	marked, err := w.marked(index.BaseURL)
	if n := index.pruned(); err == nil && n > marked {
		var text []byte
		if text, err = json.Marshal(marker{n}); err == nil {
			err = own.ReplaceText(w.markerPath(index.BaseURL), append(text, '\n'))
		}
		if err != nil {
			err = journal.Unusable("writing the memory of keys", err)
		}
	}
	return err
}

// lost returns the error that the snapshot cannot tell of the runs that were pruned, nil
// where there are none.
func (w *Workspace) lost(baseURL string, marked int, how string) error {
	if marked == 0 {
		return nil
	}
	path, runs := w.snapshotPath(baseURL), "runs that were"
	if marked == 1 {
		runs = "run that was"
	}
	return failure.New(
		failure.Disk, fmt.Errorf("%s %s: it alone knows what the %d %s pruned have made", path, how, marked, runs),
		"put it back from a backup; or remove "+path+" and "+w.markerPath(baseURL)+
			": events are then found again by their slugs, those that have another slug are made again, and what was compared is forgotten",
	)
}
