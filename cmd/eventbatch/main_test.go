package main

import (
	"flag"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary stand in for the command: started under the name
// eventbatch it is main.
func TestMain(m *testing.M) {
	// Most tests wait for a limit, a retry or a disk: a processor has time for several of them.
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"eventbatch": main, "eventbatch-panics": panickingMain})
}
