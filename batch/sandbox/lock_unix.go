//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the file for this process; the lock dies with it.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrInUse
		default:
			return err
		}
	}
}
