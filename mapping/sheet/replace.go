package sheet

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ReplaceFile writes a file so that its name stands for the old content or for
// the whole new one at any moment, also after a crash: it writes beside it,
// syncs and renames. A link keeps pointing where it does. What is no regular file,
// such as a pipe, is written to as it is.
func ReplaceFile(path string, perm os.FileMode, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeInto(path, write)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fmt.Errorf("replacing a file: %w", err)
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if err := fillFile(temp, perm, write); err != nil {
		_ = os.Remove(temp.Name()) // it holds a part of what was to be
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		_ = os.Remove(temp.Name())
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

func fillFile(file *os.File, perm os.FileMode, write func(io.Writer) error) error {
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

func writeInto(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
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
