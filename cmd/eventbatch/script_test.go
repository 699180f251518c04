package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"eventbatch/batch/pgtest"
	"eventbatch/mapping/pattern"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite the scripts' expected outputs")

// scriptFiles returns the scripts, which lie in a folder for what they are about.
func scriptFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/script/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	return paths
}

// scripts returns how the scripts are run, in an environment that setUp completes.
func scripts(t *testing.T, setUp func(*testscript.Env) error) testscript.Params {
	t.Helper()
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Files: scriptFiles(t), UpdateScripts: *update, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLES", samples)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("EVENTBATCH_PACE", "0") // the pace only takes time here
			env.Setenv("GOMAXPROCS", "1")      // the scripts are what runs beside one another
			watchDocuments(t, env)
			env.Values[atService{}] = &miniature{}
			env.Values[atMemory{}] = map[string]string{}
			env.Values[atDatabase{}] = func() string { return pgtest.Database(t) }
			env.Values[atStatements{}] = func(address, statement string) { pgtest.Exec(t, address, statement) }
			return setUp(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      scriptExits,
			"hook":       scriptHook,
			"mailserver": scriptMail,
			"service":    scriptService,
			"counted":    scriptCounted,
			"later":      scriptLater,
			"event":      scriptEvent,
			"cancel":     scriptCancel,
			"json":       scriptJSON,
			"take":       scriptTake,
			"bytes":      scriptBytes,
			"hold":       scriptHold,
			"calm":       scriptCalm,
			"remember":   scriptRemember,
			"untouched":  scriptUntouched,
			"book":       scriptBook,
			"feeds":      scriptFeeds,
			"database":   scriptDatabase,
			"sql":        scriptSQL,
			"until":      scriptUntil,
			"nights":     scriptNights,
		},
	}
}

// Each command and each flag is in some script: what is in none is not specified.
func TestEveryFlagIsInAScript(t *testing.T) {
	var scripts strings.Builder
	for _, path := range scriptFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(data)
	}
	text := scripts.String()
	root := (&env{}).root()
	missing := func(f *pflag.Flag) {
		if !strings.Contains(text, "--"+f.Name) && f.Name != "help" {
			t.Errorf("no script has --%s", f.Name)
		}
	}
	root.PersistentFlags().VisitAll(missing)
	for _, cmd := range root.Commands() {
		if !cmd.IsAdditionalHelpTopicCommand() && !strings.Contains(text, "eventbatch "+cmd.Name()) {
			t.Errorf("no script has eventbatch %s", cmd.Name())
		}
		cmd.LocalNonPersistentFlags().VisitAll(missing)
	}
}

// scriptExits runs a command that must end with this code: exits 65 eventbatch check a.csv.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// scriptRemember notes what a folder holds, to the byte: remember DIR.
// scriptUntouched compares: untouched DIR. Folders of the test's own, whose names
// begin with a dot, are left out, but not the workspace.
func scriptRemember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: remember DIR")
	}
	ts.Value(atMemory{}).(map[string]string)[args[0]] = contents(ts, args[0])
}

func scriptUntouched(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: untouched DIR")
	}
	before, known := ts.Value(atMemory{}).(map[string]string)[args[0]]
	if !known {
		ts.Fatalf("%s was not remembered", args[0])
	}
	if now := contents(ts, args[0]); (now == before) == neg {
		ts.Fatalf("before:\n%s\nnow:\n%s", before, now)
	}
}

// atMemory is the key under which a script keeps what it remembers.
type atMemory struct{}

func contents(ts *testscript.TestScript, dir string) string {
	var list strings.Builder
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != root && strings.HasPrefix(name, ".") && name != ".eventbatch" && name != ".state" {
				return filepath.SkipDir
			}
			fmt.Fprintln(&list, path)
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&list, "%s %x\n", path, sha256.Sum256(data))
		return err
	}))
	return list.String()
}

// scriptJSON looks one value up in the JSON of the last command's output:
// json rows.created 3. An index of a list is a number, and its length is len:
// json problems.0.code bad-zone. The members of an object, sorted, are
// named with @: json exit.@ code,reason. The output has to be one document.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	if got := member(ts, args[0]); got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// scriptTake keeps one value of the JSON in a variable, or its first letters: take RUN run 21.
func scriptTake(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: take VARIABLE PATH [LETTERS]")
	}
	value := member(ts, args[1])
	if len(args) == 3 {
		letters, err := strconv.Atoi(args[2])
		ts.Check(err)
		value = value[:letters]
	}
	ts.Setenv(args[0], value)
}

func member(ts *testscript.TestScript, path string) string {
	var value any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&value))
	if decoder.More() {
		ts.Fatalf("there is more than one document")
	}
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			if step == "@" {
				value = strings.Join(slices.Sorted(maps.Keys(v)), ",")
				continue
			}
			next, ok := v[step]
			if !ok {
				ts.Fatalf("%s: no member %q", path, step)
			}
			value = next
		case []any:
			if step == "len" {
				value = json.Number(strconv.Itoa(len(v)))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				ts.Fatalf("%s: no element %q of %d", path, step, len(v))
			}
			value = v[i]
		default:
			ts.Fatalf("%s: %q is in nothing", path, step)
		}
	}
	return fmt.Sprint(value)
}

// scriptBytes writes a file from a Go string: bytes latin.csv "caf\xe9".
func scriptBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE STRING")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// scriptHold holds the lock of a run until the script ends, as another process
// would: hold RUN.
func scriptHold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold RUN")
	}
	lock := flock.New(ts.MkAbs(filepath.Join(".eventbatch", "runs", args[0], "lock")))
	ok, err := lock.TryLock()
	ts.Check(err)
	if !ok {
		ts.Fatalf("run %s is held already", args[0])
	}
	ts.Defer(func() { _ = lock.Unlock() })
}

var changing = []struct {
	form func() *regexp.Regexp
	with string
}{
	{pattern.New(`\b\d{8}-\d{6}-[a-z0-9]{6}\b`), "RUN"},
	{pattern.New(`https?://127\.0\.0\.1:\d+#[0-9a-f]{6}`), "FEED"},
	{pattern.New(`http://127\.0\.0\.1:\d+`), "SERVICE"},
	{pattern.New(`\bevt-[0-9A-Za-z]{16}\b`), "EVENT"},
	{pattern.New(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{pattern.New(`in about \d+ (s|min)( \(\d\d:\d\d\))?`), "SOON"},
	{pattern.New(`\bat once\b`), "SOON"},
	{pattern.New(`\bchecksum: [0-9a-f]{20}\b`), "checksum: SUM"},
	{pattern.New(`\b\d+\.\d s\b`), "SECONDS"},
	{pattern.New(`\b\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d\b`), "DAY"},
	{pattern.New(`-[a-z0-9]{10}\b(,|$)`), "-DERIVED$1"},
}

// scriptCalm copies a file, or the last command's stdout or stderr, with what
// changes from run to run replaced by words: calm stderr got.txt.
func scriptCalm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: calm FILE|stdout|stderr COPY")
	}
	text := ts.ReadFile(args[0])
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	for _, c := range changing {
		text = c.form().ReplaceAllString(text, c.with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
