package files

import (
	"context"
	"errors"
	"os"
	"time"

	"eventbatch/batch/journal"
)

// Dry is a store that nothing is put into: what is planned lies in a folder of its own until Close,
// and what is known is what the store knows. Only what a plan asks of a store works on one.
type Dry struct {
	journal.Store

	drafts *Workspace
}

// OpenDry returns a Dry of a store.
func OpenDry(store journal.Store) (*Dry, error) {
	dir, err := os.MkdirTemp("", "eventbatch-")
	if err != nil {
		return nil, journal.Unusable("planning without a trace", err)
	}
	drafts, err := OpenWorkspace(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Dry{store, drafts}, nil
}

// Close removes what was planned.
func (d *Dry) Close() error { return os.RemoveAll(d.drafts.dir) }

// Draft begins a run that goes with the Dry.
func (d *Dry) Draft(created time.Time) (*journal.Draft, error) { return d.drafts.Draft(created) }

// Keep keeps nothing.
func (d *Dry) Keep(string, string, []byte) error { return nil }

// Lock keeps nobody from anything: nothing of the store changes.
func (d *Dry) Lock(context.Context, journal.Lock) (unlock func() error, err error) {
	return func() error { return nil }, nil
}
