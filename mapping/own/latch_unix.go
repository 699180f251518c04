//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package own

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Keeps reports whether files stay open that others may remove.
const Keeps = true

// Latch is the kernel's lock on a file, which is made where it is not there. It is taken and given back for each of many short
// uses, and its file stays open between them.
type Latch struct{ kept Kept }

// NewLatch returns the lock on a file.
func NewLatch(path string) *Latch { return &Latch{Kept{Path: path}} }

// Lock waits for the lock. One on a file that has lost its name meanwhile is none: others lock the one that has it.
func (l *Latch) Lock() error {
	for {
		file := l.kept.file
		kept := file != nil
		if !kept {
			opened, _, err := l.kept.Open(os.O_RDWR | os.O_CREATE)
			if err != nil {
				return err
			}
			file = opened
		}
		switch err := l.flock(syscall.LOCK_EX); {
		case err != nil && kept:
			continue // a file that its server has lost meanwhile
		case err != nil:
			return err
		}
		named, _, err := l.kept.Open(os.O_RDWR | os.O_CREATE)
		if err != nil || named == file {
			return err
		}
	}
}

// Unlock gives the lock back.
func (l *Latch) Unlock() error { return l.flock(syscall.LOCK_UN) }

// Close closes the file until the next use.
func (l *Latch) Close() error { return l.kept.Close() }

// flock locks and unlocks the file. One that cannot be is closed: no lock on it is left, and the next use opens it anew.
func (l *Latch) flock(how int) error {
	for {
		switch err := syscall.Flock(int(l.kept.file.Fd()), how); {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EINTR):
			_ = l.Close()
			return &fs.PathError{Op: "lock", Path: l.kept.Path, Err: err}
		}
	}
}
