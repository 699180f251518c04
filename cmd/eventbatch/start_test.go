package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// madeBeforeMain is how many allocations a package of this module may make before main, and all of them together: a
// table or an expression is made when it is first asked for. Catalog has the tables that each command asks for.
const (
	madeBeforeMain    = 200
	madeByCatalog     = 400
	allMadeBeforeMain = 1000
)

// TestLittleIsMadeBeforeMain holds what each start of the program costs whatever the command is. How long a package
// takes differs from machine to machine; what it allocates does not.
func TestLittleIsMadeBeforeMain(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(standIn(t, "eventbatch"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var traced strings.Builder
	cmd.Stderr = &traced
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	all, packages := 0, 0
	before := map[string]bool{}
	for line := range strings.Lines(traced.String()) {
		words := strings.Fields(line) // init eventbatch/mapping @2 ms, 0.1 ms clock, 1688 bytes, 10 allocs
		if len(words) != 11 || words[0] != "init" {
			t.Fatalf("not as Go tells of it: %q", line)
		}
		name := words[1]
		if before[name] = true; name == "github.com/xuri/excelize/v2" && !before["eventbatch/cmd/eventbatch/late"] {
			t.Errorf("%s is initialized before garbage is collected late", name)
		}
		if name != "main" && !strings.HasPrefix(name, "eventbatch/") || name == "eventbatch/cmd/eventbatch" { // which has the tests
			continue
		}
		made, err := strconv.Atoi(words[9])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		limit := madeBeforeMain
		if name == "eventbatch/mapping/catalog" {
			limit = madeByCatalog
		}
		if made > limit {
			t.Errorf("%s makes %d things before main, and %d is much: make them when they are first asked for", name, made, limit)
		}
		all, packages = all+made, packages+1
	}
	if packages < 20 || all > allMadeBeforeMain {
		t.Errorf("%d packages make %d things before main, and %d are much", packages, all, allMadeBeforeMain)
	}
}
