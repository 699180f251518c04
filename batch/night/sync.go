package night

import (
	"errors"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/printable"
)

// Sync names what is gone through night after night.
type Sync struct {
	Name   string // what people call it
	Kept   string // what its nights are kept under
	Folder string // for its feed, on this machine
}

// StoreOf returns where syncs keep what they remember: the workspace, or the database.
func StoreOf(store journal.Store) Store {
	if shared, ok := store.(journal.Shared); ok {
		return InDatabase(shared)
	}
	return Folders{Workspace: store.Folder()}
}

// Take takes the sync for this process: its folder here, and where its nights are in a
// database, the right to go through them on any machine. The store is that of a holder.
func (s *Sync) Take(store journal.Store) (texts Store, release func(), err error) {
	what := "sync " + printable.Clean(s.Name)
	folder, err := files.LockFolder(s.Folder, what)
	if err != nil {
		return nil, nil, err
	}
	shared, ok := store.(journal.Shared)
	if !ok {
		return StoreOf(store), func() { _ = folder() }, nil // it ends with this process
	}
	lease, err := shared.Lease("sync:" + s.Kept)
	if err != nil {
		_ = folder()
		if locked, ok := errors.AsType[*journal.LockedError](err); ok {
			err = &journal.LockedError{What: what, Holder: locked.Holder}
		}
		return nil, nil, err
	}
	return InDatabase(lease.Share(nil)), func() {
		_ = lease.Release(nil) // it ends with this process
		_ = folder()
	}, nil
}
