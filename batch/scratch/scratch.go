// Package scratch has the temporary files of tests in memory.
package scratch

import (
	"os"
	"runtime/debug"
	"testing"
)

// Run runs the tests of a package that write and flush small files all the time: to the memory where there is room, with a
// collector that is seldom at work, unless the environment says otherwise. For half of the time that they take they wait
// for a disk.
func Run(m *testing.M) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("TMPDIR") == "" && roomy(memory) {
		if err := os.Setenv("TMPDIR", memory); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// memory is where Linux has a disk that is memory.
const memory = "/dev/shm"
