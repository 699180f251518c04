package journal

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"eventbatch/batch/plan"

	"github.com/gofrs/flock"
)

// held reports whether a process is at work on the run at this moment.
func (r *runFolder) held() (bool, error) {
	path := filepath.Join(r.folder, lockName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return locked(path)
}

// hold takes the kernel's lock, which dies with this process.
func (r *runFolder) hold() (holding, Holder, error) {
	lock, holder, err := tryLock(filepath.Join(r.folder, lockName))
	if lock == nil || err != nil {
		return nil, holder, err
	}
	return &folderHold{r, lock}, holder, nil
}

// folderHold is a folder of which this process has the lock.
type folderHold struct {
	*runFolder

	lock *flock.Flock
}

func (h *folderHold) turn(least int) (int, error) { return least, nil }

func (h *folderHold) Unlock() error { return h.lock.Unlock() }

func (h *folderHold) begin(line []byte) error { return h.disk.create(h.journalPath(), line) }

func (h *folderHold) open(extent) (file, error) { return h.disk.open(h.journalPath()) }

// mend makes the prefix that replay found durable. A tail is cut off. Lines that
// no later one vouches for are written again: after a failed sync the kernel may
// show lines that it will never write by itself.
func (h *folderHold) mend(f file, ext extent) error {
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
		return &PoisonedError{Path: h.journalPath(), Err: err}
	}
	return nil
}

func (r *runFolder) evidence() (evidence, error) {
	e := evidence{synced: map[string]int64{}}
	var err error
	if e.here, err = r.home(); err != nil {
		return e, unusable("looking at run "+r.ID(), err)
	}
	if _, err := os.Stat(r.resultsPath()); err == nil {
		e.results = true
	}
	f, err := r.disk.read(r.syncedPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, nil
	case err != nil:
		return e, unusable("looking at run "+r.ID(), err)
	}
	text, err := io.ReadAll(io.LimitReader(f, syncedWidth))
	if err = cmp.Or(err, f.Close()); err != nil {
		return e, unusable("reading "+r.syncedPath(), err)
	}
	if e.synced[""], err = strconv.ParseInt(string(text), 10, 64); err != nil {
		e.synced[""] = math.MaxInt64 // whatever it said, it cannot be held against the journal
	}
	return e, nil
}

// original returns the folder that the run was copied from, where that is still there.
func (r *runFolder) original(home plan.Home) string {
	if home.Host != r.host || home.Inode == 0 {
		return "" // another machine, or none that can be told apart
	}
	if info, err := os.Stat(home.Folder); err != nil || inode(info) != home.Inode {
		return ""
	}
	return home.Folder
}

// count opens the file for the writer, which is the one to change it from the
// record behind those in doubt on: until these are on disk it has to tell of the loss.
func (h *folderHold) count(e *evidence, lines int64, inDoubt int) (file, error) {
	if _, counted := e.synced[""]; !counted {
		if inDoubt > 0 {
			lines++
		}
		if err := h.disk.create(h.syncedPath(), appendSynced(nil, lines)); err != nil {
			return nil, &PoisonedError{Path: h.syncedPath(), Err: err}
		}
	}
	f, err := h.disk.open(h.syncedPath())
	if err != nil {
		return nil, unusable("opening "+h.syncedPath(), err)
	}
	return f, nil
}

func (r *runFolder) syncedPath() string { return filepath.Join(r.folder, syncedName) }

func (r *runFolder) journals(each func(owner, path string, lines io.Reader) error) error {
	f, err := r.disk.read(r.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unusable("reading journal", err)
	}
	return errors.Join(each("", r.journalPath(), f), f.Close())
}

func (r *runFolder) journalSize() (int64, error) {
	info, err := os.Stat(r.journalPath())
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
