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

	"eventbatch/batch/printable"
	"eventbatch/mapping/own"
)

// LockedError says that another process holds something.
type LockedError struct {
	What string // such as a run, with its id
	Holder
}

func (e *LockedError) Error() string {
	words := e.What + " is held by another process"
	if e.PID != 0 {
		words = fmt.Sprintf("%s is held by process %d", e.What, e.PID)
	}
	if e.Host != "" {
		words += " of another machine, " + e.Host
	}
	if !e.Since.IsZero() {
		words += ", since " + e.Since.Local().Format("02 Jan 2006 15:04")
	}
	return words
}

// Holder is the process that has a lock.
type Holder struct {
	PID   int       // 0 where it is not known
	Host  string    // empty for this machine
	Since time.Time // zero where it is not known
}

// lockPoll is how often a waiting process asks for the workspace.
const lockPoll = 50 * time.Millisecond

// tryLock takes the kernel's lock on path, which dies with its process, and
// leaves this process's id and machine in the file for whoever asks. holder is who has it
// where the lock is taken; the file itself is never removed, because a lock on
// a removed file excludes nobody.
func tryLock(path string) (lock *flock.Flock, holder Holder, err error) {
	lock = own.Lock(path)
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, holder, unusable("locking", err)
	case !ok:
		return nil, readHolder(path), nil
	}
	if err := writeHolder(path); err != nil {
		return nil, holder, errors.Join(unusable("locking", err), lock.Unlock())
	}
	return lock, holder, nil
}

// LockFolder takes a folder for this process, and makes it where it is not there. The lock
// dies with the process. The error is a [LockedError] where another process has it, which
// says what the folder is of.
func LockFolder(folder, what string) (unlock func() error, err error) {
	err = makeFolder(folder)
	if err == nil {
		err = own.NoLink(folder)
	}
	if err != nil {
		return nil, unusable("locking", err)
	}
	lock, holder, err := tryLock(filepath.Join(folder, lockName))
	switch {
	case err != nil:
		return nil, err
	case lock == nil:
		return nil, &LockedError{What: what, Holder: holder}
	}
	return lock.Unlock, nil
}

// locked reports whether a process holds the lock on path, by taking it for a moment.
func locked(path string) (bool, error) {
	lock := own.Lock(path)
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
	lock := own.Lock(path)
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, unusable("locking workspace", err)
	}
	return lock.Unlock, nil
}

func writeHolder(path string) error {
	f, err := own.OpenFile(path, os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %s\n", os.Getpid(), hostname())
	return errors.Join(err, f.Close())
}

// readHolder returns who is named in a lock file.
func readHolder(path string) Holder {
	text, err := own.Read(path)
	if err != nil {
		return Holder{}
	}
	id, host, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(id)
	if err != nil || pid < 0 {
		return Holder{}
	}
	if host == hostname() {
		host = ""
	}
	holder := Holder{PID: pid, Host: printable.Clean(host)}
	if info, err := os.Stat(path); err == nil {
		holder.Since = info.ModTime()
	}
	return holder
}

// hostname returns the name of this machine, empty where it has none.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
