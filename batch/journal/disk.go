package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	return os.OpenFile(path, os.O_RDWR, 0)
}

func (osDisk) read(path string) (io.ReadCloser, error) { return os.Open(path) }

func (osDisk) create(path string, data []byte) error {
	return replace(path, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// replace writes a file under a temporary name, syncs it, gives it its name,
// and syncs the folder: after a crash the file is there whole or not at all.
func replace(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path+".tmp", os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder durable. Windows does so by itself
// and cannot open a folder for it.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
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
	return syncFolder(filepath.Dir(dir))
}
