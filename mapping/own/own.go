// Package own opens the files that eventbatch keeps for itself: whatever lies below a workspace, and for a while what has
// no name.
//
// Their names can be foretold, and a folder that was cloned, unpacked or shared may have a link,
// a pipe or a device under one of them. Nothing is opened, locked or replaced through a link here,
// nothing is waited for, and what is no regular file is refused. The workspace itself may be a
// link; [NoLinks] looks at the folders between.
package own

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
)

// ErrLink says that a link stands where a file or folder of eventbatch's own should be.
var ErrLink = errors.New("it is a link, and below a workspace none is followed")

// linked returns the error of a link, which says what to do.
func linked(path string) error {
	return failure.New(
		failure.Disk, &fs.PathError{Op: "open", Path: path, Err: ErrLink},
		"see who has put it there, and remove it; another workspace is named with --workspace",
	)
}

// NoLink refuses a link. What is not there is none.
func NoLink(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return linked(path)
	}
	return nil
}

// NoLinks refuses a folder below which a link lies. What lies in folders called but is not looked at.
func NoLinks(folder, but string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // or no longer
	case err != nil:
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			return linked(path)
		case entry.IsDir() && entry.Name() != but:
			if err := NoLinks(path, but); err != nil {
				return err
			}
		}
	}
	return nil
}

// OpenFile is os.OpenFile of a regular file, for its owner's eyes where it is made.
func OpenFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noFollow|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		if link := NoLink(path); link != nil {
			return nil, link
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: regular.ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY) }

// Read reads a file.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// Replace puts a file in the place of whatever has its name: see [durable.Put].
func Replace(path string, write func(io.Writer) error) error { return durable.Put(path, 0o600, write) }

// ReplaceText is Replace by a text.
func ReplaceText(path string, text []byte) error {
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Lock returns the kernel's lock on a file, which is made where it is not there.
func Lock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
}
