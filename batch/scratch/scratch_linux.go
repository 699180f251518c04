package scratch

import "syscall"

// What the system calls a file system in memory, one that runs no programs, and the right to write.
const (
	tmpfs    = 0x01021994
	noexec   = 8
	writable = 2
)

// roomy reports whether a folder is in memory, has room for all tests, and lets programs run: a container may have little.
func roomy(folder string) bool {
	var s syscall.Statfs_t
	err := syscall.Statfs(folder, &s)
	return err == nil && int64(s.Type) == tmpfs && int64(s.Flags)&noexec == 0 && s.Bavail*uint64(s.Bsize) > 2<<30 &&
		syscall.Access(folder, writable) == nil
}
