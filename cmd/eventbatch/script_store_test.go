package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
)

var (
	// sending finds the scripts that a store is used by, and ofFiles those among them that
	// look into the files of a workspace, or have two of them.
	sending = regexp.MustCompile(`eventbatch (import|apply|retry|undo|sync)`)
	ofFiles = regexp.MustCompile(`--workspace|WORKSPACE|\.eventbatch|state:|\nhold |copied|\bdatabase\b`)

	// elsewhere finds what is done in another workspace.
	elsewhere = regexp.MustCompile(`--workspace (\S+)`)
)

// besides are scripts that name a folder, and find there what is on the machine with a database
// too; and apart those whose other workspaces are other stores.
var (
	besides = []string{
		"a_folder_is_set_up_without_a_key_in_it", "rows_come_from_an_address", "the_encoding_of_a_feed_is_part_of_its_sync",
		"what_a_machine_needs_to_run_a_sync_is_printed", "what_is_installed_runs_the_sync",
	}
	apart = []string{
		"a_sync_says_which_events_are_not_its_own",
		"what_is_gone_on_the_platform_is_proved", "what_the_feed_owns_is_put_back", "what_was_decided_is_asked_once",
	}
)

// inStores returns a script in which each other workspace has a store of its own, in a schema
// whose name begins so.
func inStores(script []byte, store string) []byte {
	stores := map[string]string{}
	var made bytes.Buffer
	script = elsewhere.ReplaceAllFunc(script, func(flag []byte) []byte {
		name := string(flag)
		if stores[name] == "" {
			stores[name] = fmt.Sprintf("--store %s_%d", store, len(stores))
			fmt.Fprintln(&made, "exec eventbatch store migrate", stores[name])
		}
		return []byte(name + " " + stores[name])
	})
	return append(made.Bytes(), script...)
}

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
	for i, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		switch {
		case slices.Contains(apart, name):
			path = filepath.Join(t.TempDir(), filepath.Base(path))
			if err := os.WriteFile(path, inStores(text, fmt.Sprintf("%s&search_path=apart%d", database, i)), 0o600); err != nil {
				t.Fatal(err)
			}
		case !sending.Match(text), ofFiles.Match(text) && !slices.Contains(besides, name):
			continue
		}
		params.Files = append(params.Files, path)
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

// atStatements is the key under which a script has what gives a database statements.
type atStatements struct{}

// scriptSQL gives the database of the script a statement: sql STATEMENT.
func scriptSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql STATEMENT")
	}
	ts.Value(atStatements{}).(func(address, statement string))(ts.Getenv("DATABASE"), args[0])
}

// scriptUntil repeats a command until it says something: until PATTERN COMMAND ….
func scriptUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND …")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		_ = ts.Exec(args[1], args[2:]...) // it may say that it cannot yet
		said := ts.ReadFile("stdout") + ts.ReadFile("stderr")
		if pattern.MatchString(said) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("it does not come to say %q", args[0])
		}
	}
}
