//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package own

import "github.com/gofrs/flock"

// Keeps reports whether files stay open that others may remove: here they could not.
const Keeps = false

// Latch is the kernel's lock on a file, which is made where it is not there.
type Latch struct{ *flock.Flock }

// NewLatch returns the lock on a file.
func NewLatch(path string) *Latch { return &Latch{Lock(path)} }
