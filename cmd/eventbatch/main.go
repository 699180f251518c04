// Command eventbatch imports events in bulk.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // zones do not depend on the machine

	_ "eventbatch/cmd/eventbatch/late" // memory is small, and starts are many
)

func main() {
	os.Exit(run(context.Background(), os.Environ(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
