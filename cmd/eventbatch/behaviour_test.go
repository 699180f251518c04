package main

// What takes all of the processor stands in one of the first files. Go begins the tests that run beside others with the first of all and
// then from the last to the second, and their parts once all of them have begun: those that wait have waited by then, and at the end
// no processor is idle.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
)

// TestScripts runs the specification: one behaviour a file, named as a sentence.
func TestScripts(t *testing.T) {
	t.Parallel()
	params := scripts(t, func(*testscript.Env) error { return nil })
	params.Files = slices.DeleteFunc(params.Files, func(path string) bool { return slices.Contains(waiting, path) })
	testscript.Run(t, params)
}

// TestScriptsInADatabase runs the scripts about what is remembered once more, with their runs in a database; in the long
// form all that send.
func TestScriptsInADatabase(t *testing.T) {
	t.Parallel()
	database, schemas := pgtest.Database(t), atomic.Int32{}
	params := scripts(t, func(env *testscript.Env) error {
		store := fmt.Sprintf("%s&search_path=s%d", database, schemas.Add(1))
		address, err := postgres.Told(store)
		if err == nil {
			env.Setenv("EVENTBATCH_STORE", store)
			env.Setenv("DATABASE", store)
			_, _, err = postgres.Migrate(t.Context(), address)
		}
		return err
	})
	params.Files = nil
	folder := t.TempDir()
	for i, path := range scriptFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		topic := filepath.Base(filepath.Dir(path))
		early := slices.Contains(before, topic) || os.Getenv("ENDURE") == "" && slices.Contains(outside, topic)
		if early || !sending().Match(text) || inDatabases().Match(text) || inFolders[name] != "" {
			continue
		}
		path = filepath.Join(folder, filepath.Base(path))
		if err := os.WriteFile(path, inStores(text, fmt.Sprintf("%s&search_path=apart%d", database, i)), 0o600); err != nil {
			t.Fatal(err)
		}
		params.Files = append(params.Files, path)
	}
	if testing.Short() {
		params.Files = params.Files[:5]
	}
	testscript.Run(t, params)
}

// waiting are the scripts that wait for half a minute.
var waiting = []string{
	"testdata/script/storing/what_waits_for_a_lease_says_who_has_it.txtar",
	"testdata/script/syncing/workers_go_through_syncs_every_so_often.txtar",
}

// TestScriptsThatWait runs these before the others.
func TestScriptsThatWait(t *testing.T) {
	t.Parallel()
	params := scripts(t, func(*testscript.Env) error { return nil })
	params.Files = waiting
	testscript.Run(t, params)
}
