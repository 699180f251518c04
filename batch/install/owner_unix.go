//go:build unix

package install

import (
	"os"
	"strconv"
	"syscall"
)

// owner returns the id of the user whom a file or folder belongs to.
func owner(path string) (id string, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	return strconv.FormatUint(uint64(info.Sys().(*syscall.Stat_t).Uid), 10), true
}
