//go:build unix

package profile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// doubt says why somebody else may have written a file that was found in the working
// directory, nil where nobody may. The superuser may write any file and is not counted.
func doubt(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if owner != 0 && int(owner) != os.Geteuid() {
		return errors.New("the file belongs to somebody else")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("others may write the file")
	}
	for _, folder := range []string{filepath.Dir(path), filepath.Dir(target)} {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o022 != 0 && info.Mode()&os.ModeSticky == 0 {
			return errors.New("others may write the folder that it lies in")
		}
	}
	return nil
}
