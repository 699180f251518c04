// Package late delays the garbage collection of a program that imports it, unless the environment says otherwise: the first
// one is at 16 MB, which most commands never come to. Later ones are as usual.
//
// It is a package of its own so that its init runs before those of the libraries, which allocate 3 MB. Go initializes packages
// by their paths, as far as imports allow.
package late

import (
	"os"
	"runtime"
	"runtime/debug"
)

func init() {
	// Rows do not fill the memory; garbage does, up to as much again as is in use.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(200 << 20)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // 16 MB: the first collection is at 4 MB for each 100
		runtime.AddCleanup(new([64]byte), func(usual *int) { debug.SetGCPercent(*usual) }, &Usual)
	}
}

// Usual is by how many percent the memory in use grows between later collections.
var Usual = 100
