package main

import (
	"encoding/json"
	"flag"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/pagetest"
	"eventbatch/batch/postgres"
	"eventbatch/batch/scratch"
	"eventbatch/cmd/eventbatch/late"
)

// TestMain lets the test binary stand in for the command: started under the name
// eventbatch it is main.
func TestMain(m *testing.M) {
	// Most tests wait for a limit, a retry or a disk: a processor has time for several of them, though not for so many that
	// what should take a moment takes seconds.
	if err := flag.Set("test.parallel", strconv.Itoa(8*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(tests{m}, map[string]func(){
		"eventbatch": scriptedMain, "eventbatch-panics": panickingMain, missesSoon: missedSoon,
	})
}

// tests are those of this package.
type tests struct{ *testing.M }

// Run runs the tests without the limits of the command's memory: what all of them hold at a time would have the collector at
// work half of the time, and a quarter of it as programs have it usually.
func (t tests) Run() int {
	debug.SetMemoryLimit(2 << 30)
	late.Usual = 400
	defer pagetest.End()
	return scratch.Run(t.M)
}

// missesSoon is the name of the test binary under which it is missedSoon.
const missesSoon = "eventbatch-missed-soon"

// missedSoon is the command in a hurry to miss processes that do not get on.
func missedSoon() {
	postgres.Beats = postgres.Rhythm{Every: 300 * time.Millisecond, Missed: 3 * time.Second}
	scriptedMain()
}

// difference returns what tells two values apart as lines, empty where they are the same. The library of the other packages for
// it would be initialized at each start of the command.
func difference(t *testing.T, want, got any) string {
	t.Helper()
	lines := func(v any) []byte {
		if text, ok := v.(string); ok {
			return []byte(text)
		}
		text, err := json.MarshalIndent(v, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		return append(text, '\n')
	}
	return string(diff.Diff("want", lines(want), "got", lines(got)))
}
