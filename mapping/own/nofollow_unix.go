//go:build unix

package own

import (
	"io/fs"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// Shared reports whether others than the owner may write a file or into a folder.
func Shared(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
