package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary stand in for the command: started under the name
// eventbatch it is main.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"eventbatch": main, "eventbatch-panics": panickingMain})
}
