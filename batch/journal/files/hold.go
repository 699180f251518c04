package files

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// Held reports whether a process is at work on the run at this moment.
func (r *run) Held() (bool, error) {
	path := filepath.Join(r.folder, lockName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return locked(path)
}

// mend makes the prefix that replay found durable. A tail is cut off. Lines that
// no later one vouches for are written again: after a failed sync the kernel may
// show lines that it will never write by itself.
func (r *run) mend(f file, ext extent) error {
	err := func() error {
		if ext.tail {
			if err := f.Truncate(ext.size); err != nil {
				return err
			}
		}
		lines := make([]byte, ext.size-ext.vouched)
		if _, err := f.ReadAt(lines, ext.vouched); err != nil {
			return err
		}
		if err := writeWhole(f, lines, ext.vouched); err != nil {
			return err
		}
		return f.Sync()
	}()
	if err != nil {
		return &journal.PoisonedError{Path: r.journalPath(), Err: err}
	}
	return nil
}

func (r *run) evidence() (evidence, error) {
	var e evidence
	var err error
	if e.here, err = r.home(); err != nil {
		return e, journal.Unusable("looking at run "+r.ID(), err)
	}
	if _, err := os.Stat(r.resultsPath()); err == nil {
		e.results = true
	}
	f, err := r.in.disk.read(r.syncedPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, nil
	case err != nil:
		return e, journal.Unusable("looking at run "+r.ID(), err)
	}
	text, err := io.ReadAll(io.LimitReader(f, syncedWidth))
	if err = cmp.Or(err, f.Close()); err != nil {
		return e, journal.Unusable("reading "+r.syncedPath(), err)
	}
	e.told = true
	if e.synced, err = strconv.ParseInt(string(text), 10, 64); err != nil {
		e.synced = math.MaxInt64 // whatever it said, it cannot be held against the journal
	}
	return e, nil
}

// original returns the folder that the run was copied from, where that is still there.
func (r *run) original(home plan.Home) string {
	if home.Host != r.in.host || home.Inode == 0 {
		return "" // another machine, or none that can be told apart
	}
	if info, err := os.Stat(home.Folder); err != nil || inode(info) != home.Inode {
		return ""
	}
	return home.Folder
}

// count opens the file for the writer, which is the one to change it from the
// record behind those in doubt on: until these are on disk it has to tell of the loss.
func (r *run) count(e *evidence, lines int64, inDoubt int) (file, error) {
	if !e.told {
		if inDoubt > 0 {
			lines++
		}
		if err := r.in.disk.create(r.syncedPath(), appendSynced(nil, lines)); err != nil {
			return nil, &journal.PoisonedError{Path: r.syncedPath(), Err: err}
		}
	}
	f, err := r.in.disk.open(r.syncedPath())
	if err != nil {
		return nil, journal.Unusable("opening "+r.syncedPath(), err)
	}
	return f, nil
}

func (r *run) syncedPath() string { return filepath.Join(r.folder, syncedName) }

// journalSize returns the size of a run's journal.
func journalSize(r *journal.Run) (int64, error) {
	info, err := os.Stat(r.Files().Journal)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
