//go:build !unix

package own

import "io/fs"

// Shared reports whether others than the owner may write: a mode does not tell that elsewhere.
func Shared(fs.FileInfo) bool { return false }

// noFollow is nothing elsewhere, where not everybody can make links.
const noFollow = 0

// Writable reports whether a folder can be written: elsewhere a home always can.
func Writable(string) bool { return true }
