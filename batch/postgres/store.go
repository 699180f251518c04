package postgres

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/mapping/failure"
)

// Store is a store whose runs lie in a database, for the processes of many machines. What
// is no part of a run lies in the workspace of this machine: results, and what is read for
// exports.
type Store struct {
	*DB

	local *files.Workspace
	now   func() time.Time
	heads *heads

	// Of a share: the lease of whoever carries it, and its calendars in order. Nil stands for all.
	lease     *lease
	calendars []string
	opened    *sync.Map // the runs that were opened, by their ids
}

var _ journal.Shared = (*Store)(nil)

// OpenStore returns the store in a database, with the workspace of this machine. It keeps the time of the
// database's clock: those of machines may differ by minutes.
func OpenStore(db *DB, local *files.Workspace) *Store {
	ahead := sync.OnceValue(func() time.Duration {
		asked := time.Now()
		now, err := db.Clock()
		if err != nil {
			return 0 // whatever is done next says why
		}
		return now.Sub(asked)
	})
	return &Store{DB: db, local: local, now: func() time.Time { return time.Now().Add(ahead()) }, heads: &heads{}}
}

// Folder is the workspace of this machine.
func (s *Store) Folder() string { return s.local.Folder() }

func (s *Store) folderOf(run string) string { return filepath.Join(s.local.Folder(), "runs", run) }

// unusable returns the error that the database cannot be read or written.
func (s *Store) unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err), "eventbatch store check tries "+s.Name())
}
