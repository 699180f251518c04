package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// LockedError says that another process holds a run.
type LockedError struct {
	Run string
	PID int // 0 where it is not known
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("run %s is held by another process", e.Run)
	}
	return fmt.Sprintf("run %s is held by process %d", e.Run, e.PID)
}

// lockPoll is how often a waiting process asks for the workspace.
const lockPoll = 50 * time.Millisecond

// tryLock takes the kernel's lock on path, which dies with its process, and
// leaves this process's id in the file for whoever asks. held names the holder
// where the lock is taken; the file itself is never removed, because a lock on
// a removed file excludes nobody.
func tryLock(path string) (lock *flock.Flock, holder int, err error) {
	lock = flock.New(path, flock.SetPermissions(fileMode))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, 0, unusable("locking", err)
	case !ok:
		return nil, readPID(path), nil
	}
	if err := writePID(path); err != nil {
		return nil, 0, errors.Join(unusable("locking", err), lock.Unlock())
	}
	return lock, 0, nil
}

// LockFolder takes a folder for this process, and makes it where it is not there. The lock
// dies with the process. The error is a [LockedError] where another process has it.
func LockFolder(folder string) (unlock func() error, err error) {
	if err := makeFolder(folder); err != nil {
		return nil, unusable("locking", err)
	}
	lock, holder, err := tryLock(filepath.Join(folder, lockName))
	switch {
	case err != nil:
		return nil, err
	case lock == nil:
		return nil, &LockedError{Run: filepath.Base(folder), PID: holder}
	}
	return lock.Unlock, nil
}

// locked reports whether a process holds the lock on path, by taking it for a moment.
func locked(path string) (bool, error) {
	lock := flock.New(path, flock.SetPermissions(fileMode))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return false, unusable("looking at the lock", err)
	case !ok:
		return true, nil
	}
	return false, lock.Unlock()
}

// waitLock takes the lock on path as soon as it is free.
func waitLock(ctx context.Context, path string) (unlock func() error, err error) {
	lock := flock.New(path, flock.SetPermissions(fileMode))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, unusable("locking workspace", err)
	}
	return lock.Unlock, nil
}

func writePID(path string) error {
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), fileMode)
}

// readPID gives the process id in a lock file, 0 where there is none to read.
func readPID(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
