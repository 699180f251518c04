package journal

import (
	"errors"
	"io/fs"
	"time"
)

// Sending is one attempt of an op: a request is about to leave.
type Sending struct {
	Op int // index in the plan
	At time.Time
}

// Sendings reads when each attempt of each op began, in order. Requests that only
// read are in no journal.
func (r *Run) Sendings() ([]Sending, error) {
	f, err := r.disk.read(r.JournalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &FolderError{"reading journal", err}
	}
	defer f.Close()
	var list []Sending
	_, err = replay(r.JournalPath(), f, func(e *entry) error {
		if e.typ == Intent && e.at > 0 {
			list = append(list, Sending{Op: e.op, At: time.UnixMilli(e.at)})
		}
		return nil
	})
	return list, err
}
