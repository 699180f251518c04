// Command eventbatch imports events in bulk.
package main

import (
	"context"
	"os"
	"runtime/debug"

	_ "time/tzdata" // zones do not depend on the machine
)

func main() {
	// Rows do not fill the memory; garbage does, up to as much again as is in use.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(200 << 20)
	}
	os.Exit(run(context.Background(), os.Environ(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
