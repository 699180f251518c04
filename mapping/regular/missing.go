package regular

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// missing are the errors of the file system by which a name leads to nothing that can be read.
var missing = []error{
	fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG,
	ErrNotRegular, ErrTooLarge,
}

// Missing reports whether an error is one of them.
func Missing(err error) bool {
	return slices.ContainsFunc(missing, func(reason error) bool { return errors.Is(err, reason) })
}
