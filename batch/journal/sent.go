package journal

import (
	"errors"
	"io/fs"
	"time"
)

// Sending is one request that is about to leave.
type Sending struct {
	Op int // index in the plan, of the first that it carries
	At time.Time
}

// Sendings reads when each request that changes something left, in order. Requests that only
// read are in no journal.
func (r *run) Sendings() ([]Sending, error) {
	f, err := r.openJournal()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Sending
	_, err = replay(r.journalPath(), f, func(e *entry) error {
		if ops := e.each(); e.T == Intent && e.At > 0 && len(ops) > 0 {
			list = append(list, Sending{Op: ops[0], At: time.UnixMilli(e.At)})
		}
		return nil
	})
	return list, err
}
