// Command eventbatch imports events in bulk.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"

	_ "time/tzdata" // zones do not depend on the machine
)

func main() {
	collectLate()
	os.Exit(run(context.Background(), os.Environ(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// collectLate sets when garbage is collected, unless the environment does: for the first time at 32 MB, which most commands
// never come to and otherwise spend a quarter of their time on, and then as often as any program does.
func collectLate() {
	// Rows do not fill the memory; garbage does, up to as much again as is in use.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(200 << 20)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800) // 32 MB: the first collection is at 4 MB for each 100
		runtime.AddCleanup(new([64]byte), func(usual int) { debug.SetGCPercent(usual) }, 100)
	}
}
