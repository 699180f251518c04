package postgres

import (
	"flag"
	"os"
	"testing"

	"eventbatch/batch/scratch"
)

// TestMain draws a third of the histories that rapid would: each step of them is a transaction. ENDURE=1 draws all, and
// -rapid.checks as many as it says.
func TestMain(m *testing.M) {
	if os.Getenv("ENDURE") == "" {
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err)
		}
	}
	os.Exit(scratch.Run(m))
}
