package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/sandbox"
)

var update = flag.Bool("update", false, "rewrite the scripts' expected outputs")

// TestScripts runs the specification: one behaviour a file, named as a sentence.
func TestScripts(t *testing.T) {
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLES", samples)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   scriptExits,
			"service": scriptService,
			"json":    scriptJSON,
			"calm":    scriptCalm,
		},
	})
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

// scriptService serves the sandbox in this process, writes the eventbatch.yaml
// that reaches it, and sets the keys: service [limit=200] [window=1s] [latency=1ms]
// [fault=kind:rate …].
func scriptService(ts *testscript.TestScript, neg bool, args []string) {
	config := sandbox.Config{Seed: 1, Keys: sandboxKeys(), Calendars: sandboxCalendars()}
	config.Limits = sandbox.Limits{Calendar: 200, Organization: 500, Window: time.Minute}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		var err error
		switch name {
		case "limit":
			config.Limits.Calendar, err = strconv.Atoi(value)
		case "window":
			config.Limits.Window, err = time.ParseDuration(value)
		case "latency":
			config.Latency, err = time.ParseDuration(value)
		case "fault":
			var fault sandbox.Fault
			fault, err = sandbox.ParseFault(value)
			config.Faults = append(config.Faults, fault)
		default:
			err = fmt.Errorf("unknown setting %q", name)
		}
		ts.Check(err)
	}
	service, err := sandbox.New(config)
	ts.Check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	serving := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { serving <- service.Serve(ctx, listener) }()
	ts.Defer(func() {
		stop()
		if err := <-serving; err != nil {
			ts.Logf("serving: %v", err)
		}
	})
	profile := fmt.Sprintf(`profiles:
  test:
    base_url: http://%s
    site_url: https://events.example
    limits: {calendar: %d, organization: %d, window: %s}
    keys:
      - {kind: calendar, calendar: %s, from: "env:CALENDAR_KEY"}
      - {kind: organization, organization: %s, from: "env:ORGANIZATION_KEY"}
default_profile: test
`, listener.Addr(), config.Limits.Calendar, config.Limits.Organization, config.Limits.Window, sandboxCalendar, sandboxOrg)
	ts.Check(os.WriteFile(ts.MkAbs("eventbatch.yaml"), []byte(profile), 0o600))
	ts.Setenv("CALENDAR_KEY", sandboxSecret)
	ts.Setenv("ORGANIZATION_KEY", sandboxOrgSecret)
}

// scriptJSON looks one value up in the JSON of the last command's output:
// json rows.created 3. An index of a list is a number: json problems.0.code bad-zone.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&value))
	for _, step := range strings.Split(args[0], ".") {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[step]
			if !ok {
				ts.Fatalf("%s: no member %q", args[0], step)
			}
			value = next
		case []any:
			if step == "#" {
				value = json.Number(strconv.Itoa(len(v)))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				ts.Fatalf("%s: no element %q of %d", args[0], step, len(v))
			}
			value = v[i]
		default:
			ts.Fatalf("%s: %q is in nothing", args[0], step)
		}
	}
	if got := fmt.Sprint(value); got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

var changing = []struct {
	form *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b\d{8}-\d{6}-[a-z0-9]{6}\b`), "RUN"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "SERVICE"},
	{regexp.MustCompile(`\bevt-[0-9A-Za-z]{16}\b`), "EVENT"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`in about \d+ (s|min)( \(\d\d:\d\d\))?`), "SOON"},
	{regexp.MustCompile(`\bat once\b`), "SOON"},
	{regexp.MustCompile(`\d+\.\d s\b`), "SECONDS"},
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
		text = c.form.ReplaceAllString(text, c.with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
