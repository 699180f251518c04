package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/mapping/own"
)

// lockPoll is how often a waiting process asks for the workspace.
const lockPoll = 50 * time.Millisecond

// tryLock takes the kernel's lock on path, which dies with its process, and
// leaves this process's id and machine in the file for whoever asks. holder is who has it
// where the lock is taken; the file itself is never removed, because a lock on
// a removed file excludes nobody.
func tryLock(path string) (lock *flock.Flock, holder journal.Holder, err error) {
	lock = own.Lock(path)
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, holder, journal.Unusable("locking", err)
	case !ok:
		return nil, readHolder(path), nil
	}
	if err := writeHolder(path); err != nil {
		return nil, holder, errors.Join(journal.Unusable("locking", err), lock.Unlock())
	}
	return lock, holder, nil
}

// LockFolder takes a folder for this process, and makes it where it is not there. The lock
// dies with the process. The error is a [journal.LockedError] where another process has it, which
// says what the folder is of.
func LockFolder(folder, what string) (unlock func() error, err error) {
	err = makeFolder(folder)
	if err == nil {
		err = own.NoLink(folder)
	}
	if err != nil {
		return nil, journal.Unusable("locking", err)
	}
	lock, holder, err := tryLock(filepath.Join(folder, lockName))
	switch {
	case err != nil:
		return nil, err
	case lock == nil:
		return nil, &journal.LockedError{What: what, Holder: holder}
	}
	return lock.Unlock, nil
}

// locked reports whether a process holds the lock on path, by taking it for a moment.
func locked(path string) (bool, error) {
	lock := own.Lock(path)
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return false, journal.Unusable("looking at the lock", err)
	case !ok:
		return true, nil
	}
	return false, lock.Unlock()
}

func writeHolder(path string) error {
	f, err := own.OpenFile(path, os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %s\n", os.Getpid(), journal.Hostname())
	return errors.Join(err, f.Close())
}

// readHolder returns who is named in a lock file.
func readHolder(path string) journal.Holder {
	text, err := own.Read(path)
	if err != nil {
		return journal.Holder{}
	}
	id, host, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(id)
	if err != nil || pid < 0 {
		return journal.Holder{}
	}
	if host == journal.Hostname() {
		host = ""
	}
	holder := journal.Holder{PID: pid, Host: printable.Clean(host)}
	if info, err := os.Stat(path); err == nil {
		holder.Since = info.ModTime()
	}
	return holder
}
