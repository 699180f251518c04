//go:build !unix

package files

import "io/fs"

// inode returns 0: files have no number that is told with them.
func inode(fs.FileInfo) uint64 { return 0 }
