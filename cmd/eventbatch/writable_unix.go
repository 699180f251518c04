//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable reports whether a folder can be written, or made where it is not there.
func writable(dir string) bool {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		return writable(filepath.Dir(dir))
	}
	return err == nil && info.IsDir() && unix.Access(dir, unix.W_OK|unix.X_OK) == nil
}

// owner returns the id of the user whom a file or folder belongs to.
func owner(path string) (id string, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	return strconv.FormatUint(uint64(info.Sys().(*syscall.Stat_t).Uid), 10), true
}
