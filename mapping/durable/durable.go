// Package durable puts files in their place so that they are there whole after a crash, or not at all.
package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Replace writes a file so that its name stands for the old content or for
// the whole new one at any moment, also after a crash: it writes beside it,
// syncs and renames. A link keeps pointing where it does. What is no regular file,
// such as a pipe that somebody reads, is written to as it is.
func Replace(path string, perm os.FileMode, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeTo(path, write)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fmt.Errorf("replacing a file: %w", err)
		}
	}
	return Put(path, perm, write)
}

// Put is Replace of a name that is only ever that of a file: a link or a pipe that has it
// goes.
func Put(path string, perm os.FileMode, write func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if err := fill(temp, perm, write); err != nil {
		_ = os.Remove(temp.Name()) // it holds a part of what was to be
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		_ = os.Remove(temp.Name())
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	return SyncFolder(filepath.Dir(path))
}

// ReplaceText is Replace by a text.
func ReplaceText(path string, perm os.FileMode, text []byte) error {
	return Replace(path, perm, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// New writes a file that is not there yet. One that is there is an error, and stays.
func New(path string, perm os.FileMode, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = fill(file, perm, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return SyncFolder(filepath.Dir(path))
}

func fill(file *os.File, perm os.FileMode, write func(io.Writer) error) error {
	buffered := bufio.NewWriter(file)
	err := write(buffered)
	for _, step := range []func() error{
		buffered.Flush,
		func() error { return file.Chmod(perm) },
		file.Sync,
	} {
		if err == nil {
			err = step()
		}
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

func writeTo(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // or the opening of a pipe would wait for a reader
	if errors.Is(err, syscall.ENXIO) {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("nobody reads from it")}
	}
	if err != nil {
		return fmt.Errorf("writing to %s: %w", path, err)
	}
	buffered := bufio.NewWriter(file)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("writing to %s: %w", path, err)
	}
	return nil
}

// SyncFolder makes the names in a folder durable. Windows does so by itself and cannot
// open a folder for it.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err == nil {
		err = folder.Sync()
		if closing := folder.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		return fmt.Errorf("syncing folder %s: %w", path, err)
	}
	return nil
}
