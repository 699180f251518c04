package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/own"
)

// Disk is where journals live. Tests put one in its place that fails, or
// forgets what was not synced.
type Disk interface {
	// Create makes the file appear whole and durable, or not at all.
	Create(path string, data []byte) error
	// Open opens an existing file for reading and writing.
	Open(path string) (File, error)
	// Read opens an existing file for reading.
	Read(path string) (io.ReadCloser, error)
}

// File is an open journal. Replay reads it from the start once, before anything
// is written; every write says where, so that none depends on the one before.
type File interface {
	io.Reader
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// writeWhole writes all of b, or fails.
func writeWhole(f File, b []byte, at int64) error {
	n, err := f.WriteAt(b, at)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// OSDisk is the file system.
type OSDisk struct{}

func (OSDisk) Open(path string) (File, error) {
	return own.OpenFile(path, os.O_RDWR)
}

func (OSDisk) Read(path string) (io.ReadCloser, error) { return own.Open(path) }

func (OSDisk) Create(path string, data []byte) error {
	return own.ReplaceText(path, data)
}

// makeFolder makes a folder and those above it, each durable in its parent.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, folderMode)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err := makeFolder(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, folderMode)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", dir)
		}
		return err
	case err != nil:
		return err
	}
	return durable.SyncFolder(filepath.Dir(dir))
}
