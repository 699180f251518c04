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

// disk is where a journal lives. Tests put one in its place that fails, or
// forgets what was not synced.
type disk interface {
	// create makes the file appear whole and durable, or not at all.
	create(path string, data []byte) error
	// open opens an existing file for reading and writing.
	open(path string) (file, error)
	// read opens an existing file for reading.
	read(path string) (io.ReadCloser, error)
}

// file is an open journal. Replay reads it from the start once, before anything
// is written; every write says where, so that none depends on the one before.
type file interface {
	io.Reader
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// writeWhole writes all of b, or fails.
func writeWhole(f file, b []byte, at int64) error {
	n, err := f.WriteAt(b, at)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// osDisk is the file system.
type osDisk struct{}

func (osDisk) open(path string) (file, error) {
	return own.OpenFile(path, os.O_RDWR)
}

func (osDisk) read(path string) (io.ReadCloser, error) { return own.Open(path) }

func (osDisk) create(path string, data []byte) error {
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
