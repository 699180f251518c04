package batch

import (
	"os"
	"testing"

	"eventbatch/batch/scratch"
)

func TestMain(m *testing.M) { os.Exit(scratch.Run(m)) }
