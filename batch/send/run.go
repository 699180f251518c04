package send

import (
	"context"
	"errors"
	"sync/atomic"

	"eventbatch/mapping/failure"

	"golang.org/x/sync/semaphore"
)

// run is what the lanes of one Run share.
type run struct {
	Config

	lanes       []*lane
	claims      *claims
	crew        *semaphore.Weighted // who works besides the first of each lane
	stop        context.CancelCauseFunc
	interrupted func() bool // whether the stop came from outside
	open        atomic.Int64
	failed      atomic.Int64
	unwritten   atomic.Pointer[JournalError] // why the journal cannot be written
}

// spent reports whether a stop came too late to keep anything back: the limit on
// failed rows was reached by the last of them.
func (r *run) spent(cause error) bool {
	return failure.Is[*TooManyErrorsError](cause) && r.open.Load() == 0 && r.unwritten.Load() == nil
}

// fail stops the run where so many more rows that have failed are too many.
func (r *run) fail(more int) {
	if n := int(r.failed.Add(int64(more))); r.MaxErrors > 0 && n >= r.MaxErrors {
		r.stop(&TooManyErrorsError{Failed: n})
	}
}

// broken stops the run because the journal cannot be written: what can no
// longer be recorded must not be sent.
func (r *run) broken(err error) error {
	broken := &JournalError{Err: err}
	r.unwritten.Store(broken)
	r.stop(broken)
	return broken
}

// crew is how many work in all lanes together besides the first of each. Each of them holds a
// row while it waits for the quota, and thousands of lanes have thousands of them.
const crew = 1000

// errDefect ends all lanes when one has panicked.
var errDefect = errors.New("a lane panicked")
