//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package quota

import (
	"os"

	"github.com/gofrs/flock"
)

// guard locks a file beside the ledger: where locks are mandatory, the ledger
// itself could not be read under its own.
type guard struct{ beside *flock.Flock }

// lock waits for the lock. Gone is never: an open file cannot be removed.
func (g *guard) lock(f *os.File) (gone bool, err error) {
	if g.beside == nil {
		g.beside = flock.New(f.Name() + ".lock")
	}
	return false, g.beside.Lock()
}

func (g *guard) unlock(*os.File) {
	// Fails for a closed file only, which is not locked either.
	_ = g.beside.Unlock()
}
