//go:build unix

package own

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

const noFollow = syscall.O_NOFOLLOW

// Shared reports whether others than the owner may write a file or into a folder.
func Shared(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// Writable reports whether a folder can be written, or made where it is not there.
func Writable(dir string) bool {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		return Writable(filepath.Dir(dir))
	}
	return err == nil && info.IsDir() && unix.Access(dir, unix.W_OK|unix.X_OK) == nil
}
