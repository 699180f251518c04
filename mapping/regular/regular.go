// Package regular reads files that a person wrote, and tells when one is saved: no pipe, no device, and nothing
// larger than its kind may be.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MiB is room enough for what a person writes.
const MiB = 1 << 20

// The reasons, besides those of the file system, why a file is not read.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
)

// Read reads a file of at most so many bytes. Its errors are *fs.PathErrors.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, Flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return From(f, most)
}

// Flags open a file for reading without waiting for somebody to write into it, as
// the opening of a pipe does.
const Flags = os.O_RDONLY | syscall.O_NONBLOCK

// From reads a file that was opened with Flags. Its size is not relied on: that of
// files which the kernel makes up is 0, and any may grow.
func From(f *os.File, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	fail := func(reason error) ([]byte, error) {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: reason}
	}
	switch {
	case info.IsDir():
		return fail(syscall.EISDIR)
	case !info.Mode().IsRegular():
		return fail(ErrNotRegular)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return fail(fmt.Errorf("%w: a file of its kind has at most %d bytes", ErrTooLarge, most))
	}
	return data, nil
}
