//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
