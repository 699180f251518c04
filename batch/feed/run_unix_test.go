//go:build unix

package feed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

func command(t *testing.T, line string) Config {
	t.Helper()
	folder := t.TempDir()
	return Config{
		Source: Source{Command: line}, Folder: filepath.Clean(t.TempDir()),
		Secrets: secret.Sources{Dir: folder, Environ: []string{"PATH=" + os.Getenv("PATH"), "EVENTBATCH_API_KEY=" + canary}},
	}
}

func TestCommandWritesRows(t *testing.T) {
	c := command(t, `printf 'key,name\n' | cat; echo "a,Tea" && echo working >&2; test -z "$EVENTBATCH_API_KEY"; pwd >where`)
	f, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "command" || filepath.Ext(f.Path) != "" || f.State.SHA256 == "" {
		t.Errorf("%+v", f)
	}
	known := f.State
	if got := content(t, f); got != rows {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(c.Secrets.Dir, "where")); err != nil {
		t.Errorf("it ran elsewhere: %v", err)
	}
	c.Known = known
	if f, err := Open(t.Context(), c); err != nil || !f.Unchanged {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestCommandThatGivesNoRows(t *testing.T) {
	for line, c := range map[string]struct {
		kind failure.Kind
		want string
	}{
		`echo key,name; echo "database  is  away" >&2; exit 3`: {failure.Away, "command: it failed: exit status 3: database is away"},
		`echo key,name; false`:                                 {failure.Away, "it failed: exit status 1"},
		`no-such-program-here`:                                 {failure.Away, "it failed: exit status 127"},
		`kill -9 $$`:                                           {failure.Away, "it failed: signal: killed"},
		`seq 1 100000`:                                         {failure.Invalid, "it has more than 1,000 bytes"},
		`echo '<html>'`:                                        {failure.Invalid, "it wrote HTML or XML"},
		`echo key; (sleep 5; echo late) &`:                     {failure.Away, "something that it had started was still writing"},
		`seq 1 9999 >&2; printf 'end\033[31m' >&2; false`:      {failure.Away, "exit status 1: 9998 9999 end[31m"},
	} {
		config := command(t, line)
		config.Bytes = 1000
		_, err := Open(t.Context(), config)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s: %s", line, err, c.kind, c.want)
		}
		if left, _ := os.ReadDir(config.Folder); len(left) > 0 {
			t.Errorf("%s: %v is left behind", line, left)
		}
	}
}

// What a command says is for who is at the machine, and without what its environment tells
// it: others hear that it failed.
func TestWhatACommandSaysStaysHere(t *testing.T) {
	config := command(t, `echo "no login for $DB_PASSWORD at $DB_HOST: plain-`+canary+`" >&2; exit 2`)
	config.Secrets.Environ = append(config.Secrets.Environ, "DB_PASSWORD=opensaysme-77aa12", "DB_HOST=db.example.org")
	_, err := Open(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), "no login for [redacted] at db.example.org: plain-"+canary) {
		t.Fatal(err)
	}
	told, ok := errors.AsType[interface {
		error
		Told() string
	}](err)
	if !ok || told.Told() != "command: it failed: exit status 2" {
		t.Errorf("told: %v", told)
	}
}

func TestCommandIsKilledWithItsChildren(t *testing.T) {
	for name, stop := range map[string]func(*Config) context.Context{
		"when its time is up": func(c *Config) context.Context {
			c.Timeout = 200 * time.Millisecond
			return t.Context()
		},
		"when it is called off": func(*Config) context.Context {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(200*time.Millisecond, cancel)
			return ctx
		},
	} {
		c := command(t, "sleep 60 & echo $! >child; echo waiting >&2; wait")
		begin := time.Now()
		_, err := Open(stop(&c), c)
		if err == nil || time.Since(begin) > 20*time.Second {
			t.Errorf("%s: %v after %s", name, err, time.Since(begin))
		}
		if c.Timeout > 0 && !strings.Contains(err.Error(), "it did not end within 200ms: waiting") {
			t.Errorf("%s: %v", name, err)
		}
		text, err := os.ReadFile(filepath.Join(c.Secrets.Dir, "child"))
		if err != nil {
			t.Fatal(err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if gone := goneSoon(child); !gone {
			t.Errorf("%s: the child lives on", name)
		}
	}
}

// goneSoon reports whether a process ends within seconds. One that nobody has waited for yet
// is gone.
func goneSoon(pid int) bool {
	for range 100 {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
