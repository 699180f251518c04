package postgres

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"

	"github.com/jackc/pgx/v5"
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
	calendars calendars
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

// Lock locks the store against all other processes. Whoever takes up a share does so together with others who do.
func (s *Store) Lock(ctx context.Context, what journal.Lock) (unlock func() error, err error) {
	name, how := planningLock, alone
	if what == journal.Runs {
		name = runsLock
	}
	if what == journal.Planning || what == journal.Runs && s.lease != nil {
		how = together
	}
	if unlock, err = s.lock(ctx, name, how); err != nil {
		return nil, s.unusable("locking", err)
	}
	return unlock, nil
}

// held is the condition that a process has a run, or a part of it; of a share, that one has the whole: this process has
// the owner of the share.
func (s *Store) held(run string) string {
	if s.lease != nil {
		return s.locked(run, "'ExclusiveLock'")
	}
	return s.session.held(run)
}

// together asks statements that only read: those of all shares that this process begins at a time go together.
func (s *Store) together(b *pgx.Batch) error {
	if s.lease == nil {
		return s.client.together(b)
	}
	return s.read(b)
}

// Lease takes the right to send for an owner. The error is a [journal.LockedError] where another process
// has it.
func (s *Store) Lease(owner string) (*journal.Lease, error) {
	l, left, holder, err := s.DB.lease(owner)
	switch {
	case err != nil:
		return nil, s.unusable("taking the lease of "+owner, err)
	case l == nil:
		return nil, &journal.LockedError{What: owner, Holder: holder}
	}
	l.store = s
	return &journal.Lease{Holding: l, Epoch: l.epoch, Left: left}, nil
}

// Keep stores a text under a name, of a share as long as its lease is this process's.
func (s *Store) Keep(kind, name string, text []byte) error {
	if s.lease != nil {
		return s.lease.keep(kind, name, text)
	}
	return s.DB.Keep(kind, name, text)
}
