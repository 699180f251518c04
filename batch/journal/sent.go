package journal

import (
	"io"
	"slices"
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
	var list []Sending
	err := r.journals(func(_, path string, lines io.Reader) error {
		_, err := replay(path, lines, func(e *entry) error {
			if ops := e.each(); e.T == Intent && e.At > 0 && len(ops) > 0 {
				list = append(list, Sending{Op: ops[0], At: time.UnixMilli(e.At)})
			}
			return nil
		})
		return err
	})
	slices.SortStableFunc(list, func(a, b Sending) int { return a.At.Compare(b.At) })
	return list, err
}
