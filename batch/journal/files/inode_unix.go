//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

// inode returns the number of a file, by which it is told from its copies.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
