package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"eventbatch/batch/night"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
	"eventbatch/mapping/pattern"
)

// sending finds the scripts that a store is used by.
var sending = pattern.New(`eventbatch (import|apply|retry|undo|sync)`)

var (
	// before are the topics of the scripts that are about what comes before a run, in whatever store that is.
	before = []string{"checking", "configuring", "mapping", "reading"}

	// outside are the topics of the scripts that are about what the platform is sent and what people are told, which no store
	// has a part in but by its promises: see package storetest. They run in a database in the long form.
	outside = []string{"exporting", "sending", "telling"}
)

// inFolders are scripts that only runs in a folder can have, with the reason.
var inFolders = map[string]string{
	"a_fatal_error_still_leaves_a_report":                    "it damages the file of a journal",
	"a_memory_of_keys_of_an_earlier_version_is_gone_on_with": "its runs are files",
	"a_workspace_of_an_earlier_version_is_gone_on_with":      "its runs are files",
	"a_workspace_of_the_first_form_of_plans_is_gone_on_with": "its runs are files",
	"a_second_writer_is_refused":                             "it locks the file of a run",
	"faults_of_the_machine_are_not_faults_of_the_input":      "it damages files, and takes rights and room from folders",
	"no_link_of_a_workspace_is_followed":                     "it is about the files of a folder",
	"old_runs_are_pruned_and_what_they_made_stays_known":     "it removes the file of the memory of keys",
	"runs_are_listed_and_shown":                              "it names the folder",
	"the_workspace_lies_where_the_configuration_says":        "it is about where the folder lies",
	"what_a_journal_lost_is_looked_for":                      "it cuts and copies the files of a journal",
}

var (
	// inDatabases finds the scripts that are about databases, and make their own.
	inDatabases = pattern.New(`(?m)^database$`)

	// elsewhere finds what is done in another workspace, lost where the runs of one, or all that
	// it holds, are removed, and within what reads the files of a run.
	elsewhere = pattern.New(`(?m)^(.*exec|.*exits \d+) (eventbatch .*--workspace ([^\s./]+).*)$`)
	lost      = pattern.New(`(?m)^rm \.eventbatch(/runs)?$`)
	within    = pattern.New(`(?m)^(exec .*cat )\.eventbatch(/runs/.*(?:jsonl|\*/\*)'?)$`)
)

// inStores returns a script in which each other workspace has a store of its own, in a schema
// whose name begins so, where what is removed from a workspace is removed from its store, and
// the files of a run are those of its copy.
func inStores(script []byte, store string) []byte {
	stores := map[string]string{}
	var made bytes.Buffer
	script = elsewhere().ReplaceAllFunc(script, func(line []byte) []byte {
		name := string(elsewhere().FindSubmatch(line)[3])
		if stores[name] == "" {
			stores[name] = fmt.Sprintf("--store %s_%d", store, len(stores))
			fmt.Fprintln(&made, "exec eventbatch store migrate", stores[name])
		}
		return fmt.Appendf(nil, "%s %s", line, stores[name])
	})
	script = lost().ReplaceAllFunc(script, func(rm []byte) []byte {
		statement := "truncate runs, services, keys, kept cascade"
		if bytes.HasSuffix(rm, []byte("runs")) {
			statement = "truncate runs, services, keys cascade"
		}
		return fmt.Appendf(nil, "%s\nsql '%s'", rm, statement)
	})
	script = within().ReplaceAll(script, []byte("exec eventbatch store copy $$DATABASE copied\n${1}copied${2}"))
	return append(made.Bytes(), script...)
}

// TestAStoreOfAnEarlierVersionIsGoneOnWith runs one script on what each version has left in a database, and after it what
// is said of that version alone.
func TestAStoreOfAnEarlierVersionIsGoneOnWith(t *testing.T) {
	t.Parallel()
	parse := func(path string) *txtar.Archive {
		t.Helper()
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return archive
	}
	shared := parse("testdata/stores/gone_on_with.txtar")
	migrations, err := filepath.Glob("../../batch/postgres/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	params := scripts(t, func(env *testscript.Env) error {
		dump, err := os.ReadFile(filepath.Join(env.WorkDir, "dump.sql"))
		if err != nil {
			return err
		}
		address := pgtest.Database(t)
		env.Setenv("DATABASE", address)
		env.Setenv("VERSION", strconv.Itoa(len(migrations)))
		pgtest.Exec(t, address, string(dump))
		return nil
	})
	params.Files, params.UpdateScripts = nil, false
	folder := t.TempDir()
	for version := 1; version < len(migrations); version++ {
		name := fmt.Sprintf("version_%d.txtar", version)
		own := parse(filepath.Join("testdata/stores", name))
		text := txtar.Format(&txtar.Archive{
			Comment: slices.Concat(shared.Comment, own.Comment), Files: slices.Concat(shared.Files, own.Files),
		})
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		params.Files = append(params.Files, path)
	}
	if testing.Short() {
		params.Files = params.Files[:1]
	}
	testscript.Run(t, params)
}

// scriptNights runs a command on what syncs remember, which lies in the workspace for it where it is
// kept in a database: nights COMMAND ….
func scriptNights(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: nights COMMAND …")
	}
	files := night.Folders{Workspace: ts.MkAbs(".eventbatch")}
	if store := ts.Getenv("EVENTBATCH_STORE"); store != "" {
		address, err := postgres.Told(store)
		ts.Check(err)
		db, err := postgres.Open(context.Background(), address)
		ts.Check(err)
		defer db.Close()
		kept := night.InDatabase(db)
		ts.Check(night.Copy(kept, files))
		defer func() {
			syncs, err := kept.Syncs()
			ts.Check(err)
			for _, sync := range syncs {
				names, err := kept.Names(sync)
				ts.Check(err)
				for _, name := range names {
					ts.Check(kept.Remove(sync, name))
				}
			}
			ts.Check(night.Copy(files, kept))
			ts.Check(os.RemoveAll(ts.MkAbs(".eventbatch/syncs")))
		}()
	}
	ts.Check(ts.Exec(args[0], args[1:]...))
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
	says := func() bool {
		_ = ts.Exec(args[1], args[2:]...) // it may say that it cannot yet
		return pattern.MatchString(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
	}
	if !poll(30*time.Second, says) {
		ts.Fatalf("it does not come to say %q", args[0])
	}
}
