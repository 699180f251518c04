package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
)

var (
	// sending finds the scripts that a store is used by, and ofFiles those among them that
	// look into the files of a workspace, or have two of them.
	sending = regexp.MustCompile(`eventbatch (import|apply|retry|undo|sync)`)
	ofFiles = regexp.MustCompile(`--workspace|WORKSPACE|\.eventbatch|state:|\nhold |copied|\bdatabase\b`)
)

// TestScriptsInADatabase runs the scripts that send once more, with their runs in a database.
func TestScriptsInADatabase(t *testing.T) {
	t.Parallel()
	database, schemas := pgtest.Database(t), atomic.Int32{}
	params := scripts(t, func(env *testscript.Env) error {
		store := fmt.Sprintf("%s&search_path=s%d", database, schemas.Add(1))
		address, err := postgres.Told(store)
		if err == nil {
			env.Setenv("EVENTBATCH_STORE", store)
			_, _, err = postgres.Migrate(t.Context(), address)
		}
		return err
	})
	all, err := filepath.Glob(filepath.Join(params.Dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	params.Dir = ""
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if sending.Match(text) && !ofFiles.Match(text) {
			params.Files = append(params.Files, path)
		}
	}
	if testing.Short() {
		params.Files = params.Files[:5]
	}
	testscript.Run(t, params)
}

// atDatabase is the key under which a script has what makes databases.
type atDatabase struct{}

// scriptDatabase makes an empty database, and has $DATABASE name it.
func scriptDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: database")
	}
	ts.Setenv("DATABASE", ts.Value(atDatabase{}).(func() string)())
}
