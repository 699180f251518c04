package main

import (
	"errors"
	"path/filepath"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
	"eventbatch/batch/printable"
)

// under has the profile of a sync hold, with its store, and its calendar, until back is called. A flag goes
// before each. The sandbox has calendars of its own.
func (a *app) under(job *syncJob) (back func()) {
	was := a.global.Flags
	restore := func() { a.global.Flags = was }
	if job.said == nil {
		return restore
	}
	if said := job.said.Reading.Calendar; was.Calendar == "" && a.env["EVENTBATCH_CALENDAR"] == "" && !a.global.sandbox {
		a.global.Calendar = said
	}
	if job.said.Profile == "" || was.Profile != "" {
		return restore
	}
	a.closeStore()
	a.global.Profile = job.said.Profile
	return func() {
		a.closeStore()
		restore()
	}
}

// shelf returns where syncs keep what they remember: the workspace, or the database.
func (a *app) shelf() (night.Shelf, error) {
	store, err := a.openWorkspace()
	if err != nil {
		return nil, err
	}
	return shelfOf(store), nil
}

func shelfOf(store journal.Store) night.Shelf {
	if shared, ok := store.(*journal.Shared); ok {
		return night.InDatabase(shared)
	}
	return night.Folders{Workspace: store.Folder()}
}

// memory returns what a sync remembers, nil where it cannot be read: its night tells why.
func (a *app) memory(job *syncJob) *night.Memory {
	defer a.under(job)()
	shelf, err := a.shelf()
	if err != nil {
		return nil
	}
	memory, _ := night.Load(shelf, job.kept)
	return memory
}

// take takes the sync for this process: its folder here, and where its nights are in a
// database, the right to go through them on any machine.
func (s *syncing) take() (unlock func(), err error) {
	what := "sync " + printable.Clean(s.job.name)
	if s.shelf, err = s.app.shelf(); err != nil {
		return nil, err
	}
	folder, err := journal.LockFolder(s.job.folder, what)
	if err != nil {
		return nil, err
	}
	if s.shared == nil {
		return func() { _ = folder() }, nil
	}
	lease, err := s.shared.Lease("sync:" + s.job.kept)
	if err != nil {
		_ = folder()
		if locked, ok := errors.AsType[*journal.LockedError](err); ok {
			err = &journal.LockedError{What: what, Holder: locked.Holder}
		}
		return nil, err
	}
	s.shelf = night.InDatabase(leased{s.shared, lease})
	return func() {
		_ = lease.Release(nil) // it ends with this process
		_ = folder()
	}, nil
}

// leased is a database in which this process replaces a sync's texts while it has the sync.
type leased struct {
	*journal.Shared
	lease *journal.Lease
}

// Keep stores a text, unless another process has taken the sync.
func (l leased) Keep(kind, name string, text []byte) error { return l.lease.Keep(kind, name, text) }

// keeps returns what keeps the state of who was told, or why nothing does.
func (s *syncing) keeps(why error) func(change func(text []byte) []byte) error {
	switch {
	case s.shelf == nil:
		return func(func([]byte) []byte) error { return why }
	case s.shared == nil:
		return notify.InFile(filepath.Join(s.job.folder, night.ToldName))
	}
	return func(change func([]byte) []byte) error {
		return night.Change(s.shared, s.job.kept, night.ToldName, change)
	}
}
