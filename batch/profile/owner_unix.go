//go:build unix

package profile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"eventbatch/mapping/own"
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
	if own.Shared(info) {
		return errors.New("others may write the file")
	}
	for _, folder := range []string{filepath.Dir(path), filepath.Dir(target)} {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		if own.Shared(info) && info.Mode()&os.ModeSticky == 0 {
			return errors.New("others may write the folder that it lies in")
		}
	}
	return nil
}
